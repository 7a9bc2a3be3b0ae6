"""`openclaw agent --local` of real releases."""

import pytest
from support.mock_model import OVERFLOW, ToolCall

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(400)]

STUCK = [ToolCall("exec", {"command": "true"})]
BIG = [ToolCall("exec", {"command": "seq 9000"})]
UNSTUCK = 20
"""A stuck model gives up by itself at this turn, or a failing test would not end."""


def actions(calls):
    return [call["action"] for call in calls]


def test_a_looping_model_is_warned_and_blocked_and_its_run_ended(openclaw, model, history):
    """The daemon is killed and started again on the way, which changes nothing."""
    model.play(lambda turn: STUCK if turn < UNSTUCK else "Done.")
    said = openclaw.run(session="loop")
    calls, status = history()
    assert actions(calls) == ["allow"] * 3 + ["warn"] * 2 + ["block"] * 2 + ["abort"]
    assert [call["state"] for call in calls] == ["ok"] * 5 + ["blocked"] * 3
    assert status == "aborted"
    assert "guardd ended run" in said
    warned = [text for text in model.shown if "You have called" in text]
    assert len(warned) == 1
    assert warned[0].startswith("(no output)")
    assert len([text for text in model.shown if text.startswith("Blocked:")]) == 2
    assert model.turns == 8


def test_an_overflow_compaction_arms_the_guard_and_the_third_identical_outcome_ends_the_run(
    openclaw, model, daemon, history
):
    model.play(lambda turn: OVERFLOW if turn == 2 else (BIG if turn < UNSTUCK else "Done."))
    openclaw.run(session="overflow")
    calls, status = history()
    markers = daemon.ask("run.history", run="latest")["markers"]
    assert [
        (marker["afterSeq"], marker["armed"]) for marker in markers if marker["kind"] == "compaction"
    ] == [(2, True)]
    assert status == "aborted"
    assert [call["detector"] for call in calls if call["action"] == "abort"] == ["compaction_loop_persisted"]
    assert len(calls) == 5


def test_calls_that_only_appear_afterwards_and_ids_that_repeat(openclaw, model, history):
    script = [
        [ToolCall("no_such_tool", {"q": 1})],
        [ToolCall("exec", {"wrong": "x"})],
        [ToolCall("exec", {"command": f"echo {number}"}, f"call_{number}") for number in range(3)],
        [ToolCall("exec", {"command": "echo again"}, "call_0")],
        [ToolCall("read", {"path": "/nope/missing.txt"}, "call_0")],
    ]
    model.play(lambda turn: script[turn] if turn < len(script) else "Done.")
    openclaw.run(session="afterwards")
    calls, _status = history()
    assert sorted((call["toolName"], call["state"]) for call in calls) == [
        ("exec", "error"),
        *[("exec", "ok")] * 4,
        ("no_such_tool", "error"),
        ("read", "ok"),
    ]


def test_without_a_daemon_the_agent_finishes(openclaw, model, daemon):
    daemon.kill()
    try:
        model.play(lambda turn: STUCK if turn < 9 else "Finished by itself.")
        said = openclaw.run(session="alone")
    finally:
        daemon.start()
    assert "Finished by itself." in said
    assert model.turns == 10
    assert said.count("tool calls go on unguarded") == 1
