"""Runs and calls of the blocking client."""

from collections.abc import Mapping
from types import TracebackType
from typing import TYPE_CHECKING, Self

from guardd.client.calls import CallState, end_reason, end_status
from guardd.client.operations import UNSET, Scope
from guardd.client.verdict import CompactionGuard, RunStart, Verdict

if TYPE_CHECKING:
    from guardd.client.blocking import GuardClient


class Call(CallState):
    """One tool call, in a ``with`` statement: guardd is asked before the block and told the outcome after it.

    Set `result` (or `error`) in the block; an exception that leaves it is reported as the error, and goes on.
    A call that ends with neither reports no outcome: guardd then knows of the attempt, but cannot tell
    whether it made progress.

    Raises:
        CallBlocked: guardd blocks the call; the block is not entered.
        RunAborted: the run was stopped, before the call or by its outcome.
    """

    def __init__(
        self,
        client: "GuardClient",
        scope: Scope,
        tool: str,
        args: object,
        call_id: str | None,
        *,
        raising: bool,
    ) -> None:
        super().__init__(client.source, scope, tool, args, call_id, raising=raising)
        self._client = client

    def __enter__(self) -> Self:
        self._admit(self._client.perform(self._question()))
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        report = self._outcome(error)
        if report is not None:
            self._conclude(self._client.perform(report), error)


class Run:
    """A client bound to one run. In a ``with`` statement it reports the start, and how the block ended.

    An exception that leaves the block ends the run as ``failed``; `RunAborted`, an interrupt or a
    cancellation as ``aborted``.

    Args:
        client: Asks guardd.
        scope: The run.
        metadata: Kept with the run from its start.
        fresh: Whether what came before under this id no longer counts.
    """

    def __init__(
        self, client: "GuardClient", scope: Scope, *, metadata: Mapping[str, object] | None, fresh: bool
    ) -> None:
        self.scope = scope
        self.started: RunStart | None = None
        """What guardd answered to the start; None if it was not reported."""
        self._client = client
        self._metadata = metadata
        self._fresh = fresh

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.end(end_status(error), end_reason(error))

    def start(self) -> RunStart:
        """Report the start, see `GuardClient.start_run`."""
        self.started = self._client.start_run(self.scope, metadata=self._metadata, fresh=self._fresh)
        return self.started

    def end(self, status: str = "completed", reason: str | None = None) -> bool:
        """Report the end, see `GuardClient.end_run`."""
        return self._client.end_run(self.scope, status, reason)

    def call(
        self, tool: str, args: object = None, call_id: str | None = None, *, raising: bool = True
    ) -> Call:
        """Return one call, for a ``with`` statement.

        Args:
            tool: The tool's name, as the model gave it.
            args: Its arguments.
            call_id: The provider's id of the call.
            raising: Whether a block or an abort raises. If not, look at `Call.verdict` and do not make a call
                that is not allowed.
        """
        return Call(self._client, self.scope, tool, args, call_id, raising=raising)

    def before_call(self, tool: str, args: object = None, call_id: str | None = None) -> Verdict:
        """Ask whether a call may be made, see `GuardClient.before_call`."""
        return self._client.before_call(self.scope, tool, args, call_id)

    def after_call(
        self,
        tool: str,
        args: object = None,
        *,
        result: object = UNSET,
        error: object = None,
        duration_ms: float | None = None,
        call_id: str | None = None,
    ) -> Verdict:
        """Report how a call ended, see `GuardClient.after_call`."""
        return self._client.after_call(
            self.scope, tool, args, result=result, error=error, duration_ms=duration_ms, call_id=call_id
        )

    def record_compaction(
        self,
        *,
        will_retry: bool = True,
        reason: str | None = None,
        tokens_before: int | None = None,
        tokens_after: int | None = None,
    ) -> CompactionGuard:
        """Report a compaction of the run's context, see `GuardClient.record_compaction`."""
        return self._client.record_compaction(
            self.scope,
            will_retry=will_retry,
            reason=reason,
            tokens_before=tokens_before,
            tokens_after=tokens_after,
        )
