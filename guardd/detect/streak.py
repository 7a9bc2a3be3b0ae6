"""The no-progress streak, which three rules look at.

detection.md, rule 2: among the window's calls with the signature in question and a known outcome, newest first,
how many have the same outcome as the newest. Other calls in between neither count nor break it, nor do calls
whose outcome is not known yet. A blocked attempt counts as one more of its signature's streak.
"""

from collections.abc import Mapping

from sqlalchemy import ColumnElement, FromClause

from guardd.detect.window import SIGNATURE, compared, how_many, is_blocked, is_break, of_newest
from guardd.store.schema import calls
from guardd.vocabulary import CallState

LOOKS_AT = calls.c.signature == SIGNATURE
MARKS = {"is_same": calls.c.signature == SIGNATURE}
BREAKS = {
    "streak_breaks": is_break((calls.c.signature == SIGNATURE) & (compared != of_newest("own_outcome")))
}


def counts(rows: FromClause) -> Mapping[str, ColumnElement[int]]:
    """The streak, the blocked attempts in it, and all calls of the signature whatever their outcome."""
    unbroken = (rows.c.streak_breaks == 0) & rows.c.is_same
    return {
        "streak": how_many(in_streak(rows)),
        "streak_blocked": how_many(unbroken, is_blocked(rows)),
        "repeats": how_many(is_repeat(rows)),
    }


def in_streak(rows: FromClause) -> ColumnElement[bool]:
    """Whether a row is one of the streak."""
    return (rows.c.streak_breaks == 0) & rows.c.is_same & (rows.c.state != CallState.PENDING.value)


def is_repeat(rows: FromClause) -> ColumnElement[bool]:
    """Whether a row has the signature in question, whatever its outcome."""
    return rows.c.is_same
