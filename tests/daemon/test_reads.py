"""The methods that only read, on a real daemon, and copies of the database."""

import os
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, nullcontext
from pathlib import Path
from typing import Any

import pytest
from support.daemon import Daemon, RawClient, eventually
from support.databases import new_call, open_new
from support.guarding import run_scope

from guardd.daemon.reads import MOST_ROWS, back_up
from guardd.protocol.errors import InvalidParams, RunAmbiguous, RunNotFound
from guardd.store.opening import Database


def all_of(client: RawClient, method: str, items: str, **params: Any) -> list[Any]:
    """A list whole, by following the cursors of its pages."""
    found = []
    while True:
        page = client.ask(method, **params)
        assert len(page[items]) <= params["limit"]
        found += page[items]
        if "nextCursor" not in page:
            return found
        assert len(page[items]) == params["limit"]
        params["cursor"] = page["nextCursor"]


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    """A daemon with five runs of two sources, two of which loop."""
    loops = {"enabled": True, "warningThreshold": 3}
    with Daemon(tmp_path_factory.mktemp("filled"), {"tools": {"loopDetection": loops}}) as daemon:
        daemon.start()
        fill(daemon)
        yield daemon


def fill(daemon: Daemon) -> None:
    with daemon.connect() as client:
        for name, source, times in (
            ("turn-1", "a", 1),
            ("turn-2", "a", 4),
            ("turn-2", "b", 1),
            ("other", "b", 5),
            ("last", "b", 1),
        ):
            for _ in range(times):
                client.ask("tool.before", runId=name, source=source, toolName="t", agentId=f"agent {source}")
            if name == "other":
                client.ask("run.end", runId=name, source=source, status="failed", reason="gave up")


def names(runs: list[Any]) -> list[str]:
    return [f"{run['source']}/{run['run']}" for run in runs]


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        ({}, ["b/last", "b/turn-2", "a/turn-2", "a/turn-1", "b/other"]),
        ({"source": "a"}, ["a/turn-2", "a/turn-1"]),
        ({"agentId": "agent b", "status": "active"}, ["b/last", "b/turn-2"]),
        ({"status": "failed"}, ["b/other"]),
        ({"looping": True}, ["a/turn-2", "b/other"]),
        ({"looping": False, "source": "b"}, ["b/last", "b/turn-2"]),
        ({"since": "2999-01-01T00:00:00Z"}, []),
    ],
)
def test_runs_are_listed_by_what_is_asked_for(filled: Daemon, wanted: dict[str, Any], found: list[str]):
    assert sorted(names(filled.ask("run.list", **wanted)["runs"])) == sorted(found)


def test_runs_come_by_newest_activity_page_by_page(filled: Daemon):
    with filled.connect() as client:
        everything = client.ask("run.list")["runs"]
        activity = [run["lastActivityAt"] for run in everything]
        assert activity == sorted(activity, reverse=True)
        for limit in (1, 2, 5):
            assert all_of(client, "run.list", "runs", limit=limit) == everything


@pytest.mark.parametrize(
    ("reference", "found"),
    [("turn-1", "a/turn-1"), ("a/turn-2", "a/turn-2"), ("las", "b/last"), ("latest", "b/last")],
)
def test_a_run_is_named_in_one_of_four_ways(filled: Daemon, reference: str, found: str):
    assert names([filled.ask("run.get", run=reference)]) == [found]


def test_a_run_that_several_may_be_names_them(filled: Daemon):
    with pytest.raises(RunAmbiguous) as caught:
        filled.ask("run.get", run="turn-2")
    assert sorted(caught.value.candidates) == ["a/turn-2", "b/turn-2"]


@pytest.mark.parametrize("method", ["run.get", "run.history", "run.explain", "run.reset", "event.list"])
def test_a_run_that_none_is(filled: Daemon, method: str):
    with pytest.raises(RunNotFound):
        filled.ask(method, run="nobody's")


def test_a_verdict_is_explained_by_the_configuration_in_force(make_daemon: Callable[..., Daemon]):
    loops = {"enabled": True, "warningThreshold": 3, "criticalThreshold": 5}
    daemon = make_daemon({"tools": {"loopDetection": loops}}).start()
    with daemon.connect() as client:
        for _ in range(4):
            client.ask("tool.before", runId="r", toolName="t")
        explained = client.ask("run.explain", run="r")
        assert (explained["seq"], explained["action"], explained["counted"]) == (4, "warn", [1, 2, 3])
        threshold = explained["thresholds"]["warningThreshold"]
        assert threshold["value"] == 3
        assert threshold["origin"].endswith(": tools.loopDetection.warningThreshold")
        daemon.configure({"tools": {"loopDetection": {**loops, "warningThreshold": 4}}})
        client.ask("config.reload")
        changed = client.ask("run.explain", run="r", seq=4)
        assert changed["counted"] == [1, 2, 3]
        assert "The configuration has changed since: warningThreshold is 4" in changed["text"]
        with pytest.raises(InvalidParams, match="the run has no call 9") as caught:
            client.ask("run.explain", run="r", seq=9)
        assert caught.value.field == "seq"


def test_a_history_has_the_newest_thousand_calls_at_least(client: RawClient, run_id: str):
    requests = [client.request("tool.before", runId=run_id, toolName="t", args=[n]) for n in range(1100)]
    client.pipeline(requests)
    newest = client.ask("run.history", run=run_id)
    assert [call["seq"] for call in newest["calls"]] == list(range(101, 1101))
    older = client.ask("run.history", run=run_id, cursor=newest["nextCursor"])
    assert [call["seq"] for call in older["calls"]] == list(range(1, 101))
    assert "nextCursor" not in older
    few = all_of(client, "run.history", "calls", run=run_id, afterSeq=1050, limit=20)
    assert [call["seq"] for call in few] == list(range(1051, 1101))
    assert len(client.ask("run.history", run=run_id, limit=10 * MOST_ROWS)["calls"]) == MOST_ROWS


@pytest.mark.parametrize("method", ["run.list", "run.history", "event.list"])
def test_a_cursor_of_nobody_is_refused(filled: Daemon, method: str):
    params = {"run": "turn-1"} if method == "run.history" else {}
    with pytest.raises(InvalidParams):
        filled.ask(method, cursor="nonsense", **params)


def test_a_damaged_database_is_found_by_a_check(make_daemon: Callable[..., Daemon]):
    daemon = make_daemon().start()
    with daemon.connect() as client:
        client.pipeline(
            client.request("tool.before", runId="r", toolName="t" * 300, args=[n]) for n in range(300)
        )
    assert daemon.ask("db.check") == {"ok": True, "problems": []}
    daemon.stop()
    page = daemon.database.read_bytes().index(b"t" * 300) // 4096 * 4096
    daemon.start()  # and only then: it does not start on a damaged one
    with daemon.database.open("r+b") as file:
        file.seek(page)
        file.write(bytes(4096))
    checked = daemon.ask("db.check")
    assert not checked["ok"]
    assert checked["problems"]


# Copies


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    with open_new(tmp_path / "guardd.db") as database:
        run = database.store.enter_run(run_scope("r"), None, 0)
        for seq in range(1, 101):
            database.store.insert_call(new_call(run, seq))
        yield database


def test_a_backup_is_whole_and_private(database: Database, tmp_path: Path):
    target = tmp_path / "copy.db"
    result = back_up(database.path, target, nullcontext)
    assert (result.path, result.bytes) == (str(target), target.stat().st_size)
    assert target.stat().st_mode & 0o777 == 0o600
    with closing(sqlite3.connect(target)) as copy:
        assert copy.execute("select count(*) from calls").fetchone() == (100,)
        assert copy.execute("pragma integrity_check").fetchone() == ("ok",)


def test_a_backup_replaces_no_file(database: Database, tmp_path: Path):
    target = tmp_path / "precious"
    target.write_text("precious", encoding="utf-8")
    with pytest.raises(InvalidParams, match=f"^{target} exists already, .*: name another"):
        back_up(database.path, target, nullcontext)
    assert target.read_text(encoding="utf-8") == "precious"


@pytest.mark.parametrize(
    ("path", "why"),
    [("copy.db", "must be absolute"), ("/no/such/place/copy.db", "cannot be written"), ("/tmp/\0", "null")],  # noqa: S108
)
def test_a_backup_says_why_it_cannot_be_written(database: Database, path: str, why: str):
    with pytest.raises(InvalidParams, match=why) as caught:
        back_up(database.path, Path(path), nullcontext)
    assert caught.value.field == "path"


@pytest.mark.parametrize("target", ["real", "nowhere", "."])
def test_a_backup_follows_no_link(database: Database, tmp_path: Path, target: str):
    (tmp_path / "real").write_bytes(b"")
    (tmp_path / "copy.db").symlink_to(target)
    with pytest.raises(InvalidParams, match="exists already"):
        back_up(database.path, tmp_path / "copy.db", nullcontext)
    assert (tmp_path / "real").read_bytes() == b""
    assert not (tmp_path / "nowhere").exists()


@pytest.mark.parametrize("name", [".", "..", "x/../..", "/proc", "/dev/null", "/proc/self/mem", "/"])
def test_a_backup_is_a_new_file(database: Database, tmp_path: Path, name: str):
    (tmp_path / "x").mkdir()
    with pytest.raises(InvalidParams, match="exists already"):
        back_up(database.path, tmp_path / name, nullcontext)


def test_a_path_of_a_backup_may_have_dots(database: Database, tmp_path: Path):
    (tmp_path / "x").mkdir()
    back_up(database.path, tmp_path / "x" / ".." / "copy.db", nullcontext)
    assert (tmp_path / "copy.db").stat().st_mode & 0o777 == 0o600


def test_a_backup_is_not_made_where_others_could_exchange_it(database: Database, tmp_path: Path):
    place = tmp_path / "place"
    place.mkdir()
    place.chmod(0o777)
    (tmp_path / "way").symlink_to("place")
    for directory in (place, tmp_path / "way"):
        with pytest.raises(InvalidParams, match="anyone may write to the directory"):
            back_up(database.path, directory / "copy.db", nullcontext)
    place.chmod(0o1777)
    back_up(database.path, place / "copy.db", nullcontext)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
def test_a_backup_is_not_made_in_a_directory_of_another_user(database: Database, tmp_path: Path):
    (tmp_path / "home").mkdir()
    os.chown(tmp_path / "home", 65534, 65534)
    with pytest.raises(InvalidParams, match="belongs to nobody, who could replace what is in it"):
        back_up(database.path, tmp_path / "home" / "copy.db", nullcontext)
    assert list((tmp_path / "home").iterdir()) == []


def test_a_backup_makes_no_directory(database: Database, tmp_path: Path):
    with pytest.raises(
        InvalidParams, match=f"there is no directory {tmp_path}/none; guardd can write to {tmp_path}$"
    ):
        back_up(database.path, tmp_path / "none" / "copy.db", nullcontext)
    assert not (tmp_path / "none").exists()


def test_a_backup_that_fails_leaves_nothing_behind(tmp_path: Path):
    broken = tmp_path / "broken.db"
    broken.write_bytes(b"no database at all, whatever it is called" * 100)
    with pytest.raises(InvalidParams, match="cannot be written"):
        back_up(broken, tmp_path / "copy.db", nullcontext)
    assert not (tmp_path / "copy.db").exists()


def test_a_backup_is_made_while_others_write(shared: Daemon, tmp_path: Path, run_id: str):
    target = tmp_path / "copy.db"
    with shared.connect() as admin, shared.connect() as gateway:
        backup = admin.request("db.backup", path=str(target))
        admin.send_line(backup)
        seqs = [gateway.ask("tool.before", runId=run_id, toolName="t")["seq"] for _ in range(50)]
        assert admin.read_line()["result"]["path"] == str(target)
    assert seqs == list(range(1, 51))
    with closing(sqlite3.connect(target)) as copy:
        assert copy.execute("pragma integrity_check").fetchone() == ("ok",)


def test_a_backup_starts_a_daemon(daemon: Daemon, make_daemon: Callable[..., Daemon], tmp_path: Path):
    """The history goes on, with the fingerprints that it has."""
    for _ in range(2):
        daemon.ask("tool.before", runId="r", toolName="t")
    directory = tmp_path / "restored"
    directory.mkdir()
    daemon.ask("db.backup", path=str(directory / "guardd.db"))
    restored = make_daemon(directory=directory).start()
    actions = [restored.ask("tool.before", runId="r", toolName="t")["action"] for _ in range(2)]
    assert actions == ["allow", "warn"]
    eventually(lambda: restored.ask("server.status")["calls"] == 4)
