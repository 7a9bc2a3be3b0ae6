"""A scripted daemon on a real socket, and both clients behind one face."""

import asyncio
import contextlib
import json
import socket
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from guardd.client import AsyncGuardClient, GuardClient

Request = dict[str, Any]
VERDICTS: dict[str, dict[str, Any]] = {
    "tool.before": {"action": "allow", "seq": 1},
    "tool.after": {"action": "allow", "seq": 1, "compactionGuard": {"armed": False, "remaining": 0}},
    "compaction.record": {"armed": True, "remaining": 3},
    "run.start": {"resumed": True, "calls": 7, "status": "active"},
    "run.end": {},
}


class Peer:
    """A connection as the script of a fake daemon sees it."""

    def __init__(self, connection: socket.socket) -> None:
        self.connection = connection
        self.closed = False

    def send(self, data: bytes) -> None:
        with contextlib.suppress(OSError):
            self.connection.sendall(data)

    def reply(self, request: Request, result: object) -> None:
        self.send(json.dumps({"jsonrpc": "2.0", "id": request["id"], "result": result}).encode() + b"\n")

    def refuse(self, request: Request | None, code: int, message: str, **data: object) -> None:
        error = {"code": code, "message": message, "data": data}
        number = request["id"] if request else None
        self.send(json.dumps({"jsonrpc": "2.0", "id": number, "error": error}).encode() + b"\n")

    def close(self) -> None:
        self.closed = True
        with contextlib.suppress(OSError):
            self.connection.shutdown(socket.SHUT_RDWR)


Step = Callable[[Peer, Request], None]


def answer(peer: Peer, request: Request) -> None:
    """What the daemon does when its script is at its end."""
    peer.reply(request, VERDICTS.get(request["method"], {"echo": request["params"]}))


class FakeDaemon:
    """Takes the next step of its script for each request, and remembers all requests."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.requests: list[Request] = []
        self.script: list[Step] = []
        self.greeting: Callable[[Peer], None] | None = None
        self.connections = 0
        self._changed = threading.Condition()
        self._peers: list[Peer] = []
        self._threads: list[threading.Thread] = []
        self._listener: socket.socket | None = None

    def start(self) -> None:
        self.path.unlink(missing_ok=True)
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(str(self.path))
        self._listener.listen()
        self._spawn(self._accept, self._listener)

    def kill(self) -> None:
        """End it as a crash would: the socket's file stays."""
        if self._listener:
            self._listener.shutdown(socket.SHUT_RDWR)
            self._listener.close()
            self._listener = None
        self.hang_up()
        for thread in self._threads:
            if thread is not threading.current_thread():
                thread.join()
        self._threads.clear()

    def hang_up(self) -> None:
        for peer in self._peers:
            peer.close()

    def wait(self, condition: Callable[[], bool]) -> None:
        with self._changed:
            assert self._changed.wait_for(condition, 5)

    @property
    def methods(self) -> list[str]:
        return [request["method"] for request in self.requests]

    def params(self, method: str) -> list[dict[str, Any]]:
        return [request["params"] for request in self.requests if request["method"] == method]

    def _spawn(self, target: Callable[..., None], *args: object) -> None:
        thread = threading.Thread(target=target, args=args, daemon=True)
        self._threads.append(thread)
        thread.start()

    def _accept(self, listener: socket.socket) -> None:
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            peer = Peer(connection)
            with self._changed:
                self.connections += 1
                self._peers.append(peer)
                self._changed.notify_all()
            if self.greeting:
                self.greeting(peer)
            self._spawn(self._serve, peer)

    def _serve(self, peer: Peer) -> None:
        with peer.connection, peer.connection.makefile("rb") as lines, contextlib.suppress(OSError):
            for line in lines:
                if peer.closed or not line.endswith(b"\n"):
                    return
                request = json.loads(line)
                with self._changed:
                    self.requests.append(request)
                    step = self.script.pop(0) if self.script else answer
                    self._changed.notify_all()
                step(peer, request)


class Blocking:
    """The blocking client."""

    def __init__(self, path: Path | None, **options: Any) -> None:
        self.client = GuardClient(path, **options)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.client, name)

    def play(
        self, body: Callable[[Any], None], *, raising: bool = True, tool: str = "exec", **scope: Any
    ) -> Any:
        """Make one call in one run; the body is given the call."""
        with (
            self.client.run(**scope) as run,
            run.call(tool, {"command": "ls"}, "c1", raising=raising) as call,
        ):
            body(call)
        return call


class Asynchronous:
    """The asyncio client; its loop turns only while a method is called."""

    def __init__(self, path: Path | None, **options: Any) -> None:
        self.runner = asyncio.Runner()
        self.client = AsyncGuardClient(path, **options)

    def __getattr__(self, name: str) -> Any:
        method = getattr(self.client, name)
        return lambda *args, **options: self.runner.run(method(*args, **options))

    def close(self) -> None:
        self.runner.run(self.client.close())
        self.runner.close()

    def play(
        self, body: Callable[[Any], None], *, raising: bool = True, tool: str = "exec", **scope: Any
    ) -> Any:
        async def go() -> Any:
            async with (
                self.client.run(**scope) as run,
                run.call(tool, {"command": "ls"}, "c1", raising=raising) as call,
            ):
                body(call)
            return call

        return self.runner.run(go())


@pytest.fixture
def daemon(tmp_path: Path) -> Iterator[FakeDaemon]:
    fake = FakeDaemon(tmp_path / "guardd.sock")
    fake.start()
    yield fake
    fake.kill()


@pytest.fixture(params=[Blocking, Asynchronous], ids=["blocking", "asyncio"])
def connect(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Callable[..., Any]]:
    """Makes clients, closed afterwards; for the fake daemon's socket unless told otherwise."""
    with contextlib.ExitStack() as stack:

        def make(path: Path | None = tmp_path / "guardd.sock", **options: Any) -> Any:
            client = request.param(path, **{"timeout": 5.0, **options})
            stack.callback(client.close)
            return client

        yield make
