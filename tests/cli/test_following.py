import json
import signal
from collections.abc import Callable
from typing import Any

import pytest

from guardd.cli import following
from guardd.cli.errors import Failure
from guardd.cli.following import Follower
from guardd.cli.options import Shared
from guardd.cli.paging import History

Make = Callable[..., dict[str, Any]]


@pytest.fixture(autouse=True)
def _quickly(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(following, "INTERVAL", 0.01)
    monkeypatch.setattr(following, "RETRY", 0.01)


def seqs(batch: list[dict[str, Any]]) -> list[Any]:
    return [one.get("seq", one.get("kind")) for one in batch]


def test_only_news_is_news(make_run: Make, make_call: Make) -> None:
    run = make_run("r")
    marker = {"kind": "reset", "afterSeq": 1, "armed": False, "at": "2026-03-01T11:00:00.000Z"}
    past = History(run, [make_call(1), make_call(2, state="pending")], [marker], more=False)
    follower = Follower(past)
    assert seqs(follower.news(past)) == [1, "reset", 2]
    assert follower.news(past) == []
    assert follower.after == 1
    assert seqs(follower.news(History(run, [make_call(2), make_call(3)], [marker], more=False))) == [2, 3]
    assert follower.after == 3


def test_an_outcome_that_never_comes_is_not_waited_for_for_ever(make_run: Make, make_call: Make) -> None:
    run = make_run("r")
    follower = Follower(History(run, [], [], more=False))
    follower.news(History(run, [make_call(1, state="pending")], [], more=False))
    assert follower.after == 0
    follower.news(History(run, [make_call(seq) for seq in range(2, 200)], [], more=False))
    assert follower.after == 199


def test_a_daemon_that_comes_back_is_followed_on(
    daemon: Any, make_run: Make, make_call: Make, capsys: pytest.CaptureFixture[str]
) -> None:
    run = make_run("r")
    calls = [make_call(1)]
    daemon.answers["run.history"] = lambda _: {"run": "r", "calls": calls, "markers": []}
    batches = following.polled(Shared(), History(run, calls[:], [], more=False))
    assert seqs(next(batches)) == [1]
    calls.append(make_call(2))
    assert seqs(next(batches)) == [2]
    calls.append(make_call(3))
    daemon.stop()
    daemon.answers["run.history"] = lambda _: {"run": "r", "calls": [*calls, make_call(4)], "markers": []}
    daemon.start()
    assert seqs(next(batches)) in ([3], [3, 4])
    assert set(capsys.readouterr().err.splitlines()) <= {
        "guardd went away; waiting until it is back.",
        "guardd is back.",
    }


def test_events_missed_while_the_daemon_was_away_are_made_up_for(
    daemon: Any, make_event: Make, capsys: pytest.CaptureFixture[str]
) -> None:
    daemon.answers |= {"event.watch": {}, "event.list": {"events": [make_event(1)]}}
    daemon.after_reply["event.watch"] = [make_event(2)]
    daemon.hang_up_after = "event.watch"
    batches = following.watched(Shared(), {}, 10)
    assert seqs(next(batches)) == [1]
    assert seqs(next(batches)) == [2]
    daemon.answers["event.list"] = {"events": [make_event(4), make_event(3), make_event(2)]}
    assert seqs(next(batches)) == [3, 4]
    assert capsys.readouterr().err == "guardd went away; waiting until it is back.\nguardd is back.\n"


def test_without_a_daemon_there_is_nothing_to_follow() -> None:
    with pytest.raises(Failure) as failure:
        next(following.watched(Shared(), {}, 10))
    assert failure.value.status == 3


def test_history_follows_as_lines(
    daemon: Any, guardctl_process: Any, make_run: Make, make_call: Make
) -> None:
    calls = [make_call(1), make_call(2, state="pending", durationMs=None)]
    daemon.answers["run.get"] = make_run("r")
    daemon.answers["run.history"] = lambda params: {
        "run": "r",
        "calls": [call for call in calls if call["seq"] > params.get("afterSeq", 0)],
        "markers": [],
    }
    process = guardctl_process("history", "r", "--follow", "--json")
    assert [json.loads(process.stdout.readline())["seq"] for _ in range(2)] == [1, 2]
    calls[1] = make_call(2)
    line = json.loads(process.stdout.readline())
    assert (line["seq"], line["state"]) == (2, "ok")
    process.send_signal(signal.SIGINT)
    assert process.communicate()[1].strip() == ""
    assert process.returncode == 130
    assert daemon.params("run.history")[0] == {"run": "default/r", "limit": 20}


def test_history_follows_as_a_table(
    daemon: Any, guardctl_process: Any, make_run: Make, make_call: Make
) -> None:
    marker = {"kind": "gateway_restart", "afterSeq": 1, "armed": False, "at": "2026-03-01T11:00:02.000Z"}
    daemon.answers["run.get"] = make_run("r")
    daemon.answers["run.history"] = {
        "run": "r",
        "calls": [make_call(1), make_call(2, action="warn", detector="ping_pong", count=10)],
        "markers": [marker],
    }
    process = guardctl_process("history", "r", "--follow", COLUMNS="120")
    lines = [process.stdout.readline().rstrip() for _ in range(5)]
    assert lines[0] == "r · active · agent main · 12 calls"
    assert lines[1].split()[:3] == ["SEQ", "TIME", "TOOL"]
    assert lines[2].split()[:3] == ["1", "11:00:01", "exec"]
    assert lines[3] == "── the gateway restarted · 11:00:02 ──"
    assert lines[4].split()[-3:] == ["WARN", "ping_pong", "10"]
    assert lines[4].index("WARN") == lines[1].index("VERDICT")
