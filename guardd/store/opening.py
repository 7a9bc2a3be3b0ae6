"""Opening the database for the daemon: migrate if need be, connect, and get what is kept in it once."""

import os
import secrets
import sqlite3
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import Connection

import guardd
from guardd.fingerprint import VERSION
from guardd.store.connecting import Durability, connect_reader, connect_writer, core_connection
from guardd.store.errors import DatabaseUnusable, unreadable
from guardd.store.migrating import Migration, migrate
from guardd.store.store import Store

KEY_BYTES = 32


@dataclass(frozen=True, slots=True)
class Database:
    """An open database.

    Attributes:
        path: the file.
        connection: the one that writes.
        store: the state in it.
        core: SQLAlchemy's view of the same connection.
        key: the secret that fingerprints are made with.
        migration: what was done to bring it to this program's schema.
        identity: device and inode of the file.
    """

    path: Path
    connection: sqlite3.Connection
    store: Store
    core: Connection
    key: bytes
    migration: Migration
    identity: tuple[int, int]

    def is_in_place(self) -> bool:
        """Whether the path still leads to the file that was opened."""
        try:
            status = os.stat(self.path)  # noqa: PTH116  it is asked before every transaction
        except OSError:
            return False
        return (status.st_dev, status.st_ino) == self.identity

    def file_sizes(self) -> tuple[int, int]:
        """Bytes of the file and of its write-ahead log; 0 for what is not there."""
        return _size(self.path), _size(self.path.with_name(f"{self.path.name}-wal"))


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0


def open_database(path: Path, durability: Durability, now: int) -> Database:
    """Open a database file that nobody else has open, creating or migrating it first.

    Args:
        path: the file; its directory exists, and the caller holds the lock beside it.
        durability: `normal` or `full`.
        now: milliseconds since the epoch.

    Raises:
        DatabaseUnusable: with what to do about it.
    """
    with _held(path):
        migration = migrate(path)
        return _opened(path, durability, migration, now)


@contextmanager
def _held(path: Path) -> Iterator[None]:
    """Keep a file open meanwhile, if there is one: each first to open it reads its whole log after a crash."""
    with ExitStack() as stack:
        if path.is_file():
            with suppress(sqlite3.Error):  # what is wrong with it is told by those who look
                holder = stack.enter_context(closing(connect_reader(path)))
                holder.execute("select count(*) from sqlite_master")
        yield


def _opened(path: Path, durability: Durability, migration: Migration, now: int) -> Database:
    try:
        connection = connect_writer(path, durability)
        try:
            key, daemon_start_id = _note_start(connection, now)
        except sqlite3.Error:
            connection.close()
            raise
    except sqlite3.OperationalError as error:
        raise DatabaseUnusable(
            path,
            f"SQLite cannot write it ({error})",
            "Check free disk space, and that this user may write the file and its directory",
        ) from error
    except sqlite3.Error as error:  # damaged
        raise unreadable(path, error) from error
    status = path.stat()
    return Database(
        path=path,
        connection=connection,
        store=Store(connection, daemon_start_id),
        core=core_connection(connection),
        key=key,
        migration=migration,
        identity=(status.st_dev, status.st_ino),
    )


def _note_start(connection: sqlite3.Connection, now: int) -> tuple[bytes, int]:
    """Record that a daemon starts; returns the secret of the database, and the start's id."""
    connection.execute("begin immediate")
    key = _fingerprint_key(connection, now)
    (daemon_start_id,) = connection.execute(
        "insert into daemon_starts (version, at) values (?, ?) returning id", (guardd.__version__, now)
    ).fetchone()
    connection.execute("commit")
    return key, daemon_start_id


def _fingerprint_key(connection: sqlite3.Connection, now: int) -> bytes:
    """The secret of this database for this version of fingerprints, made at its first use."""
    row = connection.execute("select key from fingerprint_keys where version = ?", (VERSION,)).fetchone()
    if row is not None:
        return bytes(row[0])
    key = secrets.token_bytes(KEY_BYTES)
    connection.execute("insert into fingerprint_keys values (?, ?, ?)", (VERSION, key, now))
    return key
