"""What is old goes, step by step, and what a live run needs stays."""

import asyncio
import sqlite3
from collections.abc import AsyncIterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from support.databases import close, make_database, new_call, open_new
from support.guarding import config, run_scope

from guardd.daemon import retention
from guardd.daemon.clock import now
from guardd.daemon.pace import Pace
from guardd.daemon.retention import CLOCK_KEPT_MS, DAY_MS, PAGES_AT_ONCE, apply, keep_retention, prune
from guardd.daemon.writer import Writer
from guardd.protocol.errors import InvalidParams, StorageUnavailable
from guardd.protocol.operator_methods import DatabasePrune
from guardd.store.opening import Database, open_database
from guardd.vocabulary import RunStatus


class Server:
    """As much of a server as retention needs."""

    def __init__(self, database: Database, **settings: int) -> None:
        self.database = database
        self.pace = Pace()
        self.config = config(retention=settings)
        self.writer: Any = Writer(asyncio.get_running_loop(), database.store, lambda: None, lambda: None)

    def add_run(
        self, name: str, days_ago: float, *, calls: int = 1, status: RunStatus | None = RunStatus.COMPLETED
    ) -> None:
        at = now() - int(days_ago * DAY_MS)
        store = self.database.store
        store.begin()
        run = store.enter_run(run_scope(name), None, at)
        for seq in range(1, calls + 1):
            store.insert_call(new_call(run, seq, call_id="c" * 400))
        if status is not None:
            store.end_run(run, status, None, at)
        store.commit()

    @property
    def runs(self) -> dict[str, int]:
        """The runs that there are, and how many calls of each."""
        return dict(
            self.database.connection.execute(
                "select name, (select count(*) from calls where run_id = runs.id) from runs order by id"
            ).fetchall()
        )


@pytest.fixture
async def server(tmp_path: Path) -> AsyncIterator[Server]:
    with open_new(tmp_path / "guardd.db") as database:
        yield Server(database, days=10, maxCallsPerRun=100)


async def test_prune_deletes_what_is_older_than_the_configured_retention(server: Server):
    for days in (30, 11, 9):
        server.add_run(f"{days} days old", days, calls=days)
    found = await prune(server, DatabasePrune(dry_run=True))
    assert (found.runs, found.calls, found.dry_run) == (2, 41, True)
    assert len(server.runs) == 3
    deleted = await prune(server, DatabasePrune())
    assert (deleted.runs, deleted.calls, deleted.dry_run) == (2, 41, False)
    assert server.runs == {"9 days old": 9}


async def test_prune_deletes_ended_runs_since_any_moment(server: Server):
    server.add_run("ended", 2)
    server.add_run("goes on", 2, status=None)
    server.add_run("recent", 0)
    older_than = datetime.fromtimestamp(now() / 1000, UTC) - timedelta(days=1)
    deleted = await prune(server, DatabasePrune(older_than=older_than))
    assert (deleted.runs, deleted.kept) == (1, 1)
    assert list(server.runs) == ["goes on", "recent"]


async def test_prune_refuses_a_moment_in_the_future(server: Server):
    server.add_run("ended", 0)
    older_than = datetime.fromtimestamp(now() / 1000, UTC) + timedelta(days=1)
    for dry_run in (True, False):
        with pytest.raises(InvalidParams, match="olderThan is in the future") as caught:
            await prune(server, DatabasePrune(older_than=older_than, dry_run=dry_run))
        assert caught.value.field == "olderThan"
    assert list(server.runs) == ["ended"]


async def test_what_is_live_stays_while_the_clock_is_in_doubt(
    server: Server, monkeypatch: pytest.MonkeyPatch
):
    """However old it looks; what has ended goes by hand all the same."""
    for number, status in enumerate((RunStatus.COMPLETED, None)):
        server.add_run(str(number), 3650, status=status)
    asked: list[int] = []
    monkeypatch.setattr(server.pace, "was_kept", asked.append)
    await apply(server)
    assert list(server.runs) == ["0", "1"]
    await prune(server, DatabasePrune())
    assert list(server.runs) == ["1"]
    assert set(asked) == {CLOCK_KEPT_MS}
    monkeypatch.undo()
    await apply(server)
    assert not server.runs


async def test_long_runs_lose_their_oldest_calls_but_none_that_a_window_needs(tmp_path: Path):
    with open_new(tmp_path / "guardd.db") as database:
        server = Server(database, maxCallsPerRun=100)
        server.add_run("long", 0, calls=1500)
        await apply(server)
        assert server.runs == {"long": 100}
        server.config = config(
            {"historySize": 80}, {"a": {"historySize": 90}}, retention={"maxCallsPerRun": 10}
        )
        await apply(server)
        assert server.runs == {"long": 90}


async def test_a_database_that_is_too_large_loses_its_oldest_ended_runs(tmp_path: Path):
    with open_new(tmp_path / "guardd.db") as database:
        server = Server(database, maxDatabaseMB=1)
        for number in range(8):
            server.add_run(
                str(number), 1 - number / 10, calls=200, status=None if number == 2 else RunStatus.FAILED
            )
        await apply(server)
        assert 1 < len(server.runs) < 6
        assert list(server.runs)[:1] + list(server.runs)[-1:] == ["2", "7"]
        (free,) = database.connection.execute("pragma freelist_count").fetchone()
        assert free <= PAGES_AT_ONCE


async def test_it_says_when_nothing_may_go(tmp_path: Path, caplog: pytest.LogCaptureFixture):
    with open_new(tmp_path / "guardd.db") as database:
        server = Server(database, maxDatabaseMB=1)
        server.add_run("alive", 0, calls=3000, status=None)
        await apply(server)
        assert list(server.runs) == ["alive"]
        assert "larger than it may be" in caplog.text


async def test_a_file_that_keeps_its_free_pages_is_left_as_it_is(tmp_path: Path):
    """One that was restored by other means than guardd's, without incremental vacuum."""
    path = make_database(tmp_path / "guardd.db")
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript("pragma auto_vacuum = none; vacuum")
    database = open_database(path, "normal", 0)
    server = Server(database, days=1)
    server.add_run("old", 5, calls=3000)
    await asyncio.wait_for(apply(server), 20)
    assert server.runs == {}
    close(database)


@pytest.mark.parametrize("error", [StorageUnavailable("full"), sqlite3.OperationalError("disk I/O error")])
async def test_what_cannot_be_done_now_is_tried_again(
    server: Server, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, error: Exception
):
    attempts = 0

    async def failing(_server: object) -> None:
        nonlocal attempts
        attempts += 1
        raise error

    monkeypatch.setattr(retention, "apply", failing)
    monkeypatch.setattr(retention, "PERIOD_SECONDS", 0.001)
    keeping = asyncio.ensure_future(keep_retention(server))
    while attempts < 3:  # noqa: ASYNC110 - it is the attempts that are waited for
        await asyncio.sleep(0.001)
    assert not keeping.done()
    keeping.cancel()
    await asyncio.gather(keeping, return_exceptions=True)
    assert "retention was not applied; it will be tried again" in caplog.text


async def test_others_may_write_between_two_steps(server: Server):
    for number in range(5):
        server.add_run(str(number), 20)
    order: list[str] = []
    pruning = asyncio.ensure_future(prune(server, DatabasePrune()))
    while not pruning.done():
        await server.writer.run(lambda _now: order.append(str(len(server.runs))))
        await asyncio.sleep(0.001)
    assert {"4", "3", "2", "1"} <= set(order)


async def test_a_prune_that_nobody_waits_for_stops_between_two_runs(
    server: Server, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(retention, "PAUSE_SECONDS", 1000)
    for number in range(3):
        server.add_run(f"r{number}", 20 - number)
    pruning = asyncio.ensure_future(prune(server, DatabasePrune()))
    while len(server.runs) == 3:  # noqa: ASYNC110 - there is no event of that
        await asyncio.sleep(0)
    pruning.cancel()
    await asyncio.wait([pruning])
    assert server.runs == {"r1": 1, "r2": 1}
