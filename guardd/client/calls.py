"""What a run and a call are, whichever client carries them out."""

import time

from guardd.client import operations
from guardd.client.exceptions import RunAborted, raise_if_stopped
from guardd.client.operations import UNSET, Operation, Unset
from guardd.client.policy import logger
from guardd.client.verdict import Verdict

MAX_TOLD = 100
"""Of how many tools it is logged that their result was not set; a model can make up names."""

_told_unset: set[str] = set()


class CallState:
    """One tool call: what guardd said to it, and what came of it.

    Args:
        source: The kind of gateway.
        scope: What the call belongs to.
        tool: The tool's name.
        args: Its arguments.
        call_id: The provider's id of the call.
        raising: Whether a block or an abort raises.
    """

    verdict: Verdict
    """What guardd said before the call; there from the start of the block."""

    def __init__(
        self,
        source: str,
        scope: operations.Scope,
        tool: str,
        args: object,
        call_id: str | None,
        *,
        raising: bool,
    ) -> None:
        self.tool = tool
        self.args = args
        self.result: object | Unset = UNSET
        """Set it to what the tool returned; None is a result, too."""
        self.error: object = None
        """Set it to the error's text where the tool failed without an exception."""
        self.after: Verdict | None = None
        """What guardd said to the outcome; None until it is reported."""
        self._source = source
        self._scope = scope
        self._call_id = call_id
        self._raising = raising
        self._began = 0.0

    def _question(self) -> Operation[Verdict]:
        return operations.before_call(self._source, self._scope, self.tool, self.args, self._call_id)

    def _admit(self, verdict: Verdict) -> None:
        self.verdict = verdict
        if self._raising:
            raise_if_stopped(verdict)
        self._began = time.perf_counter()

    def _outcome(self, exception: BaseException | None) -> Operation[Verdict] | None:
        """What to report at the end of the block; None where there is nothing."""
        if isinstance(exception, GeneratorExit):
            return None  # the block was dropped, not run to its end; nothing may be awaited now
        error = exception if exception is not None else self.error
        if error is None and self.result is UNSET:
            self._tell_unset()
            return None
        duration = (time.perf_counter() - self._began) * 1000
        return operations.after_call(
            self._source,
            self._scope,
            self.tool,
            self.args,
            self._call_id,
            result=self.result,
            error=error,
            duration_ms=duration,
        )

    def _conclude(self, verdict: Verdict, exception: BaseException | None) -> None:
        self.after = verdict
        if self._raising and exception is None:
            raise_if_stopped(verdict)

    def _tell_unset(self) -> None:
        if self.verdict.allowed and self.tool not in _told_unset and len(_told_unset) < MAX_TOLD:
            _told_unset.add(self.tool)
            logger().warning(
                "a call of %s ended without call.result or call.error: guardd cannot see whether such calls "
                "make progress, so it may warn of repeats but never blocks them",
                self.tool,
            )


def end_status(exception: BaseException | None) -> str:
    """Return how a run ended whose block was left so; an interrupt or a cancellation aborts it."""
    if exception is None:
        return "completed"
    if isinstance(exception, Exception) and not isinstance(exception, RunAborted):
        return "failed"
    return "aborted"


def end_reason(exception: BaseException | None) -> str | None:
    """Return the exception's type; its text may hold what is not for a database."""
    return None if exception is None else type(exception).__name__
