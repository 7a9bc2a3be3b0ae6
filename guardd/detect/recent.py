"""The rows that the rules beyond the documented ones look at: the same window, with more of each call.

These rules are looked at only where they are switched on, by a statement of their own, so that nobody else pays for
them. It binds what `window` does, and `polls`, a JSON list of the tools that are polls.
"""

from sqlalchemy import CTE, ColumnElement, Text, bindparam, case, column, func, literal_column, or_, select

from guardd.detect.window import IN_WINDOW, compared
from guardd.store.schema import calls
from guardd.vocabulary import CallEffect

_polls = func.json_each(bindparam("polls", type_=Text)).table_valued(column("value", Text), name="polls")
_is_poll = or_(
    calls.c.tool.in_(select(_polls.c.value)),
    (calls.c.tool == "process")
    & calls.c.asked_action.in_([literal_column("'poll'"), literal_column("'log'")]),
)


def _recent() -> CTE:
    """The window's calls; those that are no polls are numbered from the newest backwards, from 0."""
    is_poll = case((_is_poll, 1), else_=0)
    back = func.row_number().over(partition_by=is_poll, order_by=calls.c.seq.desc()) - 1
    return (
        select(
            calls.c.seq,
            calls.c.tool,
            calls.c.signature,
            calls.c.state,
            calls.c.effect,
            compared.label("outcome"),
            func.coalesce(calls.c.masked, calls.c.outcome).label("error"),
            func.coalesce(calls.c.beside, calls.c.seq).label("batch"),
            is_poll.label("is_poll"),
            back.label("back"),
        )
        .where(IN_WINDOW)
        .cte("recent")
        .prefix_with("materialized")
    )


recent = _recent()

counts: ColumnElement[bool] = func.coalesce(recent.c.effect, 0) != CallEffect.CANCELLED.value
"""Whether a call says anything at all: one that was cancelled since a call beside it failed does not."""
