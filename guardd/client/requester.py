"""Requests over a blocking connection, whatever they ask for: the blocking client knows the gateway's methods too.

Kept apart because a program that only asks, such as `guardctl`, pays for every import.
"""

import os
import threading
import time
from collections.abc import Mapping
from types import TracebackType
from typing import Self

from guardd.client.blocking_link import Link
from guardd.client.blocking_watch import Watch
from guardd.client.encoding import encode_params
from guardd.client.exceptions import GuardUnavailable
from guardd.client.settings import DEFAULT_TIMEOUT, check_timeout, path_text
from guardd.protocol.framer import DEFAULT_LIMIT


class _Place:
    """What belongs to one process: a connection cannot be shared with a forked child, nor a lock's state."""

    def __init__(self, link: Link) -> None:
        self.link = link
        self.lock = threading.Lock()


class Requester:
    """Asks guardd. Connects when it is first used, and again after a break, see `GuardClient`.

    Args:
        socket_path: Where guardd listens, trusted whoever it belongs to; None for ``$GUARDD_SOCKET``, else
            the usual places.
        timeout: Seconds that a request may take, with connecting, repeating and waiting for other threads.
        frame_limit: The longest message that the daemon takes, in bytes.

    Raises:
        ValueError: the timeout is not above 0.
    """

    def __init__(
        self,
        socket_path: str | os.PathLike[str] | None = None,
        *,
        timeout: float = DEFAULT_TIMEOUT,
        frame_limit: int = DEFAULT_LIMIT,
    ) -> None:
        check_timeout(timeout)
        self.timeout = timeout
        self._socket_path = path_text(socket_path)
        self._frame_limit = frame_limit
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

    def _place(self) -> _Place:
        pid = os.getpid()
        place = self._places.get(pid)
        if place is None:
            place = self._places.setdefault(pid, _Place(Link(self._socket_path, self._frame_limit)))
            for other in [known for known in self._places if known != pid]:
                self._places.pop(other).link.close()  # closes the child's copy; the parent's stays open
        return place
