"""A client's side of one connection after the other, without a socket and without a clock.

A session holds the requests that have no answer yet. Whoever does the I/O tells it what happened
(`connected`, `received`, `lost`, `connect_failed`, `expired`) and asks it for bytes and for when to
connect; times are those of any monotonic clock, in seconds. What it decides:

- Replies are matched by an id that is used once, so a late reply is never taken for another request's.
- When a connection breaks, requests without an answer are sent again on the next one, in their order. Each
  carries a ``requestId``, so that the daemon counts once what it had received already.
- After a break it is patient for a while (`GRACE`): requests wait, so that a restart of the daemon goes
  unnoticed. After that, and when there was no connection to begin with, the daemon is *down*: whatever
  waits fails, new requests fail at once and cost nothing, until the next attempt to connect is due.
- Attempts become rarer up to `LONGEST_PAUSE`; only an answer, not a mere connection, resets that.
"""

import json
import os
from collections import deque
from collections.abc import Callable
from itertools import count

from guardd.client.exceptions import GuardUnavailable
from guardd.protocol.errors import FrameTooLarge, RpcError, ShuttingDown, from_wire
from guardd.protocol.framer import Framer

GRACE = 1.0
"""Seconds after a break during which requests wait for the daemon to come back."""
SHORTEST_PAUSE = 0.25
LONGEST_PAUSE = 10.0
"""Seconds between attempts to connect to a daemon that is down, before jitter takes up to half off."""
GRACE_PAUSE = 0.05
"""Seconds between attempts while patient."""
MAX_SENDS = 5
"""A request at which the connection broke this often is not sent again: it may be what breaks it."""
REPLY_LIMIT = 256 * 1024 * 1024
"""Bytes; the daemon is trusted with far more than it ever sends, but not with all memory."""
MAX_NOTIFICATIONS = 4096
"""How many notifications are kept for a reader that is behind; the oldest go first."""


class Fault(Exception):  # noqa: N818 - not an error of the caller's
    """Why a connection can no longer be used.

    Args:
        reason: For people.
        error: What the requests without an answer fail with, where the daemon said so.
        passing: Whether it is worth to connect again at once.
    """

    def __init__(self, reason: str, error: RpcError | None = None, *, passing: bool = False) -> None:
        super().__init__(reason)
        self.reason = reason
        self.error = error
        self.passing = passing


class Exchange:
    """One request, and its answer once there is one.

    Args:
        number: The message's id.
        frame: The message, with its line ending.
        deadline: When the caller stops waiting.
    """

    __slots__ = ("deadline", "done", "error", "frame", "number", "result", "sends", "sent_at", "wake")

    def __init__(self, number: int, frame: bytes, deadline: float) -> None:
        self.number = number
        self.frame = frame
        self.deadline = deadline
        self.sends = 0
        self.sent_at = 0.0
        self.done = False
        self.result: object = None
        self.error: Exception | None = None
        self.wake: Callable[[], None] | None = None
        """Called when it is done."""

    def finish(self, result: object = None, error: Exception | None = None) -> None:
        """Note the answer."""
        self.done, self.result, self.error = True, result, error
        if self.wake:
            self.wake()

    def outcome(self) -> object:
        """Return the result.

        Raises:
            RpcError: the daemon answered with an error.
            GuardUnavailable: there was no answer.
        """
        if self.error:
            raise self.error
        return self.result


def _chance() -> float:
    """A random number from 0 to 1; importing `random` costs more than connecting."""
    return int.from_bytes(os.urandom(2), "big") / 0xFFFF


class Session:
    """The requests of one client and what it knows of its daemon.

    Args:
        frame_limit: The longest message that the daemon takes, in bytes.
        chance: Gives random numbers from 0 to 1, for the jitter.
    """

    def __init__(self, frame_limit: int, chance: Callable[[], float] = _chance) -> None:
        self.notifications: deque[tuple[str, object]] = deque(maxlen=MAX_NOTIFICATIONS)
        """Method and parameters of what the daemon sent unasked."""
        self.retry_at = 0.0
        """When the next attempt to connect is due."""
        self._frame_limit = frame_limit
        self._chance = chance
        self._numbers = count(1)
        self._pending: dict[int, Exchange] = {}
        self._framer: Framer | None = None
        self._heard_at = 0.0
        self._grace_until: float | None = None
        self._pause = SHORTEST_PAUSE
        self._proven = False  # whether the present connection has brought an answer
        self._trouble = GuardUnavailable("guardd was not asked yet")
        self._is_down = False

    @property
    def is_connected(self) -> bool:
        """Whether there is a connection that can be used."""
        return self._framer is not None

    @property
    def is_waiting(self) -> bool:
        """Whether there are requests without an answer."""
        return bool(self._pending)

    def check(self, now: float) -> None:
        """Fail at once while there is no point in asking.

        Raises:
            GuardUnavailable: the daemon is down, and the next attempt is not due or another request makes it: if
                the daemon hangs, one that waits is enough.
        """
        if self._is_down and (now < self.retry_at or self._pending):
            raise type(self._trouble)(*self._trouble.args)

    def begin(self, method: str, params: bytes, deadline: float) -> Exchange:
        """Register a request; `outgoing` or the next `connected` gives its bytes.

        Args:
            method: The method's name.
            params: The parameters' JSON text, a ``requestId`` among them.
            deadline: When the caller stops waiting.

        Raises:
            FrameTooLarge: the daemon would not take it.
        """
        number = next(self._numbers)
        head = json.dumps({"jsonrpc": "2.0", "id": number, "method": method})
        frame = b'%s,"params":%s}\n' % (head[:-1].encode(), params)
        if len(frame) > self._frame_limit:
            raise FrameTooLarge(self._frame_limit)
        exchange = Exchange(number, frame, deadline)
        self._pending[number] = exchange
        return exchange

    def abandon(self, exchange: Exchange) -> None:
        """Forget a request whose caller no longer waits; its reply will be ignored."""
        self._pending.pop(exchange.number, None)

    def outgoing(self, exchange: Exchange, now: float) -> bytes:
        """Return a request's bytes, to be sent on the present connection."""
        exchange.sends += 1
        exchange.sent_at = now
        return exchange.frame

    def connected(self, now: float) -> bytes:
        """Note a new connection; return what is to be sent on it first: all that has no answer, in order."""
        self._framer = Framer(REPLY_LIMIT)
        self._proven = False
        return b"".join([self.outgoing(exchange, now) for exchange in self._pending.values()])

    def received(self, data: bytes, now: float) -> None:
        """Take bytes from the daemon.

        Raises:
            Fault: the connection has to be closed; tell `lost` about it.
        """
        framer = self._framer
        if framer is None:
            return
        framer.feed(data)
        try:
            for frame in iter(framer.next_frame, None):
                self._read(frame, now)
        except FrameTooLarge as too_large:
            raise Fault(f"guardd's answer was not understood: {too_large}") from None

    def lost(self, fault: Fault, now: float) -> None:
        """Note that the connection is gone, and why."""
        self._framer = None
        self._trouble = GuardUnavailable(fault.reason)
        if fault.passing:
            self._be_patient(now)
        elif fault.error and self._proven:
            self._fail_all(fault.error)
        else:
            self._go_down(now, fault.error)

    def disconnected(self) -> None:
        """Note that the connection was closed on purpose; the next request opens another one."""
        self._framer = None
        self._fail_all(GuardUnavailable("the client was closed"))

    def connect_failed(self, error: GuardUnavailable, now: float) -> None:
        """Note that nobody could be connected to."""
        self._trouble = error
        self._be_patient(now) if self._grace_until is not None else self._go_down(now)

    def expired(self, exchange: Exchange, now: float) -> None:
        """Give a request up whose deadline has passed.

        A daemon that has said nothing at all since the request was sent hangs: the connection is given up
        too (look at `is_connected`), or every request would wait for it in vain.
        """
        self.abandon(exchange)
        if not self.is_connected:
            exchange.finish(error=self._trouble)
            return
        error = GuardUnavailable("guardd did not answer in time")
        exchange.finish(error=error)
        if self._heard_at <= exchange.sent_at:
            self._framer = None
            self._trouble = error
            self._go_down(now)

    def _read(self, frame: bytes, now: float) -> None:
        try:
            message = json.loads(frame)
        except (ValueError, RecursionError) as garbage:
            raise Fault(f"guardd's answer was not understood: {garbage}") from None
        if not isinstance(message, dict):
            raise Fault("guardd's answer was not understood: it is no object")
        if isinstance(method := message.get("method"), str):
            self.notifications.append((method, message.get("params")))
            return
        number = message.get("id")
        if number is None:
            refusal = from_wire(message.get("error"))
            raise Fault(f"guardd closed the connection: {refusal}", refusal)
        exchange = self._pending.get(number) if type(number) is int else None
        error = from_wire(message["error"]) if "error" in message else None
        if isinstance(error, ShuttingDown) and exchange and exchange.sends < MAX_SENDS:
            # Nothing was done. The next daemon is asked: perhaps this one is being restarted.
            raise Fault("guardd is shutting down", passing=True)
        self._heard(now)
        if exchange:
            self.abandon(exchange)
            exchange.finish(message.get("result"), error)

    def _heard(self, now: float) -> None:
        self._heard_at = now
        self._grace_until = None
        self._pause = SHORTEST_PAUSE
        self._proven = True
        self._is_down = False

    def _be_patient(self, now: float) -> None:
        if self._grace_until is None:
            self._grace_until = now + GRACE
            self.retry_at = now
        elif now < self._grace_until:
            self.retry_at = now + self._jittered(GRACE_PAUSE)
        else:
            self._go_down(now)
            return
        self._is_down = False
        for exchange in [exchange for exchange in self._pending.values() if exchange.sends >= MAX_SENDS]:
            self.abandon(exchange)
            exchange.finish(error=self._trouble)

    def _go_down(self, now: float, error: RpcError | None = None) -> None:
        self.retry_at = now + self._jittered(self._pause)
        self._pause = min(self._pause * 2, LONGEST_PAUSE)
        self._is_down = True
        self._fail_all(error or self._trouble)

    def _jittered(self, pause: float) -> float:
        return pause * (0.5 + self._chance() / 2)

    def _fail_all(self, error: Exception) -> None:
        failed, self._pending = self._pending, {}
        for exchange in failed.values():
            exchange.finish(error=error)
