"""`run.history`: a run's calls in order, with the markers between them."""

from collections.abc import Sequence
from dataclasses import dataclass
from operator import ge, lt
from typing import Any

from sqlalchemy import Connection, RowMapping, Select, case, func, select

from guardd.fingerprint import Arguments
from guardd.fingerprint.tools import Tools
from guardd.store.reading.conditions import conditions
from guardd.store.reading.cursors import decode_cursor, encode_cursor, unknown_cursor
from guardd.store.reading.runs import describe_run
from guardd.store.schema import calls, detections, markers
from guardd.times import format_rfc3339
from guardd.vocabulary import Action, CallState

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
    """The page's calls; `repeat` counts back over the whole run, so that a page may begin in a streak."""
    is_repeat = func.lag(calls.c.signature).over(order_by=calls.c.seq) == calls.c.signature
    starts = (
        select(calls, case((is_repeat, 0), else_=calls.c.seq).label("start"))
        .where(calls.c.run_id == run_id)
        .cte("starts")
    )
    streaks = select(
        starts, (starts.c.seq - func.max(starts.c.start).over(order_by=starts.c.seq) + 1).label("repeat")
    ).cte("streaks")
    statement = select(
        streaks, detections.c.action, detections.c.detector, detections.c.count, detections.c.observed
    ).outerjoin(detections, detections.c.id == streaks.c.detection_id)
    if page.before_seq is not None:
        statement = statement.where(streaks.c.seq < page.before_seq)
    if page.after_seq is not None:
        statement = statement.where(streaks.c.seq > page.after_seq).order_by(streaks.c.seq)
    else:
        statement = statement.order_by(streaks.c.seq.desc())
    return statement.limit(page.limit + 1)


def _wire_calls(connection: Connection, run_id: int, rows: Sequence[RowMapping]) -> list[dict[str, object]]:
    if not rows:
        return []
    afterwards = _found_afterwards(connection, run_id, rows[0]["seq"], rows[-1]["seq"])
    return [_wire(row, afterwards.get(row["seq"], row)) for row in rows]


def _found_afterwards(connection: Connection, run_id: int, first: int, last: int) -> dict[int, RowMapping]:
    """Aborts that came with a call's outcome, by seq; the call itself was answered otherwise."""
    statement = select(detections).where(
        detections.c.run_id == run_id,
        detections.c.seq.between(first, last),
        detections.c.action == int(Action.ABORT),
    )
    return {row["seq"]: row for row in connection.execute(statement).mappings()}


def _wire(call: RowMapping, found: RowMapping) -> dict[str, object]:
    action = Action.ALLOW if found["action"] is None or found["observed"] else Action(found["action"])
    wire: dict[str, object] = {
        "seq": call["seq"],
        "toolName": call["tool"],
        "toolCallId": call["call_id"],
        "state": _STATES[CallState(call["state"])],
        "action": action.word,
        "detector": found["detector"],
        "count": found["count"],
        "repeat": call["repeat"],
        "preview": call["preview"],
        "at": format_rfc3339(call["at"]),
        "durationMs": call["duration_ms"],
        "signature": call["signature"].hex(),
        "outcome": None if call["outcome"] is None else call["outcome"].hex(),
        "missingTool": call["missing_tool"],
        "isPoll": _TOOLS.is_poll(call["tool"], Arguments.of_action(call["asked_action"])),
    }
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
