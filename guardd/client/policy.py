"""What becomes of a call when guardd gives no answer, and who is told.

Only asking before a call can stop something, so only that raises, and only with `fail_closed`. What reports
something that has happened never raises: the agent has its result and must not lose it to a guard.
"""

from typing import TYPE_CHECKING, TypeVar

from guardd.client.exceptions import GuardUnavailable
from guardd.client.operations import Operation
from guardd.protocol.errors import Denied, Overloaded, RpcError, ShuttingDown, StorageUnavailable

if TYPE_CHECKING:
    import logging

T = TypeVar("T")

_PASSING = (GuardUnavailable, Denied, Overloaded, ShuttingDown, StorageUnavailable)

MAX_MISTAKES = 100
"""How many different mistakes are logged; their texts may hold what a model made up."""


def logger() -> "logging.Logger":
    """Return the logger of both clients."""
    import logging  # noqa: PLC0415 - seldom needed, and a hook pays for every import

    return logging.getLogger("guardd.client")


class Policy:
    """Decides what a request without an answer counts as, and logs once when guardd goes and when it is back.

    Threads share it without a lock, which a forked child could find held for ever: what decides is one
    operation on a dict, and the number of missed requests is approximate.

    Args:
        fail_closed: Raise when asking before a call fails, instead of allowing the call.
    """

    def __init__(self, *, fail_closed: bool) -> None:
        self.fail_closed = fail_closed
        self._away: dict[str, object] = {}
        self._missed = 0
        self._told: set[str] = set()

    def answered(self) -> None:
        """Note that guardd has answered."""
        if self._away and self._away.pop("since", None):
            logger().warning("guardd answers again; it missed %d requests", self._missed)
            self._missed = 0

    def settle(self, operation: Operation[T], error: Exception) -> T:
        """Return what the caller gets instead of an answer.

        Raises:
            Exception: the error, for a request that is a gate, with `fail_closed`.
        """
        if isinstance(error, _PASSING):
            self._note_outage(error)
        else:
            self._note_mistake(operation.method, error)
        if self.fail_closed and operation.gate:
            raise error
        return operation.degraded(_reason(error))

    def _note_outage(self, error: Exception) -> None:
        self._missed += 1
        mine = object()
        if self._away.setdefault("since", mine) is mine:
            consequence = (
                "calls are refused until it answers" if self.fail_closed else "calls go on unguarded"
            )
            logger().warning("%s; %s", _reason(error), consequence)

    def _note_mistake(self, method: str, error: Exception) -> None:
        """Log what no waiting will mend: once for each text, since a loop would repeat it."""
        told = f"{method}: {_reason(error)}"
        if told in self._told or len(self._told) >= MAX_MISTAKES:
            return
        self._told.add(told)
        logger().error(
            "guardd did not take %s", told, exc_info=None if isinstance(error, RpcError) else error
        )


def _reason(error: Exception) -> str:
    return str(error) or type(error).__name__
