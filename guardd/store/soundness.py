"""Looking for damage in a database file, without writing to it. Needs the standard library only."""

import sqlite3
import threading
from contextlib import closing
from pathlib import Path

PATIENCE_SECONDS = 0.05
"""How long to look at a start: enough for some ten megabytes, and nobody notices."""


def damage(path: Path, seconds: float = PATIENCE_SECONDS) -> str | None:
    """What is found wrong with a database that nobody writes to; None if nothing is.

    Of a large file only as much is looked at as can be in the time given; `db.check` looks at all of it.

    Args:
        path: the file; there is one.
        seconds: how long to look.

    Raises:
        sqlite3.Error: it cannot be opened.
    """
    connection = sqlite3.connect(
        f"{path.absolute().as_uri()}?mode=ro", uri=True, isolation_level=None, check_same_thread=False
    )
    with closing(connection):
        end = threading.Timer(seconds, connection.interrupt)
        end.start()
        try:
            (found,) = connection.execute("pragma quick_check(1)").fetchone()
        except sqlite3.DatabaseError as error:
            if error.sqlite_errorcode == sqlite3.SQLITE_INTERRUPT:
                return None
            if error.sqlite_errorcode & 0xFF == sqlite3.SQLITE_CORRUPT:
                return str(error)
            raise
        finally:
            end.cancel()
            end.join()
    return None if found == "ok" else " ".join(str(found).replace("***", "").split())
