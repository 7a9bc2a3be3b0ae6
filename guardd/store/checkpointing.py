"""Moving the write-ahead log into the database file, when nobody waits for it.

A checkpoint in the path of a commit would make that verdict many times slower than the rest, so none is left to
SQLite: they are small and often, and done when the daemon is idle, or when the log has grown all the same.
"""

import sqlite3

from guardd.store.connecting import BUSY_TIMEOUT_MS

WAL_BYTES_TOO_MANY = 64 * 1024 * 1024
"""A log of this size is emptied and cut off, although that waits for readers."""
READERS_WAITED_FOR_MS = 20
"""How long, each time that it is tried: verdicts wait meanwhile, and a reader may take minutes."""


def checkpoint(connection: sqlite3.Connection, wal_bytes: int) -> bool:
    """Checkpoint what can be without waiting long; True if the whole log is in the database file.

    Args:
        connection: the one that writes, not in a transaction.
        wal_bytes: the size of the log.

    Raises:
        sqlite3.Error: the database file cannot be written; nothing is lost, the log still holds it.
    """
    if wal_bytes <= WAL_BYTES_TOO_MANY:
        return _checkpoint(connection, "passive")
    connection.execute(f"pragma busy_timeout = {READERS_WAITED_FOR_MS}")
    try:
        return _checkpoint(connection, "truncate")
    finally:
        connection.execute(f"pragma busy_timeout = {BUSY_TIMEOUT_MS}")


def _checkpoint(connection: sqlite3.Connection, mode: str) -> bool:
    busy, in_log, moved = connection.execute(f"pragma wal_checkpoint({mode})").fetchone()
    return not busy and in_log == moved
