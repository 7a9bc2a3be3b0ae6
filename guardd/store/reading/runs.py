"""`run.list` and `run.get`."""

from dataclasses import dataclass
from operator import eq, ge
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, Connection, Select, and_, func, or_, select, tuple_

from guardd.store.reading.conditions import conditions
from guardd.store.reading.cursors import decode_cursor, encode_cursor
from guardd.store.rows import Scope
from guardd.store.schema import calls, detections, markers, runs
from guardd.times import format_rfc3339
from guardd.vocabulary import Action, MarkerKind

_counts: ColumnElement[bool] = and_(
    detections.c.run_id == runs.c.id,
    or_(detections.c.seq > runs.c.reset_seq, detections.c.id == runs.c.abort_detection_id),
)
"""Whether a detection was made since the run's last reset."""


def _strongest(*, observed: bool) -> ColumnElement[int]:
    """The strongest action since the last reset, of those that were answered, or that only would have been."""
    return (
        select(func.coalesce(func.max(detections.c.action), int(Action.ALLOW)))
        .where(_counts, detections.c.observed == int(observed))
        .correlate(runs)
        .scalar_subquery()
    )


class _Listed(NamedTuple):
    """What is read of a run: a thousand of them are a page, and the fields of a named tuple are quickly got at."""

    id: int
    source: str
    kind: str
    name: str
    agent_id: str | None
    status: str
    started_at: int
    last_activity_at: int
    ended_at: int | None
    end_reason: str | None
    calls: int
    verdict: int
    would_be: int
    compactions: int


_columns = (
    *(runs.c[name] for name in _Listed._fields if name in runs.c),
    select(func.coalesce(func.max(calls.c.seq), 0))
    .where(calls.c.run_id == runs.c.id)
    .correlate(runs)
    .scalar_subquery()
    .label("calls"),
    _strongest(observed=False).label("verdict"),
    _strongest(observed=True).label("would_be"),
    select(func.count())
    .where(markers.c.run_id == runs.c.id, markers.c.kind == MarkerKind.COMPACTION.value)
    .correlate(runs)
    .scalar_subquery()
    .label("compactions"),
)


@dataclass(frozen=True, slots=True)
class RunFilter:
    """Which runs to list; None does not restrict.

    Attributes:
        status: a `RunStatus`.
        agent_id: the run's agent.
        source: the kind of gateway.
        since: active at or after this time, in milliseconds since the epoch.
        looping: something was detected since the last reset.
    """

    status: str | None = None
    agent_id: str | None = None
    source: str | None = None
    since: int | None = None
    looping: bool | None = None


def list_runs(connection: Connection, wanted: RunFilter, limit: int, cursor: str | None) -> dict[str, object]:
    """One page of runs, newest activity first.

    Raises:
        InvalidParams: the cursor is not one of this list.
    """
    statement = _filtered(select(*_columns), wanted)
    if cursor is not None:
        position = decode_cursor(cursor, int, int)
        statement = statement.where(tuple_(runs.c.last_activity_at, runs.c.id) < tuple_(*position))
    found = connection.execute(
        statement.order_by(runs.c.last_activity_at.desc(), runs.c.id.desc()).limit(limit + 1)
    )
    rows = [_Listed._make(row) for row in found]
    page: dict[str, object] = {"runs": [_wire(row) for row in rows[:limit]]}
    if len(rows) > limit:
        last = rows[limit - 1]
        page["nextCursor"] = encode_cursor(last.last_activity_at, last.id)
    return page


def describe_run(connection: Connection, run_id: int) -> dict[str, object]:
    """One run."""
    return _wire(_Listed._make(connection.execute(select(*_columns).where(runs.c.id == run_id)).one()))


def _filtered(statement: Select[Any], wanted: RunFilter) -> Select[Any]:
    statement = statement.where(
        *conditions(
            (
                (runs.c.status, eq, wanted.status),
                (runs.c.agent_id, eq, wanted.agent_id),
                (runs.c.source, eq, wanted.source),
                (runs.c.last_activity_at, ge, wanted.since),
            )
        )
    )
    if wanted.looping is None:
        return statement
    is_looping = select(detections.c.id).where(_counts).correlate(runs).exists()
    return statement.where(is_looping if wanted.looping else ~is_looping)


def _wire(row: _Listed) -> dict[str, object]:
    wire: dict[str, object] = {
        "run": Scope(row.source, row.kind, row.name).run,
        "source": row.source,
        "agentId": row.agent_id,
        "status": row.status,
        "calls": row.calls,
        "verdict": Action(row.verdict).word,
        "compactions": row.compactions,
        "startedAt": format_rfc3339(row.started_at),
        "lastActivityAt": format_rfc3339(row.last_activity_at),
        "endedAt": None if row.ended_at is None else format_rfc3339(row.ended_at),
        "endReason": row.end_reason,
    }
    if row.would_be > row.verdict:
        wire["wouldBe"] = Action(row.would_be).word
    return wire
