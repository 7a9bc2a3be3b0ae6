"""The time of day jumps, and nothing that is decided depends on it."""

import itertools
from collections.abc import Callable
from typing import Any

import pytest
from support.daemon import Configuration, Daemon
from support.meddling import Meddling

Start = Callable[[Configuration], Daemon]
HOUR = 3_600_000
DAY = 24 * HOUR
YEAR = 365 * DAY
JUMPS = (0, -HOUR, DAY, -DAY, 10 * YEAR, 0, 200 * YEAR, -50 * YEAR, HOUR)
"""All within what Linux lets a clock be set to."""
CONFIG = {
    "tools": {
        "loopDetection": {
            "enabled": True,
            "warningThreshold": 4,
            "criticalThreshold": 8,
            "globalCircuitBreakerThreshold": 12,
        }
    },
    "guardd": {"retention": {"days": 14}},
}


def report(daemon: Daemon, run: str, number: int, method: str = "tool.before") -> Any:
    params = {
        "runId": run,
        "toolName": "exec",
        "toolCallId": f"call-{number}",
        "requestId": f"{run}-{number}",
    }
    return daemon.ask(method, **params, **({"result": "same"} if method == "tool.after" else {}))


def loop(daemon: Daemon, run: str, before_each: Callable[[], None]) -> list[Any]:
    """A run that loops until it is aborted, and a compaction on the way; what was answered."""
    answers = []
    for number in range(20):
        before_each()
        answers.append(report(daemon, run, number))
        before_each()
        answers.append(report(daemon, run, number, "tool.after"))
        if number == 2:
            before_each()
            answers.append(daemon.ask("compaction.record", runId=run, reason="overflow"))
    return answers


def test_verdicts_are_those_of_an_uninterrupted_twin(meddling: Meddling, meddled: Start):
    daemon = meddled(CONFIG)
    jumps = itertools.cycle(JUMPS)
    jumping = loop(daemon, "jumping", lambda: meddling.turn_clocks(next(jumps)))
    meddling.turn_clocks(0)
    assert loop(daemon, "twin", lambda: None) == jumping
    assert jumping[-1]["action"] == "abort"
    calls = daemon.ask("run.history", run="jumping")["calls"]
    assert [call["seq"] for call in calls] == list(range(1, len(calls) + 1))
    assert {run["run"] for run in daemon.ask("run.list")["runs"]} == {"jumping", "twin"}
    assert daemon.ask("event.list")["events"]
    assert "Traceback" not in daemon.log()


def test_what_is_repeated_counts_once_whatever_the_clock_says(meddling: Meddling, meddled: Start):
    daemon = meddled(CONFIG)
    for jump in JUMPS:
        meddling.turn_clocks(jump)
        assert report(daemon, "r", 0)["seq"] == 1
    daemon.restart()
    assert report(daemon, "r", 0)["seq"] == 1


def runs(daemon: Daemon) -> set[str]:
    return {run["run"] for run in daemon.ask("run.list")["runs"]}


def make_runs(daemon: Daemon) -> None:
    for name in ("active", "aborted", "ended"):
        report(daemon, name, 0)
    daemon.ask("run.abort", run="aborted", reason="enough")
    daemon.ask("run.end", runId="ended", status="completed")


def test_after_a_jump_forward_no_live_run_counts_as_silent(meddling: Meddling, meddled: Start):
    daemon = meddled(CONFIG)
    make_runs(daemon)
    meddling.turn_clocks(10 * YEAR)
    daemon.ask("db.prune")
    assert runs(daemon) == {"active", "aborted"}
    assert report(daemon, "aborted", 1)["action"] == "abort"
    assert "the clock has jumped forward" in daemon.log()
    meddling.turn_clocks(10 * YEAR + 2 * DAY, 2 * DAY)
    daemon.ask("db.prune")
    assert runs(daemon) == {"aborted"}, "the clock is believed when it has gone on like that for a day"


def test_a_machine_that_slept_has_not_jumped(meddling: Meddling, meddled: Start):
    daemon = meddled(CONFIG)
    make_runs(daemon)
    meddling.turn_clocks(30 * DAY, 30 * DAY)
    daemon.ask("db.prune")
    assert runs(daemon) == set()
    assert "jumped" not in daemon.log()


@pytest.mark.parametrize("jump", [200 * YEAR, -50 * YEAR])
def test_a_daemon_starts_whatever_the_clock_says(meddling: Meddling, meddled: Start, jump: int):
    meddling.turn_clocks(jump)
    daemon = meddled(CONFIG)
    assert report(daemon, "r", 0)["seq"] == 1
    assert daemon.ask("server.status")["runs"] == 1
    assert len(daemon.ask("run.history", run="r")["calls"]) == 1
    assert daemon.stop() == 0
