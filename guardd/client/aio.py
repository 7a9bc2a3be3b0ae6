"""The client for asyncio: the methods of `GuardClient`, awaited."""

import asyncio
import os
import time
from collections.abc import Mapping
from types import TracebackType
from typing import Self, TypeVar

from guardd.client import operations
from guardd.client.aio_link import AsyncLink
from guardd.client.aio_run import AsyncRun
from guardd.client.encoding import encode_params
from guardd.client.operations import UNSET, Operation, Scope
from guardd.client.policy import Policy
from guardd.client.settings import DEFAULT_TIMEOUT, check_timeout, path_text
from guardd.client.verdict import CompactionGuard, RunStart, Verdict
from guardd.protocol.framer import DEFAULT_LIMIT
from guardd.vocabulary import DEFAULT_SOURCE

T = TypeVar("T")


class AsyncGuardClient:
    """Asks guardd about tool calls and tells it what came of them, much as `GuardClient` does.

    Tasks of one event loop may use it at once: their requests share a connection, go out in the order in
    which they were made, and are answered in any. Used on another event loop (or in a forked process, which
    has one of its own), it opens another connection. Close it before its loop ends, best with ``async
    with``.

    Args:
        socket_path: As for `GuardClient`.
        source: As for `GuardClient`.
        timeout: Seconds that a request may take.
        fail_closed: Whether a call that guardd cannot be asked about must not be made.
        frame_limit: As for `GuardClient`.

    Raises:
        ValueError: the timeout is not above 0.
    """

    def __init__(
        self,
        socket_path: str | os.PathLike[str] | None = None,
        *,
        source: str = DEFAULT_SOURCE,
        timeout: float = DEFAULT_TIMEOUT,
        fail_closed: bool = False,
        frame_limit: int = DEFAULT_LIMIT,
    ) -> None:
        check_timeout(timeout)
        self.source = source
        self.timeout = timeout
        self._socket_path = path_text(socket_path)
        self._frame_limit = frame_limit
        self._policy = Policy(fail_closed=fail_closed)
        self._link: AsyncLink | None = None

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Close the connection; requests without an answer fail. A later request opens another one."""
        link, self._link = self._link, None
        if link and link.loop is asyncio.get_running_loop():
            await link.close()

    def run(
        self,
        run_id: str | None = None,
        *,
        session_key: str | None = None,
        agent_id: str | None = None,
        metadata: Mapping[str, object] | None = None,
        fresh: bool = False,
    ) -> AsyncRun:
        """Return a run, for an ``async with`` statement, see `GuardClient.run`."""
        scope = operations.scope_of_run(run_id, session_key, agent_id)
        return AsyncRun(self, scope, metadata=metadata, fresh=fresh)

    async def before_call(
        self, scope: Scope, tool: str, args: object = None, call_id: str | None = None
    ) -> Verdict:
        """Ask whether a call may be made, see `GuardClient.before_call`."""
        return await self.perform(operations.before_call(self.source, scope, tool, args, call_id))

    async def after_call(
        self,
        scope: Scope,
        tool: str,
        args: object = None,
        *,
        result: object = UNSET,
        error: object = None,
        duration_ms: float | None = None,
        call_id: str | None = None,
    ) -> Verdict:
        """Report how a call ended, see `GuardClient.after_call`."""
        return await self.perform(
            operations.after_call(
                self.source, scope, tool, args, call_id, result=result, error=error, duration_ms=duration_ms
            )
        )

    async def record_compaction(
        self,
        scope: Scope,
        *,
        will_retry: bool = True,
        reason: str | None = None,
        tokens_before: int | None = None,
        tokens_after: int | None = None,
    ) -> CompactionGuard:
        """Report that the run's context was compacted, see `GuardClient.record_compaction`."""
        return await self.perform(
            operations.record_compaction(
                self.source,
                scope,
                will_retry=will_retry,
                reason=reason,
                tokens_before=tokens_before,
                tokens_after=tokens_after,
            )
        )

    async def start_run(
        self, scope: Scope, *, metadata: Mapping[str, object] | None = None, fresh: bool = False
    ) -> RunStart:
        """Report that a run starts, see `GuardClient.start_run`."""
        return await self.perform(operations.start_run(self.source, scope, metadata=metadata, fresh=fresh))

    async def end_run(self, scope: Scope, status: str = "completed", reason: str | None = None) -> bool:
        """Report that a run ended, see `GuardClient.end_run`."""
        return await self.perform(operations.end_run(self.source, scope, status, reason))

    async def request(
        self,
        method: str,
        params: Mapping[str, object] | None = None,
        *,
        timeout: float | None = None,  # noqa: ASYNC109 - part of the deadline that the session decides by
    ) -> object:
        """Return the result of any method, see `GuardClient.request`."""
        deadline = time.monotonic() + (self.timeout if timeout is None else timeout)
        link = self._current_link()
        link.session.check(time.monotonic())  # before the trouble of encoding
        return await link.ask(method, encode_params(params or {}, self._frame_limit), deadline)

    async def perform(self, operation: Operation[T]) -> T:
        """Carry out an operation, or do without guardd, see `GuardClient.perform`."""
        try:
            answer = operations.read(operation, await self.request(operation.method, operation.params))
        except Exception as error:  # noqa: BLE001 - whatever it is, the guard must not break the agent
            return self._policy.settle(operation, error)
        self._policy.answered()
        return answer

    def _current_link(self) -> AsyncLink:
        if self._link is None or self._link.loop is not asyncio.get_running_loop():
            self._link = AsyncLink(self._socket_path, self._frame_limit)
        return self._link
