"""The blocking client."""

import os
from collections.abc import Mapping
from typing import TypeVar

from guardd.client import operations
from guardd.client.blocking_run import Run
from guardd.client.operations import UNSET, Operation, Scope
from guardd.client.policy import Policy
from guardd.client.requester import Requester
from guardd.client.settings import DEFAULT_TIMEOUT
from guardd.client.verdict import CompactionGuard, RunStart, Verdict
from guardd.protocol.framer import DEFAULT_LIMIT
from guardd.vocabulary import DEFAULT_SOURCE

T = TypeVar("T")


class GuardClient(Requester):
    """Asks guardd about tool calls and tells it what came of them.

    Connects when it is first used, and again after a break: a request that had no answer yet is repeated,
    and counted once. For a second after a break requests wait, so that a restart of guardd goes unnoticed.

    When guardd cannot be asked, calls are allowed (`Verdict.degraded` says why), and while it is down that
    costs nothing: attempts to connect become rare, and in between there is an answer at once. With
    `fail_closed`, `before_call` raises instead; reports (everything else but `request`) never do. One log
    line of ``guardd.client`` says that guardd is away, another that it is back.

    May be shared by threads, whose requests take turns, and used on after a fork. Closing it only closes the
    connection.

    Args:
        socket_path: Where guardd listens, trusted whoever it belongs to; None for ``$GUARDD_SOCKET``, else
            the usual places.
        source: The kind of gateway. Runs of two kinds never mix, even with the same id.
        timeout: Seconds that a request may take, with connecting, repeating and waiting for other threads.
        fail_closed: Whether a call that guardd cannot be asked about must not be made.
        frame_limit: The longest message that the daemon takes, in bytes (its ``limits.frameMB``). Arguments
            and results that do not fit are sent as a digest, so that their repeats still count.

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
        super().__init__(socket_path, timeout=timeout, frame_limit=frame_limit)
        self.source = source
        self._policy = Policy(fail_closed=fail_closed)

    def run(
        self,
        run_id: str | None = None,
        *,
        session_key: str | None = None,
        agent_id: str | None = None,
        metadata: Mapping[str, object] | None = None,
        fresh: bool = False,
    ) -> Run:
        """Return a run, to be used in a ``with`` statement, which reports its start and its end.

        Args:
            run_id: The turn's id. With neither this nor a session key, a random one is made.
            session_key: The conversation that it belongs to. Alone, it is the scope: its calls accumulate.
            agent_id: Which agent's thresholds apply.
            metadata: What is to be kept with the run.
            fresh: Whether what came before under this id no longer counts.

        Raises:
            TypeError: an id is no string.
        """
        scope = operations.scope_of_run(run_id, session_key, agent_id)
        return Run(self, scope, metadata=metadata, fresh=fresh)

    def before_call(
        self, scope: Scope, tool: str, args: object = None, call_id: str | None = None
    ) -> Verdict:
        """Ask whether a call may be made. Does not raise for a block or an abort: look at the verdict.

        Args:
            scope: What the call belongs to.
            tool: The tool's name, as the model gave it.
            args: Its arguments; what JSON cannot hold is sent as text.
            call_id: The provider's id of the call.

        Raises:
            GuardUnavailable: with `fail_closed`: there was no answer.
            RpcError: with `fail_closed`: the daemon answered with an error.
            TypeError: a name or an id is no string.
        """
        return self.perform(operations.before_call(self.source, scope, tool, args, call_id))

    def after_call(
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
        """Report how a call ended: with a result (None is one), or an error, which counts if both are given.

        Args:
            scope: What the call belongs to.
            tool: The tool's name.
            args: The arguments that the call was asked about with.
            result: What the tool returned.
            error: The error's text, or the exception.
            duration_ms: How long it took, in milliseconds.
            call_id: The provider's id of the call.

        Raises:
            TypeError: a name or an id is no string.
        """
        return self.perform(
            operations.after_call(
                self.source, scope, tool, args, call_id, result=result, error=error, duration_ms=duration_ms
            )
        )

    def record_compaction(
        self,
        scope: Scope,
        *,
        will_retry: bool = True,
        reason: str | None = None,
        tokens_before: int | None = None,
        tokens_after: int | None = None,
    ) -> CompactionGuard:
        """Report that the run's context was compacted; with `will_retry` that arms the post-compaction guard.

        Raises:
            TypeError: the reason is no string.
        """
        return self.perform(
            operations.record_compaction(
                self.source,
                scope,
                will_retry=will_retry,
                reason=reason,
                tokens_before=tokens_before,
                tokens_after=tokens_after,
            )
        )

    def start_run(
        self, scope: Scope, *, metadata: Mapping[str, object] | None = None, fresh: bool = False
    ) -> RunStart:
        """Report that a run starts. Optional: it also begins with its first call.

        Args:
            scope: The run.
            metadata: What is to be kept with it.
            fresh: Whether what came before under this id no longer counts.
        """
        return self.perform(operations.start_run(self.source, scope, metadata=metadata, fresh=fresh))

    def end_run(self, scope: Scope, status: str = "completed", reason: str | None = None) -> bool:
        """Report that a run ended ``completed``, ``failed`` or ``aborted``; return whether guardd took note.

        Raises:
            ValueError: the status is another one.
            TypeError: the reason is no string.
        """
        return self.perform(operations.end_run(self.source, scope, status, reason))

    def perform(self, operation: Operation[T]) -> T:
        """Carry out an operation, or do without guardd as the client was told to.

        Raises:
            Exception: with `fail_closed`, what kept a gate's answer away.
        """
        try:
            answer = operations.read(operation, self.request(operation.method, operation.params))
        except Exception as error:  # noqa: BLE001 - whatever it is, the guard must not break the agent
            return self._policy.settle(operation, error)
        self._policy.answered()
        return answer
