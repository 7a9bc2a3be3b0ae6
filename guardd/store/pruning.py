"""Deleting old runs, a few at a time."""

import sqlite3

from sqlalchemy import bindparam, delete, func, select

from guardd.store.compiling import compiled
from guardd.store.schema import calls, requests, runs

COUNT_OLD = compiled(
    select(
        func.count(runs.c.id.distinct()),
        func.count(calls.c.seq),
    )
    .select_from(runs.outerjoin(calls, calls.c.run_id == runs.c.id))
    .where(runs.c.last_activity_at < bindparam("older_than"))
)
"""How many runs without activity since then there are, and calls in them."""

OLDEST = compiled(
    select(runs.c.id, select(func.count()).where(calls.c.run_id == runs.c.id).scalar_subquery())
    .where(runs.c.last_activity_at < bindparam("older_than"))
    .order_by(runs.c.last_activity_at)
    .limit(1)
)
"""The run that was silent longest, and how many calls it has stored."""

DELETE_RUN = compiled(delete(runs).where(runs.c.id == bindparam("run")))
"""Delete a run with all that belongs to it."""

FORGET_REQUESTS = compiled(delete(requests).where(requests.c.at < bindparam("before")))
"""Forget replies that nobody will ask for again."""


def count_old_runs(connection: sqlite3.Connection, older_than: int) -> tuple[int, int]:
    """Runs without activity since a time in milliseconds, and calls in them."""
    runs_found, calls_found = connection.execute(COUNT_OLD, {"older_than": older_than}).fetchone()
    return runs_found, calls_found


def delete_oldest_run(connection: sqlite3.Connection, older_than: int) -> int | None:
    """Delete the run that was silent longest, if since before that time; returns how many calls it had."""
    row = connection.execute(OLDEST, {"older_than": older_than}).fetchone()
    if row is None:
        return None
    connection.execute(DELETE_RUN, {"run": row[0]})
    return int(row[1])


def forget_requests(connection: sqlite3.Connection, before: int) -> None:
    """Forget the replies to requests from before a time in milliseconds."""
    connection.execute(FORGET_REQUESTS, {"before": before})
