"""Runs and calls of the asyncio client."""

from collections.abc import Mapping
from types import TracebackType
from typing import TYPE_CHECKING, Self

from guardd.client.calls import CallState, end_reason, end_status
from guardd.client.operations import UNSET, Scope
from guardd.client.verdict import CompactionGuard, RunStart, Verdict

if TYPE_CHECKING:
    from guardd.client.aio import AsyncGuardClient


class AsyncCall(CallState):
    """One tool call, in an ``async with`` statement, see `Call`."""

    def __init__(
        self,
        client: "AsyncGuardClient",
        scope: Scope,
        tool: str,
        args: object,
        call_id: str | None,
        *,
        raising: bool,
    ) -> None:
        super().__init__(client.source, scope, tool, args, call_id, raising=raising)
        self._client = client

    async def __aenter__(self) -> Self:
        self._admit(await self._client.perform(self._question()))
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        report = self._outcome(error)
        if report is not None:
            self._conclude(await self._client.perform(report), error)


class AsyncRun:
    """A client bound to one run, for an ``async with`` statement, see `Run`."""

    def __init__(
        self, client: "AsyncGuardClient", scope: Scope, *, metadata: Mapping[str, object] | None, fresh: bool
    ) -> None:
        self.scope = scope
        self.started: RunStart | None = None
        """What guardd answered to the start; None if it was not reported."""
        self._client = client
        self._metadata = metadata
        self._fresh = fresh

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if not isinstance(error, GeneratorExit):  # nothing may be awaited then
            await self.end(end_status(error), end_reason(error))

    async def start(self) -> RunStart:
        """Report the start, see `GuardClient.start_run`."""
        self.started = await self._client.start_run(self.scope, metadata=self._metadata, fresh=self._fresh)
        return self.started

    async def end(self, status: str = "completed", reason: str | None = None) -> bool:
        """Report the end, see `GuardClient.end_run`."""
        return await self._client.end_run(self.scope, status, reason)

    def call(
        self, tool: str, args: object = None, call_id: str | None = None, *, raising: bool = True
    ) -> AsyncCall:
        """Return one call, for an ``async with`` statement, see `Run.call`."""
        return AsyncCall(self._client, self.scope, tool, args, call_id, raising=raising)

    async def before_call(self, tool: str, args: object = None, call_id: str | None = None) -> Verdict:
        """Ask whether a call may be made, see `GuardClient.before_call`."""
        return await self._client.before_call(self.scope, tool, args, call_id)

    async def after_call(
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
        return await self._client.after_call(
            self.scope, tool, args, result=result, error=error, duration_ms=duration_ms, call_id=call_id
        )

    async def record_compaction(
        self,
        *,
        will_retry: bool = True,
        reason: str | None = None,
        tokens_before: int | None = None,
        tokens_after: int | None = None,
    ) -> CompactionGuard:
        """Report a compaction of the run's context, see `GuardClient.record_compaction`."""
        return await self._client.record_compaction(
            self.scope,
            will_retry=will_retry,
            reason=reason,
            tokens_before=tokens_before,
            tokens_after=tokens_after,
        )
