"""The named statements on the path of a verdict; each says what it is for."""

from sqlalchemy import (
    ColumnElement,
    Integer,
    Select,
    bindparam,
    case,
    delete,
    func,
    insert,
    literal_column,
    null,
    or_,
    select,
    update,
)
from sqlalchemy.dialects.sqlite import insert as upsert

from guardd.detect.glance import glance_statement
from guardd.detect.progress import newest_change_statement
from guardd.detect.statement import across_statement, figures_statement, further_statement
from guardd.detect.window import compared
from guardd.store.compiling import compiled, compiled_by_place, compiled_insert
from guardd.store.rows import DetectionRow, NewCall
from guardd.store.schema import OPEN, calls, detections, markers, notices, requests, runs
from guardd.vocabulary import CallState, MarkerKind, RunStatus

_run = bindparam("run", type_=Integer)
_is_scope: tuple[ColumnElement[bool], ...] = (
    runs.c.source == bindparam("in_source"),
    runs.c.kind == bindparam("in_kind"),
    runs.c.name == bindparam("in_name"),
)
_newest_seq = (
    select(func.coalesce(func.max(calls.c.seq), 0))
    .where(calls.c.run_id == runs.c.id)
    .correlate(runs)
    .scalar_subquery()
    .label("newest_seq")
)
_scope_columns = (runs.c.source, runs.c.kind, runs.c.name)
_state_columns = (
    runs.c.id,
    runs.c.agent_id,
    runs.c.status,
    runs.c.reset_seq,
    runs.c.abort_detection_id,
    runs.c.armed_marker_id,
    runs.c.daemon_start_id,
    _newest_seq,
)
_run_columns = (*_scope_columns, *_state_columns)


_open_call_columns = (
    calls.c.seq,
    calls.c.state,
    calls.c.signature,
    calls.c.detection_id,
    calls.c.asked_action,
    calls.c.effect,
)


_has_call_id = calls.c.call_id == bindparam("in_call_id")
_has_signature = calls.c.signature == bindparam("signature")


def _find_open_call(*conditions: ColumnElement[bool]) -> Select[tuple[object, ...]]:
    return (
        select(*_open_call_columns)
        # Without statistics SQLite would walk the whole run instead.
        .with_hint(calls, "INDEXED BY ix_calls_open", "sqlite")
        .where(calls.c.run_id == _run, OPEN, calls.c.tool == bindparam("tool"), *conditions)
        .order_by(calls.c.seq.desc())
        .limit(1)
    )


GLANCE = compiled_by_place(glance_statement(), ("run", "low", "newest", "signature", "newest", "tool"))
"""Whether there is anything to count: see `guardd.detect.glance`."""

FIGURES = compiled(figures_statement())
"""What all rolling detectors count, for the call in question: see `guardd.detect`."""

FIND_RUN = compiled_by_place(select(*_state_columns).where(*_is_scope), ("in_source", "in_kind", "in_name"))
"""How a run stands, without the scope that it was found by."""

FURTHER = compiled(further_statement())
"""What the rules beyond the documented ones count."""

ACROSS = compiled(across_statement())
"""What the rules of OpenClaw 2026.9 count across calls with different arguments."""

NEWEST_CHANGE = compiled(newest_change_statement())
"""The newest call of the window that has changed something, and is not the one in question."""

NEWEST_UNDER_WAY = compiled(
    select(func.coalesce(calls.c.beside, calls.c.seq)).where(
        calls.c.run_id == _run, calls.c.seq == bindparam("in_seq"), calls.c.state == CallState.PENDING.value
    )
)
"""Of a call that is still under way, the first of those that it runs beside, or itself."""

SET_FURTHER = compiled(
    update(calls)
    .where(calls.c.run_id == _run, calls.c.seq == bindparam("in_seq"))
    .values(
        {
            name: func.coalesce(bindparam(f"new_{name}"), calls.c[name])
            for name in ("masked", "effect", "beside", "failure")
        }
    )
)
"""Keep what the rules beyond the documented ones look at."""

TOUCH_RUN = compiled_by_place(
    update(runs).where(runs.c.id == _run).values(last_activity_at=bindparam("now")), ("now", "run")
)
"""Mark activity in a run."""

SET_AGENT = compiled(update(runs).where(runs.c.id == _run).values(agent_id=bindparam("agent")))
"""Learn whose run it is."""

REVIVE_RUN = compiled(
    update(runs)
    .where(runs.c.id == _run)
    .values(status=RunStatus.ACTIVE.value, ended_at=null(), end_reason=null())
)
"""A run that had ended goes on."""

FIND_RUN_BY_ID = compiled(select(*_run_columns).where(runs.c.id == _run))
"""The same for a run that an operator named."""

NEWEST_RUN_OF_SESSION = compiled(
    select(runs.c.source, runs.c.kind, runs.c.name)
    .where(runs.c.source == bindparam("in_source"), runs.c.session_key == bindparam("in_session"))
    .order_by(runs.c.last_activity_at.desc(), runs.c.id.desc())
    .limit(1)
)
"""The run of a session that was heard of last."""

INSERT_RUN = compiled(
    insert(runs).returning(*_run_columns[:-1], literal_column("0").label("newest_seq")),
    [
        "source",
        "kind",
        "name",
        "agent_id",
        "status",
        "started_at",
        "last_activity_at",
        "reset_seq",
        "daemon_start_id",
        "session_key",
    ],
)
"""Begin a run."""

INSERT_CALL = compiled_insert(insert(calls), NewCall._fields)
"""Record a call, or a blocked attempt; a `NewCall` is what it binds."""

FIND_OPEN_CALL = compiled_by_place(_find_open_call(_has_signature), ("run", "tool", "signature"))
"""The newest call with these arguments that has no outcome yet."""

FIND_OPEN_CALL_BY_ID = compiled_by_place(
    _find_open_call(_has_signature, _has_call_id), ("run", "tool", "signature", "in_call_id")
)
"""The same among the calls with that call id, which is not unique."""

FIND_OTHER_OPEN_CALL = compiled_by_place(_find_open_call(), ("run", "tool"))
"""The newest call of a tool that has no outcome yet, whatever its arguments."""

FIND_OTHER_OPEN_CALL_BY_ID = compiled_by_place(_find_open_call(_has_call_id), ("run", "tool", "in_call_id"))
"""The same among the calls with that call id."""

FIND_REPORTED_CALL = compiled(
    select(*_open_call_columns)
    .where(
        calls.c.run_id == _run,
        calls.c.seq > bindparam("low"),
        calls.c.tool == bindparam("tool"),
        calls.c.call_id == bindparam("in_call_id"),
        or_(
            calls.c.state == CallState.BLOCKED_REPORTED.value,
            calls.c.outcome == bindparam("in_outcome"),
        ),
    )
    .order_by(calls.c.seq.desc())
    .limit(1)
)
"""Among the newest calls, that with that call id which was reported with that very outcome."""

ATTACH_OUTCOME = compiled_by_place(
    update(calls)
    .where(calls.c.run_id == _run, calls.c.seq == bindparam("in_seq"))
    .values(
        missing_tool=func.coalesce(bindparam("new_missing_tool"), calls.c.missing_tool),
        **{name: bindparam(f"new_{name}") for name in ("state", "outcome", "guard_marker_id", "duration_ms")},
    ),
    (
        *("new_state", "new_outcome", "new_missing_tool", "new_guard_marker_id", "new_duration_ms"),
        *("run", "in_seq"),
    ),
)
"""Give a call its outcome."""

COUNT_GUARDED = compiled(
    select(
        func.count().label("used"),
        func.count()
        .filter(calls.c.signature == bindparam("signature"), compared == bindparam("outcome"))
        .label("seen"),
    ).where(calls.c.guard_marker_id == bindparam("marker"))
)
"""Of the outcomes since the guard was armed: how many there were, and how often this very triple was."""

ARMED_WINDOW = compiled(select(markers.c.window_size).where(markers.c.id == bindparam("marker")))
"""The window that an armed guard was given."""

INSERT_MARKER = compiled(
    insert(markers).returning(markers.c.id),
    ["run_id", "kind", "after_seq", "window_size", "reason", "tokens_before", "tokens_after", "at"],
)
"""Record a compaction, reset or restart between two calls."""

NEWEST_MARKER = compiled(
    select(markers.c.kind, markers.c.after_seq)
    .where(
        markers.c.run_id == _run,
        or_(markers.c.kind == MarkerKind.COMPACTION.value, markers.c.kind == MarkerKind.RESET.value),
    )
    .order_by(markers.c.id.desc())
    .limit(1)
)
"""The newest compaction or reset of a run, and after which call it was."""

INSERT_DETECTION = compiled(
    insert(detections).returning(detections.c.id),
    [
        "run_id", "seq", "action", "detector", "level", "count", "threshold", "tool", "paired_tool", "notify",
        "warning_key", "observed", "reason", "at",
    ],
)  # fmt: skip
"""Record what a detector found."""

DETECTION = compiled(
    select(*(detections.c[name] for name in (*DetectionRow._fields, "notify", "observed"))).where(
        detections.c.id == bindparam("detection")
    )
)
"""A detection whole, to answer with it again."""

NEWEST_DETECTION = compiled(select(func.coalesce(func.max(detections.c.id), 0)))
"""The newest detection's id."""

NOTICE = compiled(
    select(notices.c.count).where(notices.c.run_id == _run, notices.c.warning_key == bindparam("in_key"))
)
"""The count at which a warning was last shown."""

_new_notice = upsert(notices)
SET_NOTICE = compiled(
    _new_notice.on_conflict_do_update(
        index_elements=["run_id", "warning_key"], set_={"count": _new_notice.excluded["count"]}
    ),
    ["run_id", "warning_key", "count"],
)
"""Remember the count at which a warning was shown."""

FORGET_NOTICES = compiled(delete(notices).where(notices.c.run_id == _run))
"""Forget what a run was warned of."""

SET_ABORTED = compiled(
    update(runs)
    .where(runs.c.id == _run)
    .values(
        abort_detection_id=bindparam("detection"),
        status=RunStatus.ABORTED.value,
        ended_at=bindparam("now"),
        end_reason=bindparam("reason"),
    )
)
"""Make an abort sticky."""

SET_ARMED = compiled(update(runs).where(runs.c.id == _run).values(armed_marker_id=bindparam("marker")))
"""Arm the post-compaction guard, or disarm it with null."""

SET_DAEMON_START = compiled(
    update(runs).where(runs.c.id == _run).values(daemon_start_id=bindparam("daemon_start"))
)
"""Remember which start of the daemon served the run last."""

SET_METADATA = compiled(update(runs).where(runs.c.id == _run).values(metadata=bindparam("json")))
"""Keep what a gateway tells of a run."""

_was_aborted = runs.c.status == RunStatus.ABORTED.value

RESET_RUN = compiled(
    update(runs)
    .where(runs.c.id == _run)
    .values(
        reset_seq=bindparam("seq"),
        abort_detection_id=null(),
        armed_marker_id=null(),
        status=case((_was_aborted, RunStatus.ACTIVE.value), else_=runs.c.status),
        ended_at=case((_was_aborted, null()), else_=runs.c.ended_at),
        end_reason=case((_was_aborted, null()), else_=runs.c.end_reason),
    )
)
"""Make what came before no longer count; an aborted run goes on, another one stays as it ended."""

END_RUN = compiled(
    update(runs)
    .where(runs.c.id == _run)
    .values(
        status=case((runs.c.abort_detection_id.is_(None), bindparam("new_status")), else_=runs.c.status),
        ended_at=bindparam("now"),
        end_reason=bindparam("reason"),
        last_activity_at=bindparam("now"),
    )
)
"""Mark a run as ended; guardd's own abort stays."""

FIND_REQUEST = compiled(
    select(requests.c.params_digest, requests.c.reply).where(
        requests.c.source == bindparam("in_source"),
        requests.c.method == bindparam("in_method"),
        requests.c.request_id == bindparam("in_request_id"),
    )
)
"""The reply that a request already got."""

INSERT_REQUEST = compiled(
    insert(requests), ["source", "method", "request_id", "params_digest", "reply", "at"]
)
"""Remember the reply to a request."""
