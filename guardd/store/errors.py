"""What can be wrong with a database file, in words for a person."""

from pathlib import Path

RESTORE = "Restore a backup (guardctl backup makes them), or move the file away and start anew"
"""What to do about a damaged database."""


class DatabaseUnusable(Exception):  # noqa: N818  it says what is the matter
    """The database file cannot be used.

    Attributes:
        path: the file.
        reason: what is wrong.
        advice: what to do about it.
    """

    def __init__(self, path: Path, reason: str, advice: str) -> None:
        super().__init__(path, reason, advice)
        self.path = path
        self.reason = reason
        self.advice = advice

    def __str__(self) -> str:
        return f"{self.path}: {self.reason}. {self.advice}."


def unreadable(path: Path, error: Exception) -> DatabaseUnusable:
    """What it means that SQLite cannot read a database: that it is damaged, or none."""
    return DatabaseUnusable(
        path,
        f"SQLite cannot read it ({error})",
        RESTORE,
    )


def newer(path: Path, revision: str, known: str) -> DatabaseUnusable:
    """What it means that a database has a schema after the newest one that is known."""
    return DatabaseUnusable(
        path,
        f"it was written by a newer guardd (schema {revision}; this program knows schemas up to {known})",
        "Install the newer guardd again, or choose another path with --db",
    )


def damaged(path: Path, found: str) -> DatabaseUnusable:
    """What was found wrong with a database."""
    return DatabaseUnusable(path, f"it is damaged ({found}), and was left as it is", RESTORE)
