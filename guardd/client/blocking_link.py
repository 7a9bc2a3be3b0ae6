"""The I/O of the blocking client: a session on a socket."""

import contextlib
import socket
import time

from guardd.client.connecting import BUSY_PAUSE, CHUNK, open_socket
from guardd.client.exceptions import GuardUnavailable
from guardd.client.session import Exchange, Fault, Session


class Link:
    """A connection that is opened when it is needed. One thread at a time.

    Args:
        socket_path: As for `open_socket`.
        frame_limit: The longest message that the daemon takes, in bytes.
    """

    def __init__(self, socket_path: str | None, frame_limit: int) -> None:
        self.session = Session(frame_limit)
        self._socket_path = socket_path
        self._socket: socket.socket | None = None

    def ask(self, method: str, params: bytes, deadline: float) -> object:
        """Return the result of a request.

        Args:
            method: The method's name.
            params: The parameters' JSON text.
            deadline: When to give up, by `time.monotonic`.

        Raises:
            RpcError: the daemon answered with an error.
            GuardUnavailable: there was no answer.
        """
        self.session.check(time.monotonic())
        exchange = self.session.begin(method, params, deadline)
        try:
            self._carry_out(exchange)
        except BaseException:  # an interrupt, perhaps with half of the message sent
            self.session.abandon(exchange)
            self.close()
            raise
        return exchange.outcome()

    def next_notification(self) -> object:
        """Wait as long as it takes for a notification; return its parameters.

        Raises:
            GuardUnavailable: the connection ended.
        """
        notifications = self.session.notifications
        while not notifications:
            if self._socket is None:
                raise GuardUnavailable("the connection to guardd has ended")
            self._socket.settimeout(None)
            self._receive(self._socket)
            self._tidy()
        return notifications.popleft()[1]

    def close(self) -> None:
        """Close the connection; the next request opens another one."""
        self.session.disconnected()
        self._tidy()

    def _carry_out(self, exchange: Exchange) -> None:
        if self._socket is not None:
            self._send(self._socket, self.session.outgoing(exchange, time.monotonic()), exchange.deadline)
        while not exchange.done:
            now = time.monotonic()
            if now >= exchange.deadline:
                self.session.expired(exchange, now)
            elif self._socket is None:
                self._connect(exchange.deadline)
            else:
                self._socket.settimeout(exchange.deadline - now)
                self._receive(self._socket)
            self._tidy()

    def _connect(self, deadline: float) -> None:
        pause = min(self.session.retry_at, deadline) - time.monotonic()
        if pause > 0:
            time.sleep(pause)
            return
        try:
            self._socket = open_socket(self._socket_path)
        except BlockingIOError:
            time.sleep(BUSY_PAUSE)
        except GuardUnavailable as error:
            self.session.connect_failed(error, time.monotonic())
        else:
            self._send(self._socket, self.session.connected(time.monotonic()), deadline)

    def _send(self, connection: socket.socket, data: bytes, deadline: float) -> None:
        connection.settimeout(max(deadline - time.monotonic(), 0.001))
        try:
            connection.sendall(data)
        except TimeoutError:
            self.session.lost(Fault("guardd does not read what it is sent"), time.monotonic())
            self._tidy()
        except OSError:
            pass  # the daemon may have said why it closed: reading tells

    def _receive(self, connection: socket.socket) -> None:
        try:
            data = connection.recv(CHUNK)
            self.session.received(data, time.monotonic())
        except TimeoutError:
            return  # the deadline has passed
        except OSError as error:
            fault = Fault(f"the connection to guardd broke: {error.strerror or error}", passing=True)
        except Fault as found:
            fault = found
        else:
            if data:
                return
            fault = Fault("guardd closed the connection", passing=True)
        self.session.lost(fault, time.monotonic())

    def _tidy(self) -> None:
        """Close the socket when the session has given the connection up."""
        if self._socket is not None and not self.session.is_connected:
            with contextlib.suppress(OSError):
                self._socket.close()
            self._socket = None
