"""Deleting what is old, a little at a time, and giving the space back.

What the detectors of a live run need stays: only ended runs go, and those that nothing was heard of for as long as
anything is kept. A run that guardd aborted counts as live, since deleting it would lift the abort.
"""

import sqlite3

from sqlalchemy import ColumnElement, and_, bindparam, delete, func, or_, select

from guardd.store.compiling import compiled
from guardd.store.schema import calls, requests, runs
from guardd.vocabulary import RunStatus


def _may_go(armed: ColumnElement[int | None]) -> ColumnElement[bool]:
    """Whether a call is none of those that its run's armed guard has counted."""
    return or_(calls.c.guard_marker_id.is_(None), calls.c.guard_marker_id.is_distinct_from(armed))


_is_old = and_(
    runs.c.last_activity_at < bindparam("older_than"),
    or_(
        and_(runs.c.status != RunStatus.ACTIVE.value, runs.c.abort_detection_id.is_(None)),
        runs.c.last_activity_at < bindparam("silent_since"),
    ),
)
_stored_calls = select(func.count()).where(calls.c.run_id == runs.c.id).scalar_subquery()
# Each by itself is one step into the index (the oldest, a few more: past what an armed guard has counted); both from
# one walk would be a walk over every call.
_newest_seq = select(func.max(calls.c.seq)).where(calls.c.run_id == runs.c.id).scalar_subquery()
_oldest_deletable_seq = (
    select(func.min(calls.c.seq))
    .where(calls.c.run_id == runs.c.id, _may_go(runs.c.armed_marker_id))
    .scalar_subquery()
)

COUNT_OLD = compiled(select(func.count(), func.coalesce(func.sum(_stored_calls), 0)).where(_is_old))
"""How many runs may go, and how many calls are stored of them."""

COUNT_KEPT = compiled(
    select(func.count())
    .select_from(runs)
    .where(
        runs.c.last_activity_at.between(bindparam("silent_since"), bindparam("older_than") - 1),
        or_(runs.c.status == RunStatus.ACTIVE.value, runs.c.abort_detection_id.is_not(None)),
    )
)
"""How many runs were silent for as long, and stay since they are active or aborted."""

OLDEST = compiled(select(runs.c.id, _stored_calls).where(_is_old).order_by(runs.c.last_activity_at).limit(1))
"""The run that may go and was silent longest, and how many calls are stored of it."""

DELETE_RUN = compiled(delete(runs).where(runs.c.id == bindparam("run")))
"""Delete a run with all that belongs to it."""

LONG_RUNS = compiled(
    select(runs.c.id, runs.c.armed_marker_id, _newest_seq, _oldest_deletable_seq).where(
        runs.c.last_activity_at >= bindparam("active_since"),
        _newest_seq - _oldest_deletable_seq >= bindparam("keep"),
    )
)
"""Runs of which calls may go that are not among the newest, with the newest seq and that of the oldest such call."""

DELETE_CALLS = compiled(
    delete(calls).where(
        calls.c.run_id == bindparam("run"),
        calls.c.seq.between(bindparam("first"), bindparam("last")),
        _may_go(bindparam("armed")),
    )
)
"""Delete a range of a run's calls, but not those that its armed guard has counted."""

FORGET_REQUESTS = compiled(delete(requests).where(requests.c.at < bindparam("before")))
"""Forget replies that nobody will ask for again."""

MOST_CALLS_AT_ONCE = 500
MOST_REQUESTS_AT_ONCE = 1000

NOT_FORGOTTEN_YET = compiled(
    select(requests.c.at)
    .where(requests.c.at < bindparam("before"))
    .order_by(requests.c.at)
    .limit(1)
    .offset(MOST_REQUESTS_AT_ONCE)
)
"""When the first request came that is too many to be forgotten at once."""


def count_old_runs(connection: sqlite3.Connection, older_than: int, silent_since: int) -> tuple[int, int]:
    """How many runs `delete_oldest_run` would delete in the end, and calls of them."""
    bound = {"older_than": older_than, "silent_since": silent_since}
    run_count, call_count = connection.execute(COUNT_OLD, bound).fetchone()
    return run_count, call_count


def count_kept_runs(connection: sqlite3.Connection, older_than: int, silent_since: int) -> int:
    """How many runs `delete_oldest_run` leaves although they are as old, since they are active or aborted."""
    bound = {"older_than": older_than, "silent_since": silent_since}
    return int(connection.execute(COUNT_KEPT, bound).fetchone()[0])


def delete_oldest_run(connection: sqlite3.Connection, older_than: int, silent_since: int) -> int | None:
    """Delete the run that was silent longest, if one may go.

    Args:
        connection: the one that writes, in a transaction.
        older_than: ended runs without activity since then may go, in milliseconds since the epoch.
        silent_since: of these, all runs without activity since then may go, ended or not.

    Returns:
        How many calls it had; None if no run may go.
    """
    bound = {"older_than": older_than, "silent_since": silent_since}
    row = connection.execute(OLDEST, bound).fetchone()
    if row is None:
        return None
    connection.execute(DELETE_RUN, {"run": row[0]})
    return int(row[1])


def trim_long_runs(connection: sqlite3.Connection, keep: int, active_since: int) -> bool:
    """Delete the oldest calls of runs that have more than are to be kept, at most a few hundred of each.

    Returns:
        Whether there is more to delete.
    """
    bound = {"keep": keep, "active_since": active_since}
    more = False
    for run_id, armed, newest, oldest in connection.execute(LONG_RUNS, bound).fetchall():
        last = min(newest - keep, oldest + MOST_CALLS_AT_ONCE - 1)
        connection.execute(DELETE_CALLS, {"run": run_id, "first": oldest, "last": last, "armed": armed})
        more |= last < newest - keep
    return more


def used_bytes(connection: sqlite3.Connection) -> int:
    """The size of what the database holds, without the pages that are free."""
    (pages,) = connection.execute("pragma page_count").fetchone()
    (size,) = connection.execute("pragma page_size").fetchone()
    return int((pages - free_pages(connection)) * size)


def free_pages(connection: sqlite3.Connection) -> int:
    """How many pages of the file hold nothing."""
    return int(connection.execute("pragma freelist_count").fetchone()[0])


def give_back_space(connection: sqlite3.Connection, pages: int) -> None:
    """Return free pages to the file system, at most so many."""
    for _ in range(pages):  # the driver takes one step of a statement without columns, which frees one page
        connection.execute("pragma incremental_vacuum(1)")


def forget_requests(connection: sqlite3.Connection, before: int) -> bool:
    """Forget the replies to requests from before a time in milliseconds, some of them where they are many.

    Returns:
        Whether there are more.
    """
    row = connection.execute(NOT_FORGOTTEN_YET, {"before": before}).fetchone()
    connection.execute(FORGET_REQUESTS, {"before": before if row is None else row[0] + 1})
    return row is not None
