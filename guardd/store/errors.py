"""What can be wrong with a database file, in words for a person."""

from pathlib import Path


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
