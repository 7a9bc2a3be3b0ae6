"""A disk that is full, or fails: it costs recording, not the agent, and work resumes by itself."""

import errno
import resource
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from support.daemon import Daemon, RawClient, eventually
from support.databases import make_database

from guardd.protocol.errors import StorageUnavailable

WRITE = "posix/io/rw/pwrite"
SYNC = "posix/io/sync/fdatasync"
CONFIG = {
    "tools": {"loopDetection": {"enabled": True, "warningThreshold": 3, "criticalThreshold": 5}},
    "guardd": {"database": {"durability": "full"}},
}


class Fault(NamedTuple):
    """What fails, how, and what is said of it."""

    point: str
    number: int
    said: str


FAULTS = (
    Fault(WRITE, errno.ENOSPC, "database or disk is full"),
    Fault(WRITE, errno.EIO, "disk I/O error"),
    Fault(SYNC, errno.EIO, "disk I/O error"),
)
each_fault = pytest.mark.parametrize("fault", FAULTS, ids=["full", "write", "sync"])


class Disk:
    """What a daemon runs on: libfiu stands between SQLite and the kernel."""

    def __init__(self, daemon: Daemon, run: str, control: str) -> None:
        self.daemon = daemon
        self._control = control
        self._pipes = f"{daemon.directory}/fiu"
        daemon.wrapper = [run, "-x", "-f", self._pipes]

    def fail(self, fault: Fault) -> None:
        self._tell(f"enable name={fault.point},failinfo={fault.number}")

    def fail_at_times(self, fault: Fault, probability: float) -> None:
        self._tell(f"enable_random name={fault.point},failinfo={fault.number},probability={probability}")

    def work(self, fault: Fault) -> None:
        self._tell(f"disable name={fault.point}")

    def _tell(self, command: str) -> None:
        pid = str(self.daemon.process.pid)
        subprocess.run([self._control, "-f", self._pipes, "-c", command, pid], check=True)


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Disk]:
    run, control = shutil.which("fiu-run"), shutil.which("fiu-ctrl")
    if run is None or control is None:
        pytest.skip("needs fiu-run and fiu-ctrl (Debian: fiu-utils)")
    make_database(tmp_path / "guardd.db")
    with Daemon(tmp_path, CONFIG) as daemon:
        disk = Disk(daemon, run, control)
        daemon.start()
        yield disk


def report(daemon: Daemon, number: int) -> Any:
    return daemon.ask("tool.before", runId="r", toolName="exec", requestId=str(number))


@each_fault
def test_reads_go_on_the_error_says_why_and_work_resumes(disk: Disk, fault: Fault):
    daemon = disk.daemon
    actions = [report(daemon, number)["action"] for number in range(2)]
    disk.fail(fault)
    for number in (2, 3, 2, 3):
        with pytest.raises(StorageUnavailable) as caught:
            report(daemon, number)
        assert str(caught.value) == f"the database cannot be written ({fault.said}); nothing was recorded"
    assert [call["seq"] for call in daemon.ask("run.history", run="r")["calls"]] == [1, 2]
    assert daemon.ask("run.list")["runs"][0]["calls"] == 2
    assert daemon.ask("db.check") == {"ok": True, "problems": []}
    assert "guardd_queue 0" in daemon.ask("server.metrics")
    disk.work(fault)
    # What was refused was not counted, and its ids were not remembered.
    actions += [report(daemon, number)["action"] for number in range(2, 6)]
    assert actions == ["allow", "allow", "allow", "warn", "warn", "warn"]
    assert daemon.ask("run.get", run="r")["calls"] == 6
    assert daemon.log().count("the database cannot be written") == 1
    assert daemon.log().count("the database can be written again") == 1
    assert "Traceback" not in daemon.log()


@each_fault
def test_what_was_acknowledged_before_outlives_a_kill(disk: Disk, fault: Fault):
    daemon = disk.daemon
    assert [report(daemon, number)["seq"] for number in range(20)][-1] == 20
    disk.fail(fault)
    with pytest.raises(StorageUnavailable):
        report(daemon, 20)
    daemon.restart()
    assert daemon.ask("run.get", run="r")["calls"] == 20, "it was said that nothing was recorded"
    assert report(daemon, 19)["seq"] == 20
    assert report(daemon, 20)["seq"] == 21
    assert daemon.ask("run.get", run="r")["calls"] == 21
    assert daemon.ask("db.check") == {"ok": True, "problems": []}


@each_fault
def test_a_stop_is_a_stop_all_the_same(disk: Disk, fault: Fault):
    """The log cannot be moved into the database file; the next start has it."""
    daemon = disk.daemon
    assert report(daemon, 0)["seq"] == 1
    disk.fail(fault)
    with pytest.raises(StorageUnavailable):
        report(daemon, 1)
    assert daemon.stop() == 0
    daemon.start()
    assert report(daemon, 0)["seq"] == 1


@each_fault
def test_a_disk_that_fails_now_and_then_makes_nothing_count_twice(disk: Disk, fault: Fault):
    """Gateways repeat what was refused, under the same id, until it is recorded."""
    daemon, gateways, calls = disk.daemon, 3, 30
    disk.fail_at_times(fault, 0.1)
    refused: list[StorageUnavailable] = []

    def persist(client: RawClient, run: str, number: int) -> int:
        while True:
            try:
                asked = {"runId": run, "toolName": "exec", "requestId": f"{run}-{number}"}
                return int(client.ask("tool.before", **asked, toolCallId=str(number))["seq"])
            except StorageUnavailable as error:
                refused.append(error)

    seqs: dict[str, list[int]] = {}

    def work(run: str) -> None:
        with daemon.connect() as client:
            seqs[run] = []
            while len(seqs[run]) < calls or not refused:
                seqs[run].append(persist(client, run, len(seqs[run])))

    threads = [threading.Thread(target=work, args=(f"run-{number}",)) for number in range(gateways)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    disk.work(fault)
    assert len(seqs) == gateways
    for run, given in seqs.items():
        assert given == list(range(1, len(given) + 1))
        recorded = daemon.ask("run.history", run=run)["calls"]
        assert [call["toolCallId"] for call in recorded] == [str(number) for number in range(len(given))]
    assert daemon.ask("db.check") == {"ok": True, "problems": []}


def test_a_limit_on_the_size_of_files_is_no_end(tmp_path: Path):
    """Past it a write also gives a signal, which ends who does not ignore it. The log is a file as well."""
    make_database(tmp_path / "guardd.db")
    with Daemon(tmp_path, CONFIG).start() as daemon:
        assert report(daemon, 0)["seq"] == 1
        daemon.ask("run.get", run="r")
        resource.prlimit(daemon.process.pid, resource.RLIMIT_FSIZE, (1, resource.RLIM_INFINITY))
        with pytest.raises(StorageUnavailable, match="nothing was recorded"):
            report(daemon, 1)
        assert daemon.ask("run.get", run="r")["calls"] == 1
        resource.prlimit(daemon.process.pid, resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY,) * 2)
        assert report(daemon, 1)["seq"] == 2
        assert daemon.stop() == 0


SMALL = """
import sys
from guardd.cli.guardd import main
from guardd.store import opening

connect = opening.connect_writer

def limited(path, durability):
    connection = connect(path, durability)
    connection.execute("pragma max_page_count = 80")
    return connection

opening.connect_writer = limited
del sys.argv[0]
main()
"""


def test_in_a_database_that_may_not_grow_work_goes_on_when_something_is_deleted(tmp_path: Path):
    make_database(tmp_path / "guardd.db")
    with Daemon(tmp_path, wrapper=[sys.executable, "-c", SMALL]).start() as daemon:
        with pytest.raises(StorageUnavailable, match="database or disk is full"):  # noqa: PT012 - one of them does
            for _ in range(10_000):
                recorded = daemon.ask("tool.before", runId="long", toolName="t" * 400)["seq"]
        assert daemon.ask("run.get", run="long")["calls"] == recorded
        daemon.ask("run.end", runId="long", status="completed")
        eventually(lambda: daemon.ask("db.prune", olderThan=datetime.now(UTC).isoformat())["runs"] == 1)
        assert daemon.ask("tool.before", runId="next", toolName="t" * 400)["seq"] == 1
        assert daemon.ask("db.check") == {"ok": True, "problems": []}
