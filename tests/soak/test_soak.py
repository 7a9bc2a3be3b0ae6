"""Months squeezed: calls at full speed, runs that begin, loop and end, retention on. Nothing may grow.

`-m long` runs it; `$GUARDD_SOAK_CALLS` says with how many calls (two million if not given). Retention looks every few
seconds in place of minutes; all else is as it is.
"""

import json
import os
import select
import socket
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
from support.daemon import Daemon

pytestmark = [pytest.mark.long, pytest.mark.timeout(6 * 3600)]

CALLS = int(os.environ.get("GUARDD_SOAK_CALLS", "2_000_000"))
CALLS_OF_A_RUN = 200
CONNECTIONS = 64
MEBIBYTE = 1024 * 1024
MOST_MB = max(1, CALLS // 60_000)
"""Few enough that most of the calls have to go again."""
CONFIG = {
    "tools": {"loopDetection": {"enabled": True, "warningThreshold": 5, "criticalThreshold": 10}},
    "guardd": {"retention": {"maxDatabaseMB": MOST_MB}},
}
OFTEN = """
import os, sys
from guardd.daemon import retention
retention.PERIOD_SECONDS = 2.0
from guardd.cli.guardd import main
sys.argv = sys.argv[1:]
main()
"""


class Sample(NamedTuple):
    """How much the daemon holds at a moment."""

    calls: int
    resident: int
    descriptors: int
    database: int
    log: int

    def __str__(self) -> str:
        resident, database, log = (held / MEBIBYTE for held in (self.resident, self.database, self.log))
        return (
            f"{self.calls:>9,} calls  {resident:5.1f} MB resident  {self.descriptors} descriptors  "
            f"{database:5.1f} MB database  {log:5.1f} MB log"
        )


class OftenPruned(Daemon):
    """A daemon whose retention looks every two seconds."""

    @property
    def command(self) -> list[str]:
        return [sys.executable, "-c", OFTEN, *super().command]

    def sample(self, calls: int) -> Sample:
        process = Path("/proc") / str(self.process.pid)
        status = dict(line.split(":", 1) for line in (process / "status").read_text().splitlines())
        wal = self.database.with_name(self.database.name + "-wal")
        return Sample(
            calls,
            int(status["VmRSS"].split()[0]) * 1024,
            len(list((process / "fd").iterdir())),
            self.database.stat().st_size,
            wal.stat().st_size,
        )


def frames(connection: int) -> Iterator[bytes]:
    """Runs without end on one connection: every tenth repeats one call until it is blocked for a while."""
    run = 0
    while True:
        scope = {"runId": f"run-{connection}-{run}", "agentId": "main"}
        for number in range(CALLS_OF_A_RUN):
            stuck = (run + connection) % 10 == 9 and number < 14
            call = scope | {
                "toolName": "exec",
                "toolCallId": f"call_{number}",
                "args": {"command": "make" if stuck else f"make target-{number}", "timeout": 60},
            }
            text = "failed" if stuck else f"built {number} " + "x" * 180
            yield request("tool.before", call)
            yield request("tool.after", call | {"result": {"content": [{"type": "text", "text": text}]}})
        yield request("run.end", scope | {"status": "completed"})
        run += 1


def request(method: str, params: dict[str, object]) -> bytes:
    return json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).encode() + b"\n"


def drive(daemon: OftenPruned) -> Iterator[Sample]:
    """Send so many calls, each connection one request at a time; a sample about every fiftieth of them."""
    poll = select.epoll()
    sockets: dict[int, tuple[socket.socket, Iterator[bytes]]] = {}
    for number in range(CONNECTIONS):
        one = socket.socket(socket.AF_UNIX)
        one.connect(str(daemon.socket))
        sockets[one.fileno()] = one, frames(number)
        poll.register(one, select.EPOLLIN)
        one.sendall(next(sockets[one.fileno()][1]))
    answered, every = 0, max(1, 2 * CALLS // 50)
    while answered < 2 * CALLS:
        for descriptor, _event in poll.poll(60):
            one, ahead = sockets[descriptor]
            reply = one.recv(65536)
            assert reply.startswith(b'{"jsonrpc":"2.0","id":1,"result":{'), reply
            answered += 1
            one.sendall(next(ahead))
            if answered % every == 0:
                yield daemon.sample(answered // 2)
    for one, _ahead in sockets.values():
        one.close()
    poll.close()


def test_nothing_grows(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    with OftenPruned(tmp_path, CONFIG) as daemon:
        daemon.start()
        began = time.monotonic()
        samples = list(drive(daemon))
        seconds = time.monotonic() - began
        status, checked = daemon.ask("server.status"), daemon.ask("db.check")
        blocked = [run for run in daemon.ask("run.list", limit=1000)["runs"] if run["verdict"] == "block"]
        with capsys.disabled():
            print(  # noqa: T201
                f"\n{CALLS:,} calls in {seconds:.0f} s; {status['runs']:,} runs, {status['calls']:,} calls kept",
                *map(str, samples[4::5]),
                sep="\n  ",
            )
        assert "ERROR" not in daemon.log()
    assert checked == {"ok": True, "problems": []}
    assert blocked
    third, fourth = samples[25:37], samples[37:]
    for held in ("resident", "descriptors", "database", "log"):
        before, after = (max(getattr(sample, held) for sample in part) for part in (third, fourth))
        assert after <= 1.1 * before + 2 * MEBIBYTE * (held != "descriptors"), held
    assert samples[-1].database < 2 * MOST_MB * MEBIBYTE
