"""Connections to the database file, and the pragmas that each kind needs.

There is one read-write connection in the whole system, which also runs every checkpoint: SQLite 3.7.0 to 3.51.2
can corrupt a WAL database when two connections write or checkpoint at once (fixed in 3.51.3). All others are
`query_only`.
"""

import sqlite3
from pathlib import Path
from typing import Literal

from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.pool import QueuePool, StaticPool

Durability = Literal["normal", "full"]

PAGE_BYTES = 2048
"""Of a new database. A verdict changes a row on each of four or five pages, all of which its commit writes; half
of the usual size takes two thirds of the time. Smaller still, and a call with its preview would not fit on one."""

BUSY_TIMEOUT_MS = 250
"""How long to wait for somebody else's lock; nobody else should hold one, and verdicts wait meanwhile."""

WAL_BYTES_KEPT = 8 * 1024 * 1024
"""To what size the write-ahead log is cut when it begins anew after a checkpoint."""


def connect_writer(path: Path, durability: Durability) -> sqlite3.Connection:
    """The one connection that writes.

    `normal` survives the death of any process, `full` the loss of power too. Checkpoints are not left to the
    commit that happens to cross a size, which would make some verdicts fifteen times slower than the rest.

    Raises:
        sqlite3.Error: the file cannot be opened, or is no database.
    """
    connection = sqlite3.connect(path, isolation_level=None, check_same_thread=False, cached_statements=256)
    try:
        connection.execute(f"pragma busy_timeout = {BUSY_TIMEOUT_MS}")
        connection.execute("pragma journal_mode = wal")
        connection.execute("pragma wal_autocheckpoint = 0")
        connection.execute(f"pragma journal_size_limit = {WAL_BYTES_KEPT}")
        connection.execute(f"pragma synchronous = {durability}")
        connection.execute("pragma foreign_keys = on")
        connection.execute("pragma temp_store = memory")
    except BaseException:
        connection.close()
        raise
    return connection


def core_connection(writer: sqlite3.Connection) -> Connection:
    """SQLAlchemy's view of the writer's connection, to read inside its transaction.

    It shares the connection and never ends a transaction: that is for the one who began it.
    """
    engine = create_engine(
        "sqlite://", creator=lambda: writer, poolclass=StaticPool, pool_reset_on_return=None
    )
    return engine.connect()


def connect_reader(path: Path, *, immutable: bool = False) -> sqlite3.Connection:
    """A connection that can only read, safe beside the writer.

    Args:
        path: the file.
        immutable: nobody writes the file, so it is read without a lock, even where nothing may be written
            beside it.

    Raises:
        sqlite3.Error: the file cannot be opened.
    """
    options = "mode=ro&immutable=1" if immutable else "mode=ro"
    connection = sqlite3.connect(
        f"{path.absolute().as_uri()}?{options}", uri=True, isolation_level=None, check_same_thread=False
    )
    connection.execute(f"pragma busy_timeout = {BUSY_TIMEOUT_MS}")
    connection.execute("pragma query_only = on")
    return connection


def reading_engine(path: Path, pool_size: int = 1, *, immutable: bool = False) -> Engine:
    """A pool of reading connections, for operators' questions; see `connect_reader`."""
    return create_engine(
        "sqlite://",
        creator=lambda: connect_reader(path, immutable=immutable),
        poolclass=QueuePool,
        pool_size=pool_size,
        max_overflow=0,
    )


def migrating_engine(path: Path) -> Engine:
    """The connection of a migration: transactional DDL, foreign keys off until they are checked at the end.

    Python's sqlite3 before 3.12 commits before DDL unless it leaves transactions alone, which would leave half
    the tables of a failed migration. Rebuilding a parent table with foreign keys on deletes its children.
    """
    engine = create_engine("sqlite://", creator=lambda: sqlite3.connect(path, isolation_level=None))

    @event.listens_for(engine, "connect")
    def _prepare(connection: sqlite3.Connection, _record: object) -> None:
        connection.execute(f"pragma busy_timeout = {BUSY_TIMEOUT_MS}")
        connection.execute("pragma foreign_keys = off")
        # Only of an empty file: another would be written at once.
        if connection.execute("pragma page_count").fetchone() == (0,):
            connection.execute(f"pragma page_size = {PAGE_BYTES}")
            connection.execute("pragma auto_vacuum = incremental")

    @event.listens_for(engine, "begin")
    def _begin(connection: object) -> None:
        connection.exec_driver_sql("begin immediate")  # type: ignore[attr-defined]

    return engine
