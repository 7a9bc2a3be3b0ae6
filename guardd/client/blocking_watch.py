"""Events as they happen."""

from types import TracebackType
from typing import Self

from guardd.client.blocking_link import Link


class Watch:
    """An endless iterator over notifications' parameters, on a connection of its own.

    Waits as long as it takes; raises `GuardUnavailable` when the connection ends. Close it, or use it in a
    ``with`` statement. Not for more than one thread.
    """

    def __init__(self, link: Link) -> None:
        self._link = link

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> object:
        return self._link.next_notification()

    def close(self) -> None:
        """Close the connection."""
        self._link.close()
