"""A first glance at the window: whether there is anything that a documented rule could go by.

Each of them needs many calls with the signature in question; or that it is also that of the run's newest call (a
retry of a blocked attempt) or of the one before it (an alternation); or that the newest call missed the tool in
question. Where nothing of it holds, as nearly always while an agent gets on, counting would find nothing.
"""

import msgspec
from sqlalchemy import Select, func, or_, select

from guardd.config import LoopSettings
from guardd.detect.window import IN_WINDOW, NEWEST, SIGNATURE, TOOL
from guardd.store.schema import calls


class Glance(msgspec.Struct, frozen=True, gc=False):
    """What is seen.

    Attributes:
        found: how many calls have the signature in question or are the newest and missed the tool in question.
        newest: the seq of the newest of them, 0 for none.
    """

    found: int
    newest: int


def glance_statement() -> Select[tuple[int, int]]:
    """One row, its columns those of `Glance`; binds what `figures_statement` does, but for `masks`."""
    is_newest_miss = (calls.c.seq == NEWEST) & (calls.c.tool == TOOL) & calls.c.missing_tool.is_not(None)
    return select(func.count().label("found"), func.coalesce(func.max(calls.c.seq), 0).label("newest")).where(
        IN_WINDOW, or_(calls.c.signature == SIGNATURE, is_newest_miss)
    )


def may_match(glance: Glance, newest_seq: int, settings: LoopSettings) -> bool:
    """Whether a documented rule can match at all.

    Args:
        glance: what was seen.
        newest_seq: the run's newest call before the one in question.
        settings: whose lowest threshold of repeated calls is the warning's.
    """
    return glance.newest >= max(newest_seq - 1, 1) or glance.found >= settings.warning_threshold
