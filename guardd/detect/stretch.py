"""The rows that the rules of OpenClaw 2026.9 look at: the newest calls, as long as they are of the tool in question.

They are looked at only with that profile, by a statement of their own, which binds what `window` does.
"""

from sqlalchemy import CTE, func, select

from guardd.detect.window import IN_WINDOW, LOW, TOOL, compared
from guardd.store.schema import calls


def _stretch() -> CTE:
    before = (
        select(func.coalesce(func.max(calls.c.seq), LOW))
        .where(IN_WINDOW, calls.c.tool != TOOL)
        .scalar_subquery()
    )
    return (
        select(
            calls.c.seq,
            calls.c.signature,
            calls.c.state,
            calls.c.effect,
            calls.c.failure,
            compared.label("outcome"),
        )
        .where(IN_WINDOW, calls.c.seq > before)
        .cte("stretch")
        .prefix_with("materialized")
    )


stretch = _stretch()
