"""`run.history`: a run's calls in order, with the markers between them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from operator import ge, lt
from typing import Any

from sqlalchemy import Connection, RowMapping, Select, and_, func, select

from guardd.fingerprint import Arguments
from guardd.fingerprint.tools import Tools
from guardd.store.reading.conditions import conditions
from guardd.store.reading.cursors import decode_cursor, encode_cursor, unknown_cursor
from guardd.store.reading.runs import describe_run
from guardd.store.schema import calls, detections, markers
from guardd.times import format_rfc3339
from guardd.vocabulary import Action, CallEffect, CallState

_TOOLS = Tools()
"""The known ones; those that the configuration adds are known by their names, which stand beside."""

_STATES = {
    CallState.PENDING: "pending",
    CallState.OK: "ok",
    CallState.ERROR: "error",
    CallState.BLOCKED: "blocked",
    CallState.BLOCKED_REPORTED: "blocked",
}


@dataclass(frozen=True, slots=True)
class HistoryPage:
    """Which part of a history.

    Attributes:
        limit: at most so many calls.
        before_seq: only calls before this one.
        after_seq: only calls after this one; then the page holds the oldest of them, else the newest.
    """

    limit: int
    before_seq: int | None = None
    after_seq: int | None = None


def run_history(
    connection: Connection, run_id: int, page: HistoryPage, cursor: str | None
) -> dict[str, object]:
    """Calls in order of seq, and the markers among them; `nextCursor` leads on in the page's direction.

    Raises:
        InvalidParams: the cursor is not one of this list.
    """
    if cursor is not None:
        page = _at(page, cursor)
    forwards = page.after_seq is not None
    rows = connection.execute(_calls(run_id, page)).mappings().all()
    more = len(rows) > page.limit
    rows = rows[: page.limit]
    if not forwards:
        rows = rows[::-1]
    first, last = page.after_seq, page.before_seq
    if more:
        first, last = (first, rows[-1]["seq"] + 1) if forwards else (rows[0]["seq"] - 1, last)
    history: dict[str, object] = {
        "run": describe_run(connection, run_id)["run"],
        "calls": _wire_calls(connection, run_id, rows),
        "markers": _markers(connection, run_id, first, last),
    }
    if more:
        history["nextCursor"] = (
            encode_cursor("after", rows[-1]["seq"]) if forwards else encode_cursor("before", rows[0]["seq"])
        )
    return history


def _at(page: HistoryPage, cursor: str) -> HistoryPage:
    direction, seq = decode_cursor(cursor, str, int)
    if direction == "after":
        return HistoryPage(page.limit, page.before_seq, int(seq))
    if direction == "before":
        return HistoryPage(page.limit, int(seq), None)
    raise unknown_cursor()


def _calls(run_id: int, page: HistoryPage) -> Select[Any]:
    statement = (
        select(calls, detections.c.action, detections.c.detector, detections.c.count, detections.c.observed)
        .outerjoin(detections, detections.c.id == calls.c.detection_id)
        .where(calls.c.run_id == run_id)
    )
    if page.before_seq is not None:
        statement = statement.where(calls.c.seq < page.before_seq)
    if page.after_seq is not None:
        statement = statement.where(calls.c.seq > page.after_seq).order_by(calls.c.seq)
    else:
        statement = statement.order_by(calls.c.seq.desc())
    return statement.limit(page.limit + 1)


def _wire_calls(connection: Connection, run_id: int, rows: Sequence[RowMapping]) -> list[dict[str, object]]:
    if not rows:
        return []
    afterwards = _found_afterwards(connection, run_id, rows[0]["seq"], rows[-1]["seq"])
    repeats = _repeats(rows, _streak_before(connection, run_id, rows[0]))
    return [
        _wire(row, afterwards.get(row["seq"], row), repeat) for row, repeat in zip(rows, repeats, strict=True)
    ]


def _repeats(rows: Sequence[RowMapping], before: int) -> Iterator[int]:
    """How many calls in a row, up to each, have its signature; the first of them goes on with so many before it."""
    repeat, signature = before, rows[0]["signature"]
    for row in rows:
        repeat = repeat + 1 if row["signature"] == signature else 1
        signature = row["signature"]
        yield repeat


def _streak_before(connection: Connection, run_id: int, call: RowMapping) -> int:
    """How many stored calls right before one have its signature; reads those, and not the run."""
    earlier = and_(calls.c.run_id == run_id, calls.c.seq < call["seq"])
    other = (
        select(calls.c.seq)
        .where(earlier, calls.c.signature != call["signature"])
        .order_by(calls.c.seq.desc())
        .limit(1)
        .scalar_subquery()
    )
    streak = select(func.count()).where(earlier, calls.c.seq > func.coalesce(other, 0))
    return int(connection.execute(streak).scalar_one())


def _found_afterwards(connection: Connection, run_id: int, first: int, last: int) -> dict[int, RowMapping]:
    """Aborts that came with a call's outcome, by seq; the call itself was answered otherwise."""
    statement = select(detections).where(
        detections.c.run_id == run_id,
        detections.c.seq.between(first, last),
        detections.c.action == int(Action.ABORT),
    )
    return {row["seq"]: row for row in connection.execute(statement).mappings()}


def _wire(call: RowMapping, found: RowMapping, repeat: int) -> dict[str, object]:
    action = Action.ALLOW if found["action"] is None or found["observed"] else Action(found["action"])
    wire: dict[str, object] = {
        "seq": call["seq"],
        "toolName": call["tool"],
        "toolCallId": call["call_id"],
        "state": _STATES[CallState(call["state"])],
        "action": action.word,
        "detector": found["detector"],
        "count": found["count"],
        "repeat": repeat,
        "preview": call["preview"],
        "at": format_rfc3339(call["at"]),
        "durationMs": call["duration_ms"],
        "signature": call["signature"].hex(),
        "outcome": None if call["outcome"] is None else call["outcome"].hex(),
        "missingTool": call["missing_tool"],
        "isPoll": _TOOLS.is_poll(call["tool"], Arguments.of_action(call["asked_action"])),
    }
    if call["masked"] is not None:
        wire["maskedOutcome"] = call["masked"].hex()
    if call["effect"] == CallEffect.CHANGES:
        wire["changes"] = True
    if call["failure"] is not None:
        wire["failure"] = call["failure"].hex()
    if call["effect"] == CallEffect.UNCHANGED:
        wire["unchanged"] = True
    if call["beside"] is not None:
        wire["beside"] = call["beside"]
    if found["observed"]:
        wire["wouldBe"] = Action(found["action"]).word
    return wire


def _markers(
    connection: Connection, run_id: int, after_seq: int | None, before_seq: int | None
) -> list[dict[str, object]]:
    """Markers among the calls between those two; one that stands between two pages is on the later one."""
    statement = select(markers).where(
        markers.c.run_id == run_id,
        *conditions(
            (
                (markers.c.after_seq, ge, after_seq),
                (markers.c.after_seq + 1, lt, before_seq),
            )
        ),
    )
    return [
        {
            "kind": row.kind,
            "afterSeq": row.after_seq,
            "armed": row.window_size is not None,
            "windowSize": row.window_size,
            "reason": row.reason,
            "at": format_rfc3339(row.at),
        }
        for row in connection.execute(statement.order_by(markers.c.after_seq, markers.c.id))
    ]
