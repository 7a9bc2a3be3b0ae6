"""Database files with the current schema, without the cost of migrating each one."""

import functools
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from guardd.store.migrating import migrate
from guardd.store.opening import Database, open_database
from guardd.store.rows import NewCall, RunRow
from guardd.vocabulary import CallState

FINGERPRINT_VERSION = 1


@functools.cache
def _migrated() -> bytes:
    """A database just migrated; made once in a process, by the real migrations."""
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory) / "template.db"
        migrate(path)
        return path.read_bytes()


def make_database(path: Path) -> Path:
    """A file with the current schema and no rows."""
    path.write_bytes(_migrated())
    return path


def close(database: Database) -> None:
    """Close what `open_database` opened; an open transaction is lost, as it would be with the process."""
    database.core.close()
    database.core.engine.dispose()
    database.connection.close()


@contextmanager
def open_new(path: Path, now: int = 0) -> Iterator[Database]:
    """A new database, opened as the daemon does."""
    database = open_database(make_database(path), "normal", now)
    try:
        yield database
    finally:
        close(database)


def new_call(run: RunRow | int, seq: int, tool: str = "read", **columns: Any) -> NewCall:
    """A call to insert; what is not given is as plain as can be."""
    values: dict[str, Any] = {
        "run_id": run if isinstance(run, int) else run.id,
        "seq": seq,
        "tool": tool,
        "signature": tool.encode().ljust(16, b".")[:16],
        "fingerprint_version": FINGERPRINT_VERSION,
        "state": CallState.PENDING,
        "at": seq,
    }
    return NewCall(**(dict.fromkeys(NewCall._fields) | values | columns))


def rows(connection: sqlite3.Connection, table: str) -> list[tuple[Any, ...]]:
    """All rows of a table, in order."""
    return sorted(connection.execute(f"select * from {table}"), key=repr)  # noqa: S608
