"""What is done by the clock, with no clock where that can be."""

import asyncio
import itertools
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from support.daemon import Daemon, eventually
from support.databases import open_new

from guardd.daemon import housekeeping, writer
from guardd.daemon.clock import now
from guardd.daemon.housekeeping import MOST_COMMITS_BETWEEN, Checkpointer, feed_watchdog, tend
from guardd.daemon.pace import Pace
from guardd.daemon.requests import REMEMBERED_MS
from guardd.daemon.service import Notifier
from guardd.daemon.writer import Writer
from guardd.protocol.errors import StorageUnavailable
from guardd.store import checkpointing
from guardd.store.checkpointing import READERS_WAITED_FOR_MS
from guardd.store.connecting import BUSY_TIMEOUT_MS
from guardd.store.opening import Database
from guardd.store.pruning import MOST_REQUESTS_AT_ONCE


class Server:
    """As much of a server as housekeeping needs."""

    def __init__(self, database: Database, loop: asyncio.AbstractEventLoop | None = None) -> None:
        self.database = database
        self.loop = loop
        self.pace = Pace()
        self.connections: set[Any] = set()
        limits = SimpleNamespace(idle_seconds=None)
        self.config = SimpleNamespace(settings=SimpleNamespace(limits=limits))
        self.writer: Any = SimpleNamespace(commits=0)
        if loop is not None:
            self.writer = Writer(loop, database.store, lambda: None, lambda: None)

    def write(self, rows: int = 1) -> None:
        for number in range(rows):
            self.database.connection.execute(
                "insert into daemon_starts (version, at) values (?, ?)", ("x" * 1000, number)
            )
            self.writer.commits += 1

    @property
    def wal(self) -> Path:
        return self.database.path.with_name(self.database.path.name + "-wal")


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    with open_new(tmp_path / "guardd.db") as database:
        yield Server(database)


def left_in_log(server: Server) -> int:
    """Pages of the log that are not in the database file, as a checkpoint that does nothing counts them."""
    copy = server.database.path.with_name("copy.db")
    copy.write_bytes(server.database.path.read_bytes())
    connection = sqlite3.connect(copy)
    (found,) = connection.execute("select count(*) from daemon_starts").fetchone()
    connection.close()
    (all_,) = server.database.connection.execute("select count(*) from daemon_starts").fetchone()
    return int(all_ - found)


def test_an_idle_daemon_checkpoints_once(server: Server):
    checkpointer = Checkpointer(server)
    server.write(20)
    checkpointer.tick()
    assert left_in_log(server) > 0, "not while somebody is writing"
    checkpointer.tick()
    assert left_in_log(server) == 0


def test_a_busy_daemon_checkpoints_all_the_same(server: Server):
    checkpointer = Checkpointer(server)
    server.write()
    server.writer.commits += MOST_COMMITS_BETWEEN
    checkpointer.tick()
    assert left_in_log(server) == 0


def test_a_daemon_with_many_requests_in_each_commit_checkpoints_too(
    server: Server, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("guardd.daemon.housekeeping.MOST_ROWS_BETWEEN", 100)
    checkpointer = Checkpointer(server)
    server.write(100)
    checkpointer.tick()
    assert left_in_log(server) > 0
    server.write()
    checkpointer.tick()
    assert left_in_log(server) == 0


def test_a_reader_that_holds_it_up_is_not_waited_for(server: Server):
    checkpointer = Checkpointer(server)
    server.write()
    reader = sqlite3.connect(server.database.path, isolation_level=None)
    reader.execute("begin")
    reader.execute("select count(*) from daemon_starts").fetchone()
    server.write()
    for _ in range(3):
        checkpointer.tick()
    assert left_in_log(server) > 0
    reader.close()
    checkpointer.tick()
    assert left_in_log(server) == 0


def test_a_log_that_grew_too_large_is_cut_off(server: Server, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(checkpointing, "WAL_BYTES_TOO_MANY", 100_000)
    checkpointer = Checkpointer(server)
    server.write(200)
    reader = sqlite3.connect(server.database.path, isolation_level=None)
    reader.execute("begin")
    reader.execute("select count(*) from daemon_starts").fetchone()
    statements: list[str] = []
    server.database.connection.set_trace_callback(statements.append)
    checkpointer.tick()
    checkpointer.tick()
    server.database.connection.set_trace_callback(None)
    assert statements[-3:] == [
        f"pragma busy_timeout = {READERS_WAITED_FOR_MS}",
        "pragma wal_checkpoint(truncate)",
        f"pragma busy_timeout = {BUSY_TIMEOUT_MS}",
    ]
    assert READERS_WAITED_FOR_MS < 50, "verdicts wait as long"
    reader.close()
    assert server.wal.stat().st_size > 100_000
    checkpointer.tick()
    assert server.wal.stat().st_size == 0


def test_a_checkpoint_that_fails_is_said_once(
    server: Server, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
):
    def fail(*_arguments: object) -> bool:
        raise sqlite3.OperationalError("disk I/O error")

    checkpointer = Checkpointer(server)
    server.write()
    monkeypatch.setattr(housekeeping, "checkpoint", fail)
    for _ in range(3):
        checkpointer.tick()
    assert [record.message for record in caplog.records] == ["the write-ahead log cannot be moved"]
    monkeypatch.undo()
    checkpointer.tick()
    assert left_in_log(server) == 0


async def test_old_requests_are_forgotten(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(housekeeping, "FORGET_SECONDS", 0)
    with open_new(tmp_path / "guardd.db") as database:
        for name, age in (("old", REMEMBERED_MS + 60_000), ("recent", REMEMBERED_MS - 60_000)):
            database.store.replies.keep("s", "m", name, b"", b"{}", now() - age)
        tending = asyncio.ensure_future(tend(Server(database, asyncio.get_running_loop())))

        def left() -> list[str]:
            return [name for (name,) in database.connection.execute("select request_id from requests")]

        while len(left()) == 2:  # noqa: ASYNC110 - what is waited for is in the database
            await asyncio.sleep(0.01)
        assert left() == ["recent"]
        tending.cancel()
        await asyncio.gather(tending, return_exceptions=True)


async def test_nothing_is_forgotten_while_the_clock_is_in_doubt(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(housekeeping, "FORGET_SECONDS", 0)
    monkeypatch.setattr(housekeeping, "TICK_SECONDS", 0.001)
    with open_new(tmp_path / "guardd.db") as database:
        database.store.replies.keep("s", "m", "a", b"", b"{}", now())
        server = Server(database, asyncio.get_running_loop())
        asked: list[int] = []

        def was_kept(milliseconds: int) -> bool:
            asked.append(milliseconds)
            return False

        monkeypatch.setattr(server.pace, "was_kept", was_kept)
        monkeypatch.setattr(writer, "now", lambda: now() + 10 * REMEMBERED_MS)
        tending = asyncio.ensure_future(tend(server))
        while len(asked) < 3:  # noqa: ASYNC110 - it is the attempts that are waited for
            await asyncio.sleep(0.001)
        tending.cancel()
        await asyncio.gather(tending, return_exceptions=True)
        assert set(asked) == {REMEMBERED_MS}
        assert count_requests(database) == 1


async def test_many_old_requests_are_forgotten_a_few_at_a_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(housekeeping, "FORGET_SECONDS", 0)
    with open_new(tmp_path / "guardd.db") as database:
        server = Server(database, asyncio.get_running_loop())
        many = 5 * MOST_REQUESTS_AT_ONCE
        for number in range(many):
            database.store.replies.keep("s", "m", str(number), b"", b"{}", number // 2)
        left = [many]
        tending = asyncio.ensure_future(tend(server))
        while left[-1]:
            left.append(await server.writer.run(lambda _now: count_requests(database)))
            await asyncio.sleep(0)
        tending.cancel()
        await asyncio.gather(tending, return_exceptions=True)
    steps = [before - after for before, after in itertools.pairwise(left)]
    assert 0 < max(steps) <= MOST_REQUESTS_AT_ONCE + 2


def count_requests(database: Database) -> int:
    (count,) = database.connection.execute("select count(*) from requests").fetchone()
    return int(count)


class Watchdog(Notifier):
    fed = 0

    def alive(self) -> bool:
        self.fed += 1
        return True


class StuckWriter:
    """Takes work and never does it."""

    def __init__(self) -> None:
        self.asked = 0

    async def run(self, _work: Callable[[int], None]) -> None:
        self.asked += 1
        await asyncio.Event().wait()


class FailingWriter:
    async def run(self, _work: Callable[[int], None]) -> None:
        raise StorageUnavailable


async def is_fed(writer: object, rounds: int = 100) -> bool:
    """Whether a watchdog is fed again and again, within so many rounds of the loop."""
    watchdog = Watchdog()
    feeding = asyncio.ensure_future(feed_watchdog(SimpleNamespace(writer=writer), watchdog, 0))
    for _ in range(rounds):
        await asyncio.sleep(0)
    feeding.cancel()
    await asyncio.gather(feeding, return_exceptions=True)
    return watchdog.fed > 2


async def test_the_watchdog_is_fed_while_the_writer_answers(tmp_path: Path):
    with open_new(tmp_path / "guardd.db") as database:
        assert await is_fed(Writer(asyncio.get_running_loop(), database.store, lambda: None, lambda: None))


async def test_a_hung_writer_feeds_no_watchdog():
    writer = StuckWriter()
    assert not await is_fed(writer)
    assert writer.asked == 1


async def test_a_full_disk_is_no_reason_to_be_restarted():
    assert await is_fed(FailingWriter())


def test_an_idle_daemons_log_is_in_its_file(daemon: Daemon):
    """So that a copy of the file alone, the most careless backup, has all but the last moments."""
    for _ in range(10):
        daemon.ask("tool.before", runId="r", toolName="t")

    def copied() -> bool:
        copy = daemon.directory / "copy.db"
        copy.write_bytes(daemon.database.read_bytes())
        connection = sqlite3.connect(copy)
        (count,) = connection.execute("select count(*) from calls").fetchone()
        connection.close()
        return bool(count == 10)

    eventually(copied)
