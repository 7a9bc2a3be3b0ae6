"""Peers that are many, slow, or in the way: nobody else suffers, and what was sent is answered."""

import contextlib
import json
import resource
import signal
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from support.daemon import Daemon, RawClient, eventually
from support.databases import make_database

from guardd.protocol.errors import RpcError

MOST = 512
"""The default of `guardd.limits.connections`."""


@pytest.fixture
def daemon(tmp_path: Path) -> Iterator[Daemon]:
    make_database(tmp_path / "guardd.db")
    with Daemon(tmp_path) as daemon:
        yield daemon.start()


@pytest.fixture
def room_for_descriptors() -> Iterator[None]:
    """Enough of them in this process for all these connections."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard != resource.RLIM_INFINITY and hard < 3 * MOST:
        pytest.skip("needs more descriptors than there may be")
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, 3 * MOST), hard))
    yield
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


@pytest.mark.usefixtures("room_for_descriptors")
def test_as_many_connections_as_may_be_at_once(daemon: Daemon):
    eventually(lambda: daemon.ask("server.status")["connections"] == 1)
    daemon.signal(signal.SIGSTOP)  # so that it finds them all at once
    with contextlib.ExitStack() as stack:
        connecting = [
            threading.Thread(target=lambda: clients.append(stack.enter_context(daemon.connect())))
            for _ in range(MOST - 1)
        ]
        clients: list[RawClient] = []
        for thread in connecting:
            thread.start()
        daemon.signal(signal.SIGCONT)
        for thread in connecting:
            thread.join()
        for number, client in enumerate(clients):
            client.send_line(client.request("tool.before", runId=f"run-{number}", toolName="t"))
        assert all(client.read_line()["result"]["seq"] == 1 for client in clients)
        with daemon.connect() as refused:
            assert refused.read_line()["error"]["data"] == {"kind": "overloaded"}
            assert refused.ends()
        assert daemon.ask("server.status")["connections"] == MOST
        assert daemon.ask("server.status")["runs"] == MOST - 1
    eventually(lambda: daemon.ask("server.status")["connections"] == 1)


def test_messages_that_come_byte_by_byte_hold_up_nobody(daemon: Daemon):
    count = 60
    with contextlib.ExitStack() as stack:
        slow = [stack.enter_context(daemon.connect()) for _ in range(count)]
        messages = [
            b'{"jsonrpc":"2.0","id":%d,"method":"server.metrics"}\n' % number for number in range(count)
        ]
        length = max(map(len, messages))
        for position in range(length):
            for client, message in zip(slow, messages, strict=True):
                client.send(message.rjust(length)[position : position + 1])
            assert daemon.ask("tool.before", runId="r", toolName="t")["seq"] == position + 1
        assert [client.read_line()["id"] for client in slow] == list(range(count))


def descriptors(daemon: Daemon) -> int:
    """How many it has open."""
    return sum(1 for _ in Path(f"/proc/{daemon.process.pid}/fd").iterdir())


def test_without_descriptors_those_who_are_in_go_on_and_others_get_in_later(daemon: Daemon):
    daemon.ask("tool.before", runId="r", toolName="t")
    limits = resource.prlimit(daemon.process.pid, resource.RLIMIT_NOFILE)
    most = descriptors(daemon) + 4
    resource.prlimit(daemon.process.pid, resource.RLIMIT_NOFILE, (most, limits[1]))
    with contextlib.ExitStack() as stack:
        for _ in range(20):
            client = stack.enter_context(daemon.connect())
            with contextlib.suppress(BrokenPipeError, ConnectionResetError):
                client.send_line(client.request("server.metrics"))
        for seq in range(2, 30):
            assert daemon.ask("tool.before", runId="r", toolName="t")["seq"] == seq
        for method in ("run.list", "server.status", "db.check"):
            with contextlib.suppress(RpcError):  # it may be that no file can be opened for it
                daemon.ask(method)
    eventually(lambda: descriptors(daemon) < most)

    def gets_in() -> bool:
        with daemon.connect() as client, contextlib.suppress(EOFError, OSError):
            return bool(client.ask("tool.before", runId="r", toolName="t"))
        return False

    eventually(gets_in)
    assert daemon.ask("run.list")["runs"]
    assert daemon.ask("db.check")["ok"]
    resource.prlimit(daemon.process.pid, resource.RLIMIT_NOFILE, limits)
    assert daemon.stop() == 0


class Flood(threading.Thread):
    """Sends calls of a run of its own for as long as they are taken, and reads what is answered to the end."""

    def __init__(self, daemon: Daemon, run: str) -> None:
        super().__init__()
        self.run_id = run
        self.sent = 0
        self.replies: list[Any] = []
        self.failure: Exception | None = None
        self._client = daemon.connect()
        call = {"jsonrpc": "2.0", "id": 1, "method": "tool.before", "params": {"runId": run, "toolName": "t"}}
        self._line = json.dumps(call).encode() + b"\n"

    def run(self) -> None:
        with self._client:
            sending = threading.Thread(target=self._send)
            sending.start()
            try:
                while True:
                    self.replies.append(self._client.read_line())
            except (OSError, EOFError) as error:
                self.failure = error
            sending.join()

    def _send(self) -> None:
        with contextlib.suppress(BrokenPipeError):
            while True:
                rest = self._line[self.sent % len(self._line) :]
                self.sent += self._client.socket.send(rest + self._line * 50)

    @property
    def asked(self) -> int:
        """How many requests were taken."""
        return self.sent // len(self._line)


def test_a_stop_answers_whatever_was_taken(daemon: Daemon):
    """With its result, or with the word that the daemon stops; then the connection ends, and is not reset."""
    floods = [Flood(daemon, f"run-{number}") for number in range(4)]
    for flood in floods:
        flood.start()
    eventually(lambda: all(len(flood.replies) > 100 for flood in floods))
    assert daemon.stop() == 0
    for flood in floods:
        flood.join()
    daemon.start()
    for flood in floods:
        assert isinstance(flood.failure, EOFError)
        assert len(flood.replies) == flood.asked
        refused = [reply["error"]["data"]["kind"] for reply in flood.replies if "error" in reply]
        assert set(refused) <= {"shutting_down"}
        assert daemon.ask("run.get", run=flood.run_id)["calls"] == flood.asked - len(refused)
