"""The I/O of the asyncio client: a session on a transport, many requests at once."""

import asyncio
import contextlib
import socket
import time
from typing import cast

from guardd.client.connecting import BUSY_PAUSE, CHUNK, open_socket
from guardd.client.exceptions import GuardUnavailable
from guardd.client.session import Exchange, Fault, Session


class AsyncLink:
    """A connection that is opened when it is needed, by the tasks of one event loop.

    A request is written, or queued for the next connection, before `ask` first awaits, so requests go out
    in the order in which they were made.

    Args:
        socket_path: As for `open_socket`.
        frame_limit: The longest message that the daemon takes, in bytes.
    """

    def __init__(self, socket_path: str | None, frame_limit: int) -> None:
        self.loop = asyncio.get_running_loop()
        self.session = Session(frame_limit)
        self._socket_path = socket_path
        self._wire: _Wire | None = None
        self._connecting: asyncio.Task[None] | None = None

    async def ask(self, method: str, params: bytes, deadline: float) -> object:
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
            await self._carry_out(exchange)
        finally:
            self.session.abandon(exchange)
        return exchange.outcome()

    async def close(self) -> None:
        """Close the connection and wait for that; the next request opens another one."""
        self.session.disconnected()
        if self._connecting:
            self._connecting.cancel()
            await asyncio.wait((self._connecting,))
        wire, self._wire = self._wire, None
        if wire:
            wire.abort()
            await wire.closed

    async def _carry_out(self, exchange: Exchange) -> None:
        answered = self.loop.create_future()
        exchange.wake = lambda: None if answered.done() else answered.set_result(None)
        if self._wire and self._wire.is_open:
            self._wire.write(self.session.outgoing(exchange, time.monotonic()))
        else:  # it goes out with the next connection
            self._connect_if_needed()
        # Not asyncio.timeout: it would win over an answer that came while the loop was busy elsewhere.
        await asyncio.wait((answered,), timeout=max(0.0, exchange.deadline - time.monotonic()))
        if not exchange.done:
            self.session.expired(exchange, time.monotonic())
            self._tidy()

    def opened(self, wire: "_Wire") -> None:
        """Note a new connection, and write all that has no answer."""
        self._wire = wire
        wire.write(self.session.connected(time.monotonic()))

    def heard(self, wire: "_Wire", data: bytes) -> None:
        """Take what a connection brought."""
        if wire is not self._wire:
            return
        try:
            self.session.received(data, time.monotonic())
        except Fault as fault:
            self.lost(wire, fault)

    def lost(self, wire: "_Wire", fault: Fault) -> None:
        """Note that a connection ended, or has to; open another one if requests wait for an answer."""
        if wire is not self._wire:
            return
        self.session.lost(fault, time.monotonic())
        self._tidy()
        self._connect_if_needed()

    def _tidy(self) -> None:
        """Close the connection when the session has given it up."""
        if self._wire and not self.session.is_connected:
            self._wire.abort()
            self._wire = None

    def _connect_if_needed(self) -> None:
        if self.session.is_waiting and not self.session.is_connected and self._connecting is None:
            self._connecting = self.loop.create_task(self._connect())
            self._connecting.add_done_callback(self._connect_ended)

    def _connect_ended(self, task: asyncio.Task[None]) -> None:
        self._connecting = None
        if not task.cancelled() and (error := task.exception()):
            self.session.connect_failed(
                GuardUnavailable(f"cannot connect to guardd: {error!r}"), time.monotonic()
            )
        # The connection may have broken, or a request have been made, in the task's last moments.
        self._connect_if_needed()

    async def _connect(self) -> None:
        while self.session.is_waiting and not self.session.is_connected:
            pause = self.session.retry_at - time.monotonic()
            if pause > 0:
                await asyncio.sleep(pause)
                continue
            try:
                connection = open_socket(self._socket_path)
            except BlockingIOError:
                await asyncio.sleep(BUSY_PAUSE)
            except GuardUnavailable as error:
                self.session.connect_failed(error, time.monotonic())
            else:
                await self._attach(connection)

    async def _attach(self, connection: socket.socket) -> None:
        try:
            await self.loop.create_unix_connection(lambda: _Wire(self, connection), sock=connection)
        except BaseException:
            connection.close()
            raise


class _Wire(asyncio.Protocol):
    """One connection of a link."""

    def __init__(self, link: AsyncLink, connection: socket.socket) -> None:
        self._connection = connection
        self.closed: asyncio.Future[None] = link.loop.create_future()
        self._link = link
        self._transport: asyncio.Transport | None = None

    @property
    def is_open(self) -> bool:
        """Whether what is written can still go out; a broken connection is reported a little later."""
        return self._transport is not None and not self._transport.is_closing()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)  # a stream's; uvloop's is no subclass
        self._link.opened(self)

    def data_received(self, data: bytes) -> None:
        self._link.heard(self, data)

    def connection_lost(self, exc: Exception | None) -> None:
        if not self.closed.done():
            self.closed.set_result(None)
        if exc is not None:
            # A write failed before the transport looked for what had come: the daemon may have said why it closed.
            with contextlib.suppress(OSError):
                self._link.heard(self, self._connection.recv(CHUNK))
        reason = f"the connection to guardd broke: {exc}" if exc else "guardd closed the connection"
        self._link.lost(self, Fault(reason, passing=True))

    def write(self, data: bytes) -> None:
        if self._transport and data:
            self._transport.write(data)

    def abort(self) -> None:
        if self._transport:
            self._transport.abort()
