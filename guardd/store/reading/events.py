"""`event.list`: what was detected, newest first."""

from dataclasses import dataclass
from operator import eq, ge
from typing import Any

from sqlalchemy import Connection, RowMapping, Select, select

from guardd.detect.detection import Detection
from guardd.detect.messages import message
from guardd.store.reading.conditions import conditions
from guardd.store.reading.cursors import decode_cursor, encode_cursor
from guardd.store.rows import DetectionRow, Scope
from guardd.store.schema import detections, runs
from guardd.times import format_rfc3339
from guardd.vocabulary import Action


@dataclass(frozen=True, slots=True)
class EventFilter:
    """Which events to list or watch; None does not restrict.

    Attributes:
        run_id: the row's id of the run.
        detector: a `Detector`.
        level: a `Level`.
        since: at or after this time, in milliseconds since the epoch.
    """

    run_id: int | None = None
    detector: str | None = None
    level: str | None = None
    since: int | None = None


def list_events(
    connection: Connection, wanted: EventFilter, limit: int, cursor: str | None
) -> dict[str, object]:
    """One page of events, newest first.

    Raises:
        InvalidParams: the cursor is not one of this list.
    """
    statement = _filtered(wanted).order_by(detections.c.id.desc()).limit(limit + 1)
    if cursor is not None:
        statement = statement.where(detections.c.id < decode_cursor(cursor, int)[0])
    rows = connection.execute(statement).mappings().all()
    page: dict[str, object] = {"events": [_wire(row) for row in rows[:limit]]}
    if len(rows) > limit:
        page["nextCursor"] = encode_cursor(rows[limit - 1]["id"])
    return page


def events_between(
    connection: Connection, wanted: EventFilter, after: int, up_to: int, limit: int
) -> list[tuple[int, dict[str, object]]]:
    """Events that came after one detection and up to another, oldest first, each with its detection's id."""
    statement = (
        _filtered(wanted)
        .where(detections.c.id > after, detections.c.id <= up_to)
        .order_by(detections.c.id)
        .limit(limit)
    )
    return [(row["id"], _wire(row)) for row in connection.execute(statement).mappings()]


def _filtered(wanted: EventFilter) -> Select[Any]:
    return (
        select(detections, runs.c.source, runs.c.kind, runs.c.name, runs.c.agent_id)
        .join(runs, runs.c.id == detections.c.run_id)
        .where(
            *conditions(
                (
                    (detections.c.run_id, eq, wanted.run_id),
                    (detections.c.detector, eq, wanted.detector),
                    (detections.c.level, eq, wanted.level),
                    (detections.c.at, ge, wanted.since),
                )
            )
        )
    )


def _wire(row: RowMapping) -> dict[str, object]:
    return wire_event(
        Scope(row["source"], row["kind"], row["name"]),
        row["agent_id"],
        row["seq"],
        DetectionRow(*(row[name] for name in DetectionRow._fields)).detection,
        observed=bool(row["observed"]),
        at=row["at"],
    )


def wire_event(
    scope: Scope, agent_id: str | None, seq: int | None, detection: Detection, *, observed: bool, at: int
) -> dict[str, object]:
    """An event as it stands on the wire, the same when it is watched and when it is listed."""
    event: dict[str, object] = {
        "run": scope.run,
        "source": scope.source,
        "agentId": agent_id,
        "seq": seq,
        "action": (Action.ALLOW if observed else detection.action).word,
        "detector": detection.detector,
        "level": detection.level,
        "count": detection.count,
        "threshold": detection.threshold,
        "toolName": detection.tool,
        "pairedToolName": detection.paired_tool,
        "message": message(detection),
        "at": format_rfc3339(at),
    }
    if observed:
        event["wouldBe"] = detection.action.word
    return event
