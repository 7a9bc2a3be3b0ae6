"""The methods that change state: each turns its parameters into one operation of the guard.

They run inside a transaction of the writer. Parameters are validated before; what is raised here is raised
before anything has changed.
"""

import json
from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from guardd.daemon.answers import wire_guard, wire_verdict, wire_verdict_after
from guardd.fingerprint.redaction import mask_text, masked_value
from guardd.guard import Guard, Report, calls, compaction, lifecycle
from guardd.protocol import gateway_methods as wire
from guardd.protocol import operator_methods as operator
from guardd.protocol import operator_results as results
from guardd.protocol.errors import InvalidParams
from guardd.protocol.methods import raw_bytes
from guardd.store.names import stored_name
from guardd.store.rows import RunRow, Scope
from guardd.vocabulary import RunStatus, ScopeKind

LONGEST_REASON = 500
"""In characters: it is a word to people, of which a table shows a line."""
LONGEST_METADATA = 16 * 1024
"""In bytes of JSON: it is a note on a run, not a place to keep things."""
_LOOKED_AT = 4096
"""Characters of a reason that are looked at, at most."""
_CUT_TAIL = 128
"""What a cut may have halved: so much before it is left out."""

Resolve = Callable[[str], RunRow]
"""Finds the run that an operator named; raises `RunNotFound` or `RunAmbiguous`."""


def scope_of(params: wire.Scope) -> Scope:
    """The scope that a gateway's parameters name (detection.md, "Scope")."""
    source = stored_name(params.source)
    if params.run_id is not None:
        session = None if params.session_key is None else stored_name(params.session_key)
        return Scope(source, ScopeKind.RUN, stored_name(params.run_id), session)
    if params.session_key is not None:
        return Scope(source, ScopeKind.SESSION, stored_name(params.session_key))
    return Scope(source, ScopeKind.SOURCE, source)


def _reason(text: str | None) -> str | None:
    """What is said to people, its secrets masked, and cut where it is very long."""
    if text is None:
        return None
    masked = mask_text(text[:_LOOKED_AT])
    longest = LONGEST_REASON if len(text) <= _LOOKED_AT else min(LONGEST_REASON, len(masked) - _CUT_TAIL)
    return masked if len(masked) <= longest else f"{masked[: longest - 1]}…"


def _metadata(raw: bytes | None) -> str | None:
    """What is kept with a run, its secrets masked.

    Raises:
        InvalidParams: it is too large, or cannot be read.
    """
    if raw is None:
        return None
    if len(raw) > LONGEST_METADATA:
        raise InvalidParams(f"metadata must be at most {LONGEST_METADATA} bytes", field="metadata")
    try:
        return json.dumps(masked_value(json.loads(raw)), allow_nan=False)
    except (ValueError, RecursionError):  # ValueError: a number that is too long or too large
        raise InvalidParams("metadata must be plain JSON, not nested deeply", field="metadata") from None


def _agent_of(params: wire.Scope) -> str | None:
    return None if params.agent_id is None else stored_name(params.agent_id)


def _report_of(params: wire.ToolBefore) -> Report:
    return Report(
        scope_of(params),
        _agent_of(params),
        stored_name(params.tool_name),
        None if params.tool_call_id is None else stored_name(params.tool_call_id),
        raw_bytes(params.args),
        params.once,
    )


def tool_before(guard: Guard, params: wire.ToolBefore, now: int) -> wire.Verdict:
    """`tool.before`."""
    return wire_verdict(calls.before(guard, _report_of(params), now))


def tool_after(guard: Guard, params: wire.ToolAfter, now: int) -> wire.AfterVerdict:
    """`tool.after`."""
    verdict, state = calls.after(
        guard,
        _report_of(params),
        raw_bytes(params.result),
        raw_bytes(params.error),
        params.whole_duration_ms,
        now,
    )
    return wire_verdict_after(verdict, state)


def compaction_record(guard: Guard, params: wire.CompactionRecord, now: int) -> wire.GuardState:
    """`compaction.record`."""
    scope = scope_of(params)
    if params.newest_run and scope.kind == ScopeKind.SESSION:
        scope = guard.store.newest_run_of_session(scope.source, scope.name) or scope
    return wire_guard(
        compaction.record(
            guard,
            scope,
            _agent_of(params),
            now,
            will_retry=params.will_retry,
            reason=_reason(params.reason),
            tokens_before=params.tokens_before,
            tokens_after=params.tokens_after,
            once=params.once,
        )
    )


def run_start(guard: Guard, params: wire.RunStart, now: int) -> wire.RunStarted:
    """`run.start`."""
    started = lifecycle.start(
        guard,
        scope_of(params),
        _agent_of(params),
        now,
        metadata=_metadata(raw_bytes(params.metadata)),
        fresh=params.fresh,
    )
    return wire.RunStarted(resumed=started.resumed, calls=started.calls, status=RunStatus(started.status))


def run_end(guard: Guard, params: wire.RunEnd, now: int) -> wire.Nothing:
    """`run.end`."""
    reason = _reason(params.reason)
    lifecycle.end(guard, scope_of(params), RunStatus(params.status), reason, now)
    return wire.Nothing()


def run_reset(guard: Guard, params: operator.RunReset, now: int, resolve: Resolve) -> results.RunChanged:
    """`run.reset`."""
    run = resolve(params.run)
    lifecycle.reset(guard, run, None if params.reason is None else mask_text(params.reason), now)
    aborted = run.status == RunStatus.ABORTED
    return _changed(guard, run, RunStatus.ACTIVE if aborted else RunStatus(run.status))


def run_abort(guard: Guard, params: operator.RunAbort, now: int, resolve: Resolve) -> results.RunChanged:
    """`run.abort`."""
    run = resolve(params.run)
    lifecycle.abort(guard, run, mask_text(params.reason), now)
    return _changed(guard, run, RunStatus.ABORTED)


def _changed(guard: Guard, run: RunRow, status: RunStatus) -> results.RunChanged:
    return results.RunChanged(
        run=run.scope.run, source=run.source, status=status, mode=guard.config.settings.mode
    )


GATEWAY_CHANGES: Mapping[str, Callable[[Guard, Any, int], msgspec.Struct]] = {
    "tool.before": tool_before,
    "tool.after": tool_after,
    "compaction.record": compaction_record,
    "run.start": run_start,
    "run.end": run_end,
}
OPERATOR_CHANGES: Mapping[str, Callable[[Guard, Any, int, Resolve], msgspec.Struct]] = {
    "run.reset": run_reset,
    "run.abort": run_abort,
}
