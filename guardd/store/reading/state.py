"""How the database is: how much it holds, and whether it is sound."""

from typing import NamedTuple

from sqlalchemy import Connection, func, select, text
from sqlalchemy.exc import DatabaseError

from guardd.store.schema import calls, runs
from guardd.vocabulary import RunStatus


class Overview(NamedTuple):
    """What the database holds.

    Attributes:
        runs: How many.
        calls: How many.
        last_activity: When something last happened in any run, in milliseconds since 1970.
        journal_mode: SQLite's.
    """

    runs: int
    calls: int
    last_activity: int | None
    journal_mode: str


def overview(connection: Connection) -> Overview:
    """What the database holds: its counts are each a walk over an index."""
    run_count = connection.execute(select(func.count()).select_from(runs)).scalar_one()
    call_count = connection.execute(select(func.count()).select_from(calls)).scalar_one()
    last_activity = connection.execute(select(func.max(runs.c.last_activity_at))).scalar_one()
    journal_mode = connection.execute(text("pragma journal_mode")).scalar_one()
    return Overview(run_count, call_count, last_activity, journal_mode)


def run_counts(connection: Connection) -> dict[str, int]:
    """How many runs there are of each status: one walk over all runs, without sorting them."""
    counts = (func.count().filter(runs.c.status == status.value) for status in RunStatus)
    found = connection.execute(select(*counts).select_from(runs)).one()
    return dict(zip(map(str, RunStatus), found, strict=True))


def problems(connection: Connection) -> list[str]:
    """What is wrong with the database, in SQLite's words; takes as long as reading the whole file."""
    try:
        found = [row[0] for row in connection.execute(text("pragma integrity_check")) if row[0] != "ok"]
        found += [
            f"row {row[1]} of {row[0]} refers to a row of {row[2]} that does not exist"
            for row in connection.execute(text("pragma foreign_key_check"))
        ]
    except DatabaseError as error:  # it is in such a state that it cannot even be checked
        found = [str(error.orig)]
    return found
