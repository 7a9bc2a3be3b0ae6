"""The methods that only read: run in a thread, on connections that cannot write, so that no verdict waits."""

import sqlite3
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from sqlalchemy import Connection

from guardd.config import Config
from guardd.daemon.directories import DirectoryError, check_directory
from guardd.protocol import operator_methods as operator
from guardd.protocol import operator_results as results
from guardd.protocol.errors import InvalidParams
from guardd.store.copying import Interruptible, copy_database, is_sound
from guardd.store.reading import describe_run, explain_call, list_events, list_runs, resolve_run, run_history
from guardd.store.reading.events import EventFilter
from guardd.store.reading.history import HistoryPage
from guardd.store.reading.runs import RunFilter
from guardd.store.reading.state import problems

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


def explain(connection: Connection, params: operator.RunExplain, config: Config) -> object:
    """`run.explain`, by the settings of today."""
    return explain_call(connection, resolve_run(connection, params.run), params.seq, config)


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


def db_check(connection: Connection) -> results.DatabaseChecked:
    """`db.check`."""
    found = problems(connection)
    return results.DatabaseChecked(ok=not found, problems=found)


def back_up(database: Path, target: Path, interruptible: Interruptible) -> results.DatabaseBackedUp:
    """`db.backup`: a consistent copy beside the running daemon, checked before it is called one.

    Args:
        database: the daemon's database.
        target: a file that does not exist, in a directory that only root and this user can change.
        interruptible: entered with each connection, for as long as it is worked with.

    Raises:
        InvalidParams: the target cannot be written.
    """
    if not target.is_absolute():
        raise InvalidParams("path must be absolute", field="path")
    try:
        check_directory(target.parent)  # where others could exchange the file, they would get the copy
        copy_database(database, target, interruptible)
        sound = is_sound(target, interruptible)
    except FileExistsError as error:
        raise InvalidParams(
            f"{target} exists already, and a backup is a new file: name another", field="path"
        ) from error
    except (DirectoryError, sqlite3.Error, OSError, ValueError) as error:  # ValueError: a NUL in it
        missing = error.__cause__ if isinstance(error.__cause__, FileNotFoundError) else None
        why = f"there is no directory {missing.filename}" if missing else error
        raise InvalidParams(
            f"{target} cannot be written: {why}; guardd can write to {database.parent}", field="path"
        ) from error
    if not sound:
        target.unlink()
        raise InvalidParams(f"the copy at {target} was damaged; the disk may be failing", field="path")
    return results.DatabaseBackedUp(path=str(target), bytes=target.stat().st_size)


READS: Mapping[str, Callable[[Connection, Any], object]] = {
    "run.list": run_list,
    "run.get": run_get,
    "run.history": history,
    "event.list": event_list,
}
