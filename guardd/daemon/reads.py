"""The methods that only read: run in a thread, on connections that cannot write, so that no verdict waits."""

import os
import sqlite3
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, closing
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, func, select, text
from sqlalchemy.exc import DatabaseError

from guardd.protocol import operator_methods as operator
from guardd.protocol import operator_results as results
from guardd.protocol.errors import InvalidParams
from guardd.store.reading import describe_run, list_events, list_runs, resolve_run, run_history
from guardd.store.reading.events import EventFilter
from guardd.store.reading.history import HistoryPage
from guardd.store.reading.runs import RunFilter
from guardd.store.schema import calls, runs

Interruptible = Callable[[sqlite3.Connection], AbstractContextManager[None]]

MOST_ROWS = 1000
"""In one page, whatever is asked for."""


def run_list(connection: Connection, params: operator.RunList) -> object:
    """`run.list`."""
    wanted = RunFilter(
        status=params.status,
        agent_id=params.agent_id,
        source=params.source,
        since=params.since_ms,
        looping=params.looping,
    )
    return list_runs(connection, wanted, _limit(params.limit), params.cursor)


def run_get(connection: Connection, params: operator.RunGet) -> object:
    """`run.get`."""
    return describe_run(connection, resolve_run(connection, params.run))


def history(connection: Connection, params: operator.RunHistory) -> object:
    """`run.history`."""
    page = HistoryPage(_limit(params.limit), params.before_seq, params.after_seq)
    return run_history(connection, resolve_run(connection, params.run), page, params.cursor)


def event_list(connection: Connection, params: operator.EventList) -> object:
    """`event.list`."""
    return list_events(connection, event_filter(connection, params), _limit(params.limit), params.cursor)


def event_filter(connection: Connection, params: operator.EventWatch) -> EventFilter:
    """Which events are asked for.

    Raises:
        RunNotFound: the run is not known.
        RunAmbiguous: several are meant.
    """
    run_id = None if params.run is None else resolve_run(connection, params.run)
    return EventFilter(run_id, params.detector, params.level, params.since_ms)


def _limit(limit: int | None) -> int:
    return MOST_ROWS if limit is None else min(limit, MOST_ROWS)


def check_integrity(connection: Connection) -> results.DatabaseChecked:
    """`db.check`: takes as long as reading the whole file."""
    try:
        problems = [row[0] for row in connection.execute(text("pragma integrity_check")) if row[0] != "ok"]
        problems += [
            f"row {row[1]} of {row[0]} refers to a row of {row[2]} that does not exist"
            for row in connection.execute(text("pragma foreign_key_check"))
        ]
    except DatabaseError as error:  # it is in such a state that it cannot even be checked
        problems = [str(error.orig)]
    return results.DatabaseChecked(ok=not problems, problems=problems)


def totals(connection: Connection) -> tuple[int, int]:
    """How many runs and calls there are, each a walk over an index."""
    run_count = connection.execute(select(func.count()).select_from(runs)).scalar_one()
    call_count = connection.execute(select(func.count()).select_from(calls)).scalar_one()
    return run_count, call_count


def back_up(database: Path, target: Path, interruptible: Interruptible) -> results.DatabaseBackedUp:
    """`db.backup`: a consistent copy beside the running daemon, checked before it is called one.

    Args:
        database: the daemon's database.
        target: a file that does not exist.
        interruptible: entered with each connection, for as long as it is worked with.

    Raises:
        InvalidParams: the target cannot be written.
    """
    if not target.is_absolute():
        raise InvalidParams("path must be absolute", field="path")
    try:
        # SQLite fills an empty file; made by us, it is never readable to others, and never somebody's.
        os.close(os.open(target, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    except FileExistsError as error:
        raise InvalidParams(f"path exists already: {target}", field="path") from error
    except (OSError, ValueError) as error:  # ValueError: a NUL in it
        raise InvalidParams(f"path cannot be written: {error}", field="path") from error
    try:
        return _copy(database, target, interruptible)
    except BaseException as error:
        target.unlink(missing_ok=True)
        if isinstance(error, sqlite3.Error | OSError):
            raise InvalidParams(f"path cannot be written: {error}", field="path") from error
        raise


def _copy(database: Path, target: Path, interruptible: Interruptible) -> results.DatabaseBackedUp:
    with closing(_open(database)) as source, interruptible(source):
        source.execute("vacuum into ?", (str(target),))
    with closing(_open(target)) as copy, interruptible(copy):
        if copy.execute("pragma quick_check").fetchone() != ("ok",):
            raise InvalidParams(f"the copy at {target} is damaged; the disk may be failing", field="path")
    return results.DatabaseBackedUp(path=str(target), bytes=target.stat().st_size)


def _open(database: Path) -> sqlite3.Connection:
    return sqlite3.connect(f"{database.absolute().as_uri()}?mode=ro", uri=True, check_same_thread=False)


READS: Mapping[str, Callable[[Connection, Any], object]] = {
    "run.list": run_list,
    "run.get": run_get,
    "run.history": history,
    "event.list": event_list,
}
