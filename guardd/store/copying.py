"""A consistent copy of a database, made while it is in use."""

import os
import sqlite3
from collections.abc import Callable
from contextlib import AbstractContextManager, closing, nullcontext
from pathlib import Path

from guardd.store.connecting import connect_reader

Interruptible = Callable[[sqlite3.Connection], AbstractContextManager[object]]


def copy_database(database: Path, target: Path, interruptible: Interruptible = nullcontext) -> None:
    """Copy a database to a file that does not exist yet; where that fails, nothing is left of it.

    Args:
        database: what to copy.
        target: where to; only its owner may read it, from the first byte on.
        interruptible: entered with the connection, for as long as it copies.

    Raises:
        FileExistsError: there is such a file.
        OSError: it cannot be written.
        ValueError: it is no path.
        sqlite3.Error: the database cannot be read, or the copy not be written.
    """
    # SQLite fills an empty file; made by us, it is never readable to others, and never somebody's.
    os.close(os.open(target, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    try:
        with closing(connect_reader(database)) as source, interruptible(source):
            source.execute(
                "pragma query_only = off"
            )  # which forbids this, too; the file is open for reading only
            source.execute("vacuum into ?", (str(target),))
    except BaseException:
        target.unlink(missing_ok=True)
        raise


def is_sound(database: Path, interruptible: Interruptible = nullcontext) -> bool:
    """Whether SQLite finds nothing wrong with a database; reads all of it."""
    with closing(connect_reader(database)) as connection, interruptible(connection):
        return bool(connection.execute("pragma quick_check").fetchone() == ("ok",))
