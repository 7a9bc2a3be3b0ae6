"""What a check comes to."""

from enum import StrEnum
from typing import NamedTuple


class State(StrEnum):
    """How a check ended; the words are those of ``guardctl doctor --json``."""

    OK = "ok"
    WARNING = "warning"
    FAILED = "failed"
    SKIPPED = "skipped"


class Finding(NamedTuple):
    """What a check comes to.

    Attributes:
        state: How it ended.
        detail: What was found, in a few words.
        fix: What to do about it; None where there is nothing to do.
    """

    state: State
    detail: str
    fix: str | None = None


def ok(detail: str) -> Finding:
    """All is as it should be."""
    return Finding(State.OK, detail)


def warning(detail: str, fix: str) -> Finding:
    """It works, and yet somebody should look at it."""
    return Finding(State.WARNING, detail, fix)


def failed(detail: str, fix: str) -> Finding:
    """It does not work, will soon not, or lets somebody in."""
    return Finding(State.FAILED, detail, fix)


def skipped(detail: str) -> Finding:
    """It could not be looked at."""
    return Finding(State.SKIPPED, detail)


NEEDS_DAEMON = skipped("needs the daemon")
NOT_TOLD = skipped("the running daemon does not tell")
"""It is of an older version, or cannot find out."""
