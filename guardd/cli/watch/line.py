"""A connection to the daemon that never waits, on the clients' own session."""

from collections.abc import Mapping
from typing import Any

from guardd.cli.watch.model import Object
from guardd.client.connecting import CHUNK, open_socket
from guardd.client.encoding import encode_params
from guardd.client.exceptions import GuardUnavailable
from guardd.client.session import Exchange, Fault, Session
from guardd.protocol.framer import DEFAULT_LIMIT

MOST_AT_ONCE = 64
"""Chunks that are read before others have their turn."""

_NEVER = float("inf")


class Gone(Exception):  # noqa: N818 - the connection, not an error of the program's
    """A connection cannot be used any more; the text says why, and is empty where it merely ended."""


class Line:
    """One connection.

    Args:
        socket_path: The daemon's socket; None for the usual places.

    Raises:
        Gone: Nobody is there.
    """

    def __init__(self, socket_path: str | None) -> None:
        try:
            self.socket = open_socket(socket_path)
        except (GuardUnavailable, BlockingIOError):
            raise Gone from None
        self._session = Session(DEFAULT_LIMIT)
        self._session.connected(0.0)

    def ask(self, method: str, params: Mapping[str, object], now: float) -> Exchange:
        """Send a request; the exchange is done when `receive` has found its answer.

        Raises:
            Gone: The connection has ended, or nothing that is sent is taken.
        """
        exchange = self._session.begin(method, encode_params(params, DEFAULT_LIMIT), _NEVER)
        try:
            self.socket.sendall(self._session.outgoing(exchange, now))
        except OSError:
            raise Gone from None
        return exchange

    def receive(self, now: float) -> list[Object]:
        """Take what has come: answers, which their exchanges get, and events, which are returned.

        Raises:
            Gone: The connection has ended. What came before the end is dropped, and the daemon asked for it again.
        """
        events: list[Object] = []
        for _ in range(MOST_AT_ONCE):
            try:
                data = self.socket.recv(CHUNK)
                self._session.received(data, now)
            except BlockingIOError:
                break
            except OSError:
                raise Gone from None
            except Fault as fault:
                raise Gone("" if fault.passing else fault.reason) from None
            if not data:
                raise Gone
            events += self._notified()
        return events

    def close(self) -> None:
        """Close it."""
        self.socket.close()

    def _notified(self) -> list[Any]:
        notifications = self._session.notifications
        events = [params for _, params in notifications if isinstance(params, dict)]
        notifications.clear()
        return events
