"""The blocking client."""

import os
import threading
import time
from collections.abc import Mapping
from types import TracebackType
from typing import Self, TypeVar

from guardd.client import operations
from guardd.client.blocking_link import Link
from guardd.client.blocking_run import Run
from guardd.client.blocking_watch import Watch
from guardd.client.encoding import encode_params
from guardd.client.exceptions import GuardUnavailable
from guardd.client.operations import UNSET, Operation, Scope
from guardd.client.policy import Policy
from guardd.client.settings import DEFAULT_TIMEOUT, check_timeout, path_text
from guardd.client.verdict import CompactionGuard, RunStart, Verdict
from guardd.protocol.framer import DEFAULT_LIMIT

T = TypeVar("T")


class _Place:
    """What belongs to one process: a connection cannot be shared with a forked child, nor a lock's state."""

    def __init__(self, link: Link) -> None:
        self.link = link
        self.lock = threading.Lock()


class GuardClient:
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
        source: str = "default",
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
        self._places: dict[int, _Place] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the connection. A later request opens another one."""
        place = self._place()
        with place.lock:
            place.link.close()

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

    def request(
        self, method: str, params: Mapping[str, object] | None = None, *, timeout: float | None = None
    ) -> object:
        """Return the result of any method, decoded; never pretends that there was one.

        Args:
            method: The method's name.
            params: Its parameters. A ``requestId`` is added, so that a repetition counts once.
            timeout: Seconds, instead of the client's own.

        Raises:
            RpcError: the daemon answered with an error.
            GuardUnavailable: there was no answer. State may have changed if it was lost on the way.
        """
        seconds = self.timeout if timeout is None else timeout
        deadline = time.monotonic() + seconds
        place = self._place()
        place.link.session.check(time.monotonic())  # before the trouble of encoding
        text = encode_params(params or {}, self._frame_limit)
        if not place.lock.acquire(timeout=seconds):
            raise GuardUnavailable("guardd did not answer another thread's request in time")
        try:
            return place.link.ask(method, text, deadline)
        finally:
            place.lock.release()

    def watch(self, method: str = "event.watch", params: Mapping[str, object] | None = None) -> Watch:
        """Subscribe on a connection of its own, and return what the daemon then sends.

        Args:
            method: What to subscribe with.
            params: Its parameters, such as filters.

        Raises:
            RpcError: the daemon refused.
            GuardUnavailable: there was no answer.
        """
        link = Link(self._socket_path, self._frame_limit)
        try:
            link.ask(method, encode_params(params or {}, self._frame_limit), time.monotonic() + self.timeout)
        except BaseException:
            link.close()
            raise
        return Watch(link)

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

    def _place(self) -> _Place:
        pid = os.getpid()
        place = self._places.get(pid)
        if place is None:
            place = self._places.setdefault(pid, _Place(Link(self._socket_path, self._frame_limit)))
            for other in [known for known in self._places if known != pid]:
                self._places.pop(other).link.close()  # closes the child's copy; the parent's stays open
        return place
