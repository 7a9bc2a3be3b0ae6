"""One transaction for what has arrived, and only those at fault get an error."""

import asyncio
import gc
import json
import logging
import resource
import sqlite3
import sys
import weakref
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from support.daemon import Daemon, RawClient, eventually
from support.databases import open_new

from guardd.daemon.writer import MOST_AT_ONCE, Change, Writer
from guardd.protocol.errors import InternalError, InvalidParams, RpcError, StorageUnavailable
from guardd.store.opening import Database

Outcome = bytes | RpcError


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    with open_new(tmp_path / "guardd.db") as database:
        yield database


class Bench:
    """A writer on a real database, whose changes are rows of a table of its own."""

    def __init__(self, database: Database, loop: asyncio.AbstractEventLoop) -> None:
        self.connection = database.connection
        self.connection.execute("create table notes (note text primary key) strict")
        self.store = database.store
        self.events: list[str] = []
        self.writer = Writer(
            loop, database.store, lambda: self.events.append("commit"), lambda: self.events.append("undo")
        )
        self.outcomes: dict[str, Outcome] = {}

    def note(self, name: str, then: Callable[[], None] = lambda: None) -> None:
        """Submit a change that writes a row and then does something else."""

        def work(_now: int) -> bytes:
            self.connection.execute("insert into notes values (?)", (name,))
            then()
            return json.dumps(name).encode()

        self.submit(name, work)

    def submit(self, name: str, work: Callable[[int], bytes]) -> None:
        def answer(outcome: Outcome) -> None:
            assert name not in self.outcomes
            self.outcomes[name] = outcome
            self.events.append(f"answer {name}")

        self.writer.submit(Change(work, answer))

    @property
    def notes(self) -> list[str]:
        return [note for (note,) in self.connection.execute("select note from notes order by rowid")]


@pytest.fixture
async def bench(database: Database) -> Bench:
    return Bench(database, asyncio.get_running_loop())


def failing(error: Exception) -> Callable[[], None]:
    def fail() -> None:
        raise error

    return fail


async def test_what_arrived_together_is_one_transaction_answered_after_its_commit(bench: Bench):
    for name in "abc":
        bench.note(name)
    assert not bench.events
    assert bench.writer.waiting == 3
    await asyncio.sleep(0)
    assert bench.events == ["commit", "answer a", "answer b", "answer c"]
    assert bench.notes == ["a", "b", "c"]
    assert (bench.writer.waiting, bench.writer.commits) == (0, 1)


async def test_many_are_several_transactions_in_order(bench: Bench):
    names = [f"{number:04}" for number in range(2 * MOST_AT_ONCE + 1)]
    for name in names:
        bench.note(name)
    bench.writer.flush()
    assert bench.notes == names
    assert list(bench.outcomes) == names
    assert bench.writer.commits == 3


async def test_the_loop_has_its_turn_between_two_transactions(bench: Bench):
    for number in range(2 * MOST_AT_ONCE):
        bench.note(str(number))
    await asyncio.sleep(0)
    assert bench.writer.waiting == MOST_AT_ONCE


async def test_a_callback_waits_for_what_was_submitted_before_it(bench: Bench):
    bench.note("a")
    bench.writer.after_pending(lambda: bench.events.append("callback"))
    bench.note("b")
    bench.writer.flush()
    assert bench.events == ["commit", "answer a", "callback", "answer b"]


async def test_a_callback_is_called_at_once_where_nothing_waits(bench: Bench):
    bench.writer.after_pending(lambda: bench.events.append("callback"))
    assert bench.events == ["callback"]


async def test_an_answer_may_submit_more(bench: Bench):
    bench.writer.submit(Change(lambda _now: b"", lambda _outcome: bench.note("later")))
    bench.writer.flush()
    assert bench.notes == ["later"]


async def test_a_refused_change_is_no_fault_of_the_others(bench: Bench):
    def refuse(_now: int) -> bytes:
        raise InvalidParams("no")

    bench.note("a")
    bench.submit("b", refuse)
    bench.note("c")
    bench.writer.flush()
    assert bench.writer.commits == 1
    assert str(bench.outcomes.pop("b")) == "no"
    assert bench.outcomes == {"a": b'"a"', "c": b'"c"'}


@pytest.mark.parametrize("position", [0, 1, 2])
async def test_a_change_that_fails_is_undone_alone(
    bench: Bench, caplog: pytest.LogCaptureFixture, position: int
):
    secret = "secret" * 2
    names = ["a", "b", "c"]
    for index, name in enumerate(names):
        bench.note(name, failing(ValueError(secret)) if index == position else lambda: None)
    bench.writer.flush()
    failed = names.pop(position)
    assert bench.notes == names
    error = bench.outcomes.pop(failed)
    assert isinstance(error, InternalError)
    assert secret not in json.dumps(error.to_wire())
    assert bench.outcomes == {name: json.dumps(name).encode() for name in names}
    (record,) = caplog.records
    assert record.getMessage() == "a request failed inside guardd; this is a bug"


async def test_a_change_that_the_database_refuses_is_undone_alone(
    bench: Bench, caplog: pytest.LogCaptureFixture
):
    bench.note("a")
    bench.note("b", failing(sqlite3.OperationalError("database or disk is full")))
    bench.note("c")
    bench.writer.flush()
    assert bench.notes == ["a", "c"]
    error = bench.outcomes["b"]
    assert isinstance(error, StorageUnavailable)
    assert error.message == "the database cannot be written (database or disk is full); nothing was recorded"
    assert [bench.outcomes[name] for name in "ac"] == [b'"a"', b'"c"']
    assert caplog.records[0].message == "the database cannot be written"


@pytest.mark.parametrize(
    ("error", "answer"),
    [
        (sqlite3.OperationalError("disk I/O error"), StorageUnavailable),
        (sqlite3.DatabaseError("database disk image is malformed"), StorageUnavailable),
        (sqlite3.IntegrityError("CHECK constraint failed"), InternalError),
        (sqlite3.ProgrammingError("a bind parameter is missing"), InternalError),
        (KeyError("toolName"), InternalError),
        (RecursionError(), InternalError),
        (MemoryError(), InternalError),
    ],
)
async def test_what_a_failure_is_answered_with(bench: Bench, error: Exception, answer: type[RpcError]):
    bench.note("a", failing(error))
    bench.writer.flush()
    assert type(bench.outcomes["a"]) is answer
    assert bench.notes == []


async def test_a_failing_commit_loses_no_answer_and_records_nothing(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(bench.store, "commit", failing(sqlite3.OperationalError("disk I/O error")))
    for name in "abc":
        bench.note(name)
    bench.writer.flush()
    assert all(isinstance(bench.outcomes[name], StorageUnavailable) for name in "abc")
    assert bench.notes == []
    assert "commit" not in bench.events
    monkeypatch.undo()
    bench.note("d")
    bench.writer.flush()
    assert bench.notes == ["d"]


async def test_a_locked_database_is_waited_for_once_and_not_for_each(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
):
    attempts = []

    def begin() -> None:
        attempts.append(1)
        raise sqlite3.OperationalError("database is locked")

    monkeypatch.setattr(bench.store, "begin", begin)
    for name in "abc":
        bench.note(name)
    bench.writer.flush()
    assert len(attempts) == 1
    assert all(isinstance(bench.outcomes[name], StorageUnavailable) for name in "abc")


async def test_events_of_what_was_undone_are_never_told(bench: Bench, monkeypatch: pytest.MonkeyPatch):
    """Not even where undoing fails too."""
    monkeypatch.setattr(bench.store, "rollback", failing(sqlite3.OperationalError("disk I/O error")))
    bench.note("a", failing(sqlite3.OperationalError("disk I/O error")))
    bench.writer.flush()
    assert bench.events == ["undo", "answer a"]
    assert isinstance(bench.outcomes["a"], StorageUnavailable)


async def test_a_fault_in_telling_does_not_make_the_changes_again(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
):
    monkeypatch.setattr(bench.writer, "_committed", failing(ValueError("a watcher")))
    bench.note("a")
    bench.note("b")
    bench.writer.flush()
    assert bench.outcomes == {"a": b'"a"', "b": b'"b"'}
    assert bench.notes == ["a", "b"]
    assert caplog.records[0].levelno == logging.ERROR


async def test_a_fault_in_answering_is_no_fault_of_the_others(bench: Bench, caplog: pytest.LogCaptureFixture):
    fail = failing(ValueError("a connection"))
    bench.note("a")
    bench.writer.submit(Change(lambda _now: b"", lambda _outcome: fail()))
    bench.writer.after_pending(fail)
    bench.note("b")
    bench.writer.flush()
    assert bench.outcomes == {"a": b'"a"', "b": b'"b"'}
    assert [record.levelno for record in caplog.records] == [logging.ERROR] * 2


async def test_the_log_says_once_that_writing_fails_and_once_that_it_works_again(
    bench: Bench, caplog: pytest.LogCaptureFixture
):
    full = failing(sqlite3.OperationalError("database or disk is full"))
    for name in "abc":
        bench.note(name, full)
        bench.writer.flush()
        bench.submit(name + " only reads", lambda _now: b"{}")
        bench.writer.flush()
    bench.note("d")
    bench.note("e")
    bench.writer.flush()
    assert [record.message for record in caplog.records] == [
        "the database cannot be written",
        "the database can be written again",
    ]


async def test_run_gives_what_the_work_returned(bench: Bench):
    bench.note("a")
    assert await bench.writer.run(lambda now: ("done", now > 0)) == ("done", True)
    assert list(bench.outcomes) == ["a"]


async def test_run_raises_what_the_work_raised(bench: Bench):
    def refuse(_now: int) -> None:
        raise InvalidParams("no")

    with pytest.raises(InvalidParams, match="no"):
        await bench.writer.run(refuse)
    with pytest.raises(InternalError):
        await bench.writer.run(lambda _now: failing(ValueError())())


async def test_what_was_refused_is_forgotten(bench: Bench):
    refused: list[weakref.ref[InvalidParams]] = []

    def refuse(_now: int) -> None:
        error = InvalidParams("no")
        refused.append(weakref.ref(error))
        raise error

    for _ in range(3):
        with pytest.raises(InvalidParams, match="no"):
            await bench.writer.run(refuse)
    gc.collect()
    assert not any(error() for error in refused[:-1])  # pytest holds the last one


async def test_nobody_need_wait_for_what_he_has_begun(bench: Bench):
    waiting = asyncio.ensure_future(bench.writer.run(lambda _now: None))
    await asyncio.sleep(0)
    waiting.cancel()
    bench.writer.flush()
    assert bench.writer.commits == 1


# A real daemon, on a disk that is full


def fill(client: RawClient) -> dict[str, Any]:
    """Report calls until one is not recorded; its error."""
    for _ in range(10_000):
        reply = client.call("tool.before", runId="r", toolName="t" * 400)
        if "error" in reply:
            return reply["error"]
    raise AssertionError("the disk never got full")


LIMITED = """
import resource, signal, sys
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, ({limit}, resource.RLIM_INFINITY))
from guardd.cli.guardd import main
del sys.argv[0]
main()
"""


def test_on_a_full_disk_reads_go_on_and_work_resumes(make_daemon: Callable[..., Daemon]):
    """The disk is a limit on the size of files, which is lifted from outside later."""
    daemon = make_daemon(wrapper=[sys.executable, "-c", LIMITED.format(limit=600_000)])
    daemon.start()
    with daemon.connect() as client:
        error = fill(client)
        assert error["code"] == -32000
        assert error["data"] == {"kind": "storage_unavailable"}
        recorded = client.ask("run.get", run="r")["calls"]
        assert recorded > 0
        for _ in range(5):
            assert "error" in client.call("tool.before", runId="r", toolName="t" * 400)
        assert client.ask("run.get", run="r")["calls"] == recorded
        assert client.ask("db.check")["ok"]
        resource.prlimit(daemon.process.pid, resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY,) * 2)
        assert client.ask("tool.before", runId="r", toolName="t")["seq"] == recorded + 1
        log = daemon.log()
        assert log.count("ERROR writer: the database cannot be written") == 1
        assert log.count("the database can be written again") == 1
        assert "Traceback" not in log
    assert daemon.stop() == 0


def test_while_somebody_else_holds_the_database_nothing_is_recorded_and_then_all_is(daemon: Daemon):
    daemon.ask("tool.before", runId="r", toolName="t")
    other = sqlite3.connect(daemon.database, isolation_level=None)
    try:
        other.execute("begin immediate")
        with daemon.connect() as client:
            replies = client.pipeline(
                client.request("tool.before", runId="r", toolName="t") for _ in range(20)
            )
            assert {reply["error"]["code"] for reply in replies} == {-32000}
            assert client.ask("run.get", run="r")["calls"] == 1
            other.execute("rollback")
            eventually(lambda: "result" in client.call("tool.before", runId="r", toolName="t"))
    finally:
        other.close()
    assert daemon.ask("run.get", run="r")["calls"] == 2
    assert daemon.log().count("ERROR writer: the database cannot be written") == 1
