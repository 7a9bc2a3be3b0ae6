"""The gateway's methods as data: what to send, how to read the answer, and what it is when there is none.

Both clients carry these out; neither knows a method by itself. A wrong type is a mistake of the program
around the client, so it raises here, whether there is a daemon or not.
"""

import os
from collections.abc import Callable, Mapping
from enum import Enum
from typing import Final, Generic, NamedTuple, Self, TypeVar

from guardd.client.encoding import error_text
from guardd.client.exceptions import GuardUnavailable
from guardd.client.verdict import (
    CompactionGuard,
    RunStart,
    Verdict,
    read_compaction_guard,
    read_run_start,
    read_verdict,
)
from guardd.vocabulary import RunStatus

T = TypeVar("T")

END_STATUSES = tuple(status.value for status in RunStatus if status is not RunStatus.ACTIVE)


class Unset(Enum):
    """The type of `UNSET`."""

    UNSET = "unset"


UNSET: Final = Unset.UNSET
"""No result at all, where None is one."""


class _Names(NamedTuple):
    run_id: str | None
    session_key: str | None
    agent_id: str | None


class Scope(_Names):
    """What a call belongs to. Without a run id it is the session, without either the client's source.

    Args:
        run_id: The run: one agent turn, from a user message to its end.
        session_key: The conversation; without a run id its calls accumulate.
        agent_id: Which agent's thresholds apply.

    Raises:
        TypeError: one of them is neither a string nor None.
    """

    __slots__ = ()

    def __new__(
        cls, run_id: str | None = None, session_key: str | None = None, agent_id: str | None = None
    ) -> Self:
        """Check the names."""
        _check_text("run_id", run_id)
        _check_text("session_key", session_key)
        _check_text("agent_id", agent_id)
        return super().__new__(cls, run_id, session_key, agent_id)

    def params(self, source: str) -> dict[str, object]:
        """Return the scope parameters that every method takes."""
        return _given(source=source, runId=self.run_id, sessionKey=self.session_key, agentId=self.agent_id)


class Operation(Generic[T]):
    """One request to guardd, still to be sent.

    Args:
        method: The method's name.
        params: Its parameters.
        read: Reads the result; raises ValueError where it is not understood.
        degraded: Makes the answer that the caller gets when guardd could not be asked, from the reason.
        gate: Whether something must not happen without an answer; other operations only report.
    """

    def __init__(
        self,
        method: str,
        params: Mapping[str, object],
        read: Callable[[object], T],
        degraded: Callable[[str], T],
        *,
        gate: bool = False,
    ) -> None:
        self.method = method
        self.params = params
        self.read = read
        self.degraded = degraded
        self.gate = gate


def scope_of_run(run_id: str | None, session_key: str | None, agent_id: str | None) -> Scope:
    """Return a run's scope; a run that is named in no way gets a random id, lest it mix with others."""
    if not run_id and not session_key:
        run_id = os.urandom(16).hex()
    return Scope(run_id, session_key, agent_id)


def read(operation: Operation[T], answer: object) -> T:
    """Return an operation's answer as its typed value.

    Raises:
        GuardUnavailable: the daemon's answer means nothing to this client.
    """
    try:
        return operation.read(answer)
    except ValueError as error:
        raise GuardUnavailable(f"guardd's answer was not understood: {error}") from None


def before_call(
    source: str, scope: Scope, tool: str, args: object, call_id: str | None
) -> Operation[Verdict]:
    """Ask whether a call may be made.

    Raises:
        TypeError: the tool's name or the call's id is no string.
    """
    params = scope.params(source) | _call_params(tool, args, call_id)
    return Operation("tool.before", params, read_verdict, _allow, gate=True)


def after_call(
    source: str,
    scope: Scope,
    tool: str,
    args: object,
    call_id: str | None,
    *,
    result: object,
    error: object,
    duration_ms: float | None,
) -> Operation[Verdict]:
    """Report how a call ended. The error counts where there are both, so the result is not sent then.

    Raises:
        TypeError: the tool's name or the call's id is no string, or the duration is no number.
    """
    params = scope.params(source) | _call_params(tool, args, call_id)
    if error is not None:
        params["error"] = error_text(error)
    elif result is not UNSET:
        params["result"] = result
    if duration_ms is not None:
        params["durationMs"] = max(0, round(duration_ms))
    return Operation("tool.after", params, read_verdict, _allow)


def record_compaction(
    source: str,
    scope: Scope,
    *,
    will_retry: bool,
    reason: str | None,
    tokens_before: int | None,
    tokens_after: int | None,
) -> Operation[CompactionGuard]:
    """Report that the run's context was compacted.

    Raises:
        TypeError: the reason is no string.
    """
    _check_text("reason", reason)
    params = scope.params(source) | _given(
        willRetry=bool(will_retry), reason=reason, tokensBefore=tokens_before, tokensAfter=tokens_after
    )
    return Operation(
        "compaction.record",
        params,
        read_compaction_guard,
        lambda why: CompactionGuard(armed=False, remaining=0, degraded=why),
    )


def start_run(
    source: str, scope: Scope, *, metadata: Mapping[str, object] | None, fresh: bool
) -> Operation[RunStart]:
    """Report that a run starts; with `fresh`, that what came before under its id no longer counts."""
    params = scope.params(source) | _given(metadata=metadata, fresh=True if fresh else None)
    return Operation(
        "run.start",
        params,
        read_run_start,
        lambda why: RunStart(resumed=False, calls=0, status=RunStatus.ACTIVE.value, degraded=why),
    )


def end_run(source: str, scope: Scope, status: str, reason: str | None) -> Operation[bool]:
    """Report that a run ended; the answer is whether guardd took note.

    Raises:
        ValueError: the status is none of `END_STATUSES`.
        TypeError: the reason is no string.
    """
    if status not in END_STATUSES:
        raise ValueError(f"a run ends with one of {', '.join(END_STATUSES)}, not {status!r}")
    _check_text("reason", reason)
    params = scope.params(source) | _given(status=status, reason=reason)
    return Operation("run.end", params, lambda _: True, lambda _: False)


def _call_params(tool: str, args: object, call_id: str | None) -> dict[str, object]:
    if not isinstance(tool, str):
        raise TypeError(f"tool must be a string, not {type(tool).__name__}")
    _check_text("call_id", call_id)
    return {"toolName": tool, **_given(toolCallId=call_id, args=args)}


def _check_text(name: str, value: object) -> None:
    if value is not None and not isinstance(value, str):
        raise TypeError(f"{name} must be a string or None, not {type(value).__name__}")


def _given(**params: object) -> dict[str, object]:
    return {name: value for name, value in params.items() if value is not None}


def _allow(why: str) -> Verdict:
    return Verdict("allow", degraded=why)
