"""Moving the write-ahead log into the database file, when nobody waits for it.

A checkpoint in the path of a commit would make that verdict many times slower than the rest, so none is left to
SQLite: they are small and often, and done when the daemon is idle, or when the log has grown all the same.
"""

import sqlite3

WAL_BYTES_TOO_MANY = 64 * 1024 * 1024
"""A log of this size is emptied and cut off, although that waits for readers."""


def checkpoint(connection: sqlite3.Connection, wal_bytes: int) -> bool:
    """Checkpoint what can be without waiting; True if the whole log is in the database file.

    Args:
        connection: the one that writes, not in a transaction.
        wal_bytes: the size of the log.

    Raises:
        sqlite3.Error: the database file cannot be written; nothing is lost, the log still holds it.
    """
    mode = "truncate" if wal_bytes > WAL_BYTES_TOO_MANY else "passive"
    busy, in_log, moved = connection.execute(f"pragma wal_checkpoint({mode})").fetchone()
    return not busy and in_log == moved
