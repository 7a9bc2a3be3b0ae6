"""One connection: bytes in, frames out to the server, replies back, and never more work than is bounded."""

import asyncio
import contextlib
import socket
from collections.abc import Callable
from functools import partial
from typing import Protocol, cast

from guardd.daemon.access import Peer
from guardd.protocol import jsonrpc
from guardd.protocol.errors import FrameTooLarge, Overloaded, RpcError
from guardd.protocol.framer import Framer
from guardd.vocabulary import Role

MOST_IN_FLIGHT = 32
"""Calls of one connection that are being worked on, before no more of its messages are taken; the rest waits, so
that a call of another connection waits for at most twice as many of this one: those of the transaction under way,
and those that stand before it in the next. A message is never parted: a batch may be more by itself."""
MOST_IN_A_TURN = 32
"""Calls of one connection that are taken before the others have their turn, be they answered at once, as what is
wrong is."""
BYTES_LIKE_A_CALL = 256 * 1024
"""What so many bytes of a message weigh, so that large ones are held in memory few at a time."""
WRITE_BUFFER_BYTES = 1024 * 1024
"""Replies that a peer may leave untaken before no more of its requests are read."""
MOST_UNTAKEN_EVENTS_BYTES = 8 * 1024 * 1024
"""Events that a watcher may leave untaken before its connection is closed."""


class Receiver(Protocol):
    """What a connection needs of the server."""

    def opened(self, connection: "Connection") -> RpcError | None:
        """A peer has connected; an error refuses it."""

    def closed(self, connection: "Connection") -> None:
        """It is gone."""

    def received(
        self, connection: "Connection", message: jsonrpc.Message, send: Callable[[bytes], None]
    ) -> None:
        """A message has come; `send` is to be called once, with the bytes of the reply or none."""

    def refused(self, error: RpcError) -> None:
        """A peer is told this, which answers none of its messages, and the connection ends."""

    def has_room(self, grown: int) -> bool:
        """Account for unread bytes that a connection holds now more, or fewer; False past the limit."""


class Connection(asyncio.Protocol):
    """A connected peer.

    Attributes:
        peer: who it is, by the kernel.
        roles: what it may do.
        last_active: the loop's time when it last sent something, or was answered, or took what was written.
        tasks: the questions of it that are being answered; they end with the connection.
        turn: whose turn it is among them.
    """

    peer: Peer
    roles: frozenset[Role] = frozenset()
    transport: asyncio.Transport

    def __init__(self, server: Receiver, frame_limit: int, loop: asyncio.AbstractEventLoop) -> None:
        self._server = server
        self._framer = Framer(frame_limit)
        self._loop = loop
        self._held = 0
        self._in_flight = 0
        self._reading = True
        self._ended = False
        self._writable = asyncio.Event()
        self._writable.set()
        self._working = False
        self._had_its_turn = False
        self._refusal: RpcError | None = None
        self._closing = False
        self.last_active = loop.time()
        self.tasks: set[asyncio.Task[None]] = set()
        self.turn = asyncio.Lock()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Admit the peer, or tell it why not and close."""
        self.transport = cast("asyncio.Transport", transport)  # uvloop's is no subclass
        self.transport.set_write_buffer_limits(high=WRITE_BUFFER_BYTES)
        refusal = self._server.opened(self)
        if refusal is not None:
            self.refuse(refusal)

    def connection_lost(self, _error: Exception | None) -> None:
        """Forget it; what it has asked to change is carried out all the same, and all else is broken off."""
        self._closing = True
        for task in self.tasks:
            task.cancel()
        self._writable.set()
        self._account(0)
        self._server.closed(self)

    def data_received(self, data: bytes) -> None:
        """Take bytes, and work on the frames that they complete."""
        self.last_active = self._loop.time()
        self._framer.feed(data)
        self._work()

    def eof_received(self) -> bool:
        """The peer sends no more, and may still read: close when all is answered that it has asked for."""
        self._ended, self._reading = True, False
        self._work()
        return True

    def pause_writing(self) -> None:
        """The peer does not take its replies: read no more requests from it."""
        self._writable.clear()

    def resume_writing(self) -> None:
        """It does again."""
        self.last_active = self._loop.time()
        self._writable.set()
        self._work()

    async def drained(self) -> None:
        """Wait until the peer has taken most of what was written, or is gone."""
        await self._writable.wait()

    def send(self, data: bytes) -> None:
        """Write bytes, if the peer is still there."""
        if data and not self._closing:
            self.transport.write(data)

    def send_event(self, data: bytes) -> bool:
        """Write a notification; a watcher that does not take them is closed, and False returned."""
        if self._closing:
            return False
        if self.transport.get_write_buffer_size() > MOST_UNTAKEN_EVENTS_BYTES:
            self.close(abort=True)
            return False
        self.transport.write(data)
        return True

    def refuse(self, error: RpcError) -> None:
        """Read no more; answer what is being worked on, say why, and close."""
        if self._refusal is None:
            self._refusal = error
            self._server.refused(error)
        if self._in_flight == 0 and not self._closing:
            self.send(jsonrpc.frame([jsonrpc.failure(b"null", self._refusal)]))
            self.close()

    def close(self, *, abort: bool = False) -> None:
        """Close; replies that are written already are still sent, unless `abort`."""
        self._closing = True
        if abort:
            self.transport.abort()
        else:
            self.transport.close()

    def finish(self) -> None:
        """Take nothing more from the peer, answer what it has sent, and close.

        What the kernel has accepted is read and answered, so that closing tells the peer no reset; what it would
        send from now on fails on its side.
        """
        if self._closing:
            return
        descriptor = self.transport.get_extra_info("socket").fileno()
        ours = socket.socket(fileno=descriptor)  # what uvloop gives cannot be shut down
        try:
            with contextlib.suppress(OSError):  # the peer is gone already
                ours.shutdown(socket.SHUT_RD)
        finally:
            ours.detach()

    @property
    def is_closing(self) -> bool:
        """Whether nothing can be sent any more."""
        return self._closing

    @property
    def awaits_answer(self) -> bool:
        """Whether something that it has asked for is not answered yet."""
        return self._in_flight > 0

    @property
    def _has_capacity(self) -> bool:
        return (
            self._writable.is_set()
            and self._refusal is None
            and not self._closing
            and self._in_flight < MOST_IN_FLIGHT
            and not self._had_its_turn
        )

    def _work(self) -> None:
        """Take the messages that have come, as many as there is capacity for."""
        self._working = True
        taken = 0
        try:
            while self._framer.buffered and self._has_capacity:
                frame = self._framer.next_frame()
                if frame is None:
                    break
                taken += self._take(frame)
                if taken >= MOST_IN_A_TURN:
                    self._had_its_turn = True
                    self._loop.call_soon(self._next_turn)
        except FrameTooLarge as error:
            self.refuse(error)
        finally:
            self._working = False
        if not self._account(self._framer.buffered):
            self.refuse(Overloaded("too many bytes are waiting to be read; try again"))
        has_capacity = self._has_capacity
        if self._ended:
            if has_capacity and self._in_flight == 0:
                self.close()
        elif has_capacity != self._reading:
            self._read_or_pause(wanted=has_capacity)

    def _next_turn(self) -> None:
        self._had_its_turn = False
        if not self._closing:
            self._work()

    def _take(self, frame: bytes) -> int:
        """Have a message worked on; returns its weight in calls."""
        message = jsonrpc.read(frame)
        weight = len(message.calls) + len(frame) // BYTES_LIKE_A_CALL
        self._in_flight += weight
        self._server.received(self, message, partial(self._answered, weight))
        return weight

    def _answered(self, weight: int, reply: bytes) -> None:
        self._in_flight -= weight
        self.last_active = self._loop.time()
        if self._closing:
            return
        self.send(reply)
        if self._refusal is not None:
            self.refuse(self._refusal)
        elif not self._reading and not self._working:
            self._work()

    def _read_or_pause(self, *, wanted: bool) -> None:
        if self._closing:
            return
        self._reading = wanted
        if wanted:
            self.transport.resume_reading()
        else:
            self.transport.pause_reading()

    def _account(self, held: int) -> bool:
        if held == self._held:  # as it is between whole messages
            return True
        grown, self._held = held - self._held, held
        return self._server.has_room(grown) or grown <= 0 or self._closing
