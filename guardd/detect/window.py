"""The rows that every rule counts over: a run's newest calls, walked from the newest backwards.

A rule says which row ends what it counts, a *break*. The running sum of breaks is zero exactly on the rows
before the first one; of those the rule counts what it wants. It also says which rows it looks at, since a
row that SQLite buffers for the sums costs ten times what one costs that it only reads. `statement` joins the
rules' expressions into one statement, which binds `run`, `newest` (seq of the run's newest call before the one
in question), `low` (seq before the window's oldest), `tool` and `signature` of the call in question, and `masks`,
see `compared`.
"""

from sqlalchemy import (
    CTE,
    ColumnElement,
    FromClause,
    Integer,
    LargeBinary,
    Text,
    bindparam,
    case,
    func,
    literal_column,
    select,
)

from guardd.store.schema import calls
from guardd.vocabulary import CallState

RUN = bindparam("run", type_=Integer)
NEWEST = bindparam("newest", type_=Integer)
LOW = bindparam("low", type_=Integer)
TOOL = bindparam("tool", type_=Text)
SIGNATURE = bindparam("signature", type_=LargeBinary)
MASKS = bindparam("masks", type_=Integer)


def compared_in(rows: FromClause) -> ColumnElement[bytes]:
    """What outcomes of calls are compared by: with `detectors.volatileText`, what varies by itself is no difference."""
    return case((MASKS == 1, func.coalesce(rows.c.masked, rows.c.outcome)), else_=rows.c.outcome)


compared = compared_in(calls)

IN_WINDOW = (calls.c.run_id == RUN) & (calls.c.seq > LOW) & (calls.c.seq <= NEWEST)


def _newest_outcome(signature: ColumnElement[bytes]) -> ColumnElement[bytes]:
    """The outcome of the window's newest call of that signature whose outcome is known."""
    return (
        select(compared)
        .where(IN_WINDOW, calls.c.signature == signature, calls.c.outcome.is_not(None))
        .order_by(calls.c.seq.desc())
        .limit(1)
        .scalar_subquery()
    )


def _newest_call() -> CTE:
    """The run's newest call, and what it takes for an alternation and for a series of misses.

    An alternation needs the call in question right before the newest, another one; and the newest outcome on
    either side.
    """
    latest, second = calls.alias("latest"), calls.alias("second")
    is_second = (
        select(second.c.seq)
        .where(
            second.c.run_id == RUN,
            second.c.seq == NEWEST - 1,
            second.c.seq > LOW,
            second.c.signature == SIGNATURE,
        )
        .exists()
    )
    return (
        select(
            latest.c.tool,
            latest.c.signature,
            latest.c.missing_tool,
            latest.c.state,
            latest.c.detection_id,
            ((latest.c.tool == TOOL) & latest.c.missing_tool.is_not(None)).label("misses"),
            ((latest.c.signature != SIGNATURE) & is_second).label("alternates"),
            _newest_outcome(SIGNATURE).label("own_outcome"),
            _newest_outcome(latest.c.signature).label("other_outcome"),
        )
        .where(latest.c.run_id == RUN, latest.c.seq == NEWEST, latest.c.seq > LOW)
        .cte("newest")
        .prefix_with("materialized")
    )


newest = _newest_call()


def of_newest(column: str) -> ColumnElement[object]:
    """A column of the newest call, to compare each row with."""
    return select(newest.c[column]).scalar_subquery()


def is_break(condition: ColumnElement[bool]) -> ColumnElement[int]:
    """1 for a row that breaks what is counted; what is not known breaks nothing."""
    return case((condition, 1), else_=0)


def breaks_so_far(rows: FromClause, name: str) -> ColumnElement[int]:
    """How many rows from the newest down to this one are such breaks."""
    return func.sum(rows.c[name]).over(order_by=rows.c.seq.desc(), rows=(None, 0))


def how_many(*conditions: ColumnElement[bool]) -> ColumnElement[int]:
    """How many rows meet all the conditions."""
    return func.count().filter(*conditions)


def is_blocked(rows: FromClause) -> ColumnElement[bool]:
    """Whether a row is an attempt that guardd blocked; the states are literals of the statement."""
    blocked = (CallState.BLOCKED, CallState.BLOCKED_REPORTED)
    return rows.c.state.in_([literal_column(str(state.value)) for state in blocked])
