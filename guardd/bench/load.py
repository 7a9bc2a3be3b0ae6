"""Generators of load that cost little themselves: one connection, timed call by call, or many, counted.

Many connections are driven by a process of their own, for its work not to be in the way of what is timed:

    python -m guardd.bench.load SOCKET CONNECTIONS SECONDS NAME [CALLS]

sends pairs for so long, each connection one after the other, and prints how many were answered and in how many
seconds. With CALLS it ends after so many pairs instead.
"""

import json
import select
import socket
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple, Self

from guardd.bench.traffic import Pair, Traffic

PATIENCE_SECONDS = 60.0
_READ = 65_536
_WARMING = 0.2
"""How much of the time is spent before counting, as a share of it."""


class Counted(NamedTuple):
    """What many connections did.

    Attributes:
        pairs: How many were answered.
        seconds: In what time.
    """

    pairs: int
    seconds: float

    @property
    def rate(self) -> float:
        """Pairs a second."""
        return self.pairs / self.seconds


class Link:
    """One connection, whose requests are answered one by one.

    Args:
        path: The socket.
    """

    def __init__(self, path: Path) -> None:
        self._socket = socket.socket(socket.AF_UNIX)
        try:
            self._socket.connect(str(path))
        except OSError:
            self._socket.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self._socket.close()

    def ask(self, frame: bytes) -> bytes:
        """Send a request, and wait for its reply.

        Raises:
            ConnectionError: The server is gone.
        """
        self._socket.sendall(frame)
        reply = self._socket.recv(_READ)
        return reply if reply.endswith(b"\n") else self._rest(reply)

    def _rest(self, begun: bytes) -> bytes:
        """What follows the beginning of a long reply, with it."""
        parts = [begun]
        while not parts[-1].endswith(b"\n"):
            parts.append(self._socket.recv(_READ))
            if not parts[-1]:
                raise ConnectionError("the server has closed the connection")
        return b"".join(parts)

    def result(self, frame: bytes) -> dict[str, object]:
        """The result that a request is answered with."""
        reply = json.loads(self.ask(frame))
        result = reply["result"]
        assert isinstance(result, dict)
        return result


def time_pairs(link: Link, pairs: list[Pair]) -> list[float]:
    """Send pairs on one connection, and return the seconds that each took."""
    taken, ask, clock = [], link.ask, time.perf_counter
    for before, after in pairs:
        began = clock()
        ask(before)
        ask(after)
        taken.append(clock() - began)
    return taken


def drive(path: Path, connections: int, seconds: float, name: str, calls: int | None = None) -> Counted:
    """Send pairs on many connections at once, each one request at a time.

    Args:
        path: The socket.
        connections: How many.
        seconds: For how long to count.
        name: How the names of the runs begin.
        calls: Count so many pairs rather than for so long.
    """
    traffic = Traffic()
    poll = select.epoll()
    sockets: dict[int, socket.socket] = {}
    frames: dict[int, Iterator[bytes]] = {}
    try:
        for number in range(connections):
            one = socket.socket(socket.AF_UNIX)
            sockets[one.fileno()] = one
            one.connect(str(path))
            frames[one.fileno()] = _one_by_one(traffic.pairs(f"{name}-{number}"))
            poll.register(one, select.EPOLLIN)
        for handle, one in sockets.items():
            one.sendall(next(frames[handle]))
        if calls is not None:
            return _count(poll, sockets, frames, float("inf"), calls)
        _count(poll, sockets, frames, seconds * _WARMING)
        return _count(poll, sockets, frames, seconds)
    finally:
        poll.close()
        for one in sockets.values():
            one.close()


def _one_by_one(pairs: Iterator[Pair]) -> Iterator[bytes]:
    for pair in pairs:
        yield from pair


def _count(
    poll: select.epoll,
    sockets: dict[int, socket.socket],
    frames: dict[int, Iterator[bytes]],
    seconds: float,
    most: float = float("inf"),
) -> Counted:
    """Answer each reply with the next request, and count the replies."""
    replies = 0
    began = time.perf_counter()
    while (taken := time.perf_counter() - began) < seconds and replies < 2 * most:
        ready = poll.poll(PATIENCE_SECONDS)
        if not ready:
            raise TimeoutError("the server does not answer")
        for handle, _ in ready:
            one = sockets[handle]
            reply = one.recv(_READ)
            if not reply:
                raise ConnectionError("the server has closed the connection")
            if reply.endswith(b"\n"):
                replies += 1
                one.sendall(next(frames[handle]))
    return Counted(replies // 2, taken)


def main() -> None:
    """Drive a server as the command line says."""
    path, connections, seconds, name, *calls = sys.argv[1:]
    counted = drive(Path(path), int(connections), float(seconds), name, int(calls[0]) if calls else None)
    sys.stdout.write(json.dumps(counted._asdict()) + "\n")


if __name__ == "__main__":
    main()
