"""A real gateway process of real releases."""

import contextlib
import http.client
import threading

import pytest
from support.daemon import eventually
from support.mock_model import OVERFLOW, ToolCall

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(400)]

STUCK = [ToolCall("exec", {"command": "true"})]
BIG = [ToolCall("exec", {"command": "seq 9000"})]
UNSTUCK = 60
"""A stuck model gives up by itself at this turn, or a failing test would not end."""
LOOP = ["allow"] * 3 + ["warn"] * 2 + ["block"] * 2 + ["abort"]
RECOVERY_SECONDS = 90.0


@pytest.fixture(scope="module")
def gateway(openclaw):
    openclaw.start_gateway()
    return openclaw


def actions(calls):
    return [call["action"] for call in calls]


def stuck(turn):
    return STUCK if turn < UNSTUCK else "Done."


def test_a_looping_model_is_warned_and_blocked_and_its_run_ended(gateway, model, history):
    model.play(stuck)
    gateway.ask(session="loop")
    calls, status = history()
    assert actions(calls) == LOOP
    assert status == "aborted"
    assert len([text for text in model.shown if "You have called" in text]) == 1
    assert len([text for text in model.shown if text.startswith("Blocked:")]) == 2
    assert model.turns == len(LOOP)


def test_the_next_message_of_the_same_session_is_a_new_run(gateway, model, history):
    model.play(lambda turn: STUCK if turn < 2 else "All is well.")
    assert "All is well." in gateway.ask(session="loop")
    calls, status = history()
    assert actions(calls) == ["allow"] * 2
    assert status == "completed"


def test_an_overflow_compaction_arms_the_guard_and_the_third_identical_outcome_ends_the_run(
    gateway, model, daemon, history
):
    model.play(lambda turn: OVERFLOW if turn == 2 else (BIG if turn < UNSTUCK else "Done."))
    gateway.ask(session="overflow")
    calls, status = history()
    markers = daemon.ask("run.history", run="latest")["markers"]
    assert [(marker["kind"], marker["afterSeq"], marker["armed"]) for marker in markers] == [
        ("compaction", 2, True)
    ]
    assert [call["detector"] for call in calls if call["action"] == "abort"] == ["compaction_loop_persisted"]
    assert len(calls) == 5
    assert status == "aborted"


def test_the_daemon_is_restarted_in_the_middle_and_the_count_goes_on(gateway, model, daemon, history):
    def script(turn):
        if turn == 4:
            daemon.restart()
        return stuck(turn)

    model.play(script)
    gateway.ask(session="daemon")
    calls, status = history()
    assert actions(calls) == LOOP
    assert status == "aborted"


def test_without_a_daemon_the_agent_finishes_and_the_log_says_so_once(gateway, model, daemon):
    daemon.kill()
    model.play(lambda turn: STUCK if turn < 9 else "Finished by itself.")
    assert "Finished by itself." in gateway.ask(session="alone")
    assert model.turns == 10
    assert gateway.log().count("tool calls go on unguarded") == 1
    daemon.start()

    def is_back():
        gateway.ask(session="back")
        return gateway.log().count("guardd answers again")

    model.play(lambda turn: "Done." if turn % 2 else [ToolCall("exec", {"command": f"echo {turn}"})])
    assert eventually(is_back, RECOVERY_SECONDS) == 1


def test_the_gateway_is_restarted_in_the_middle_of_a_loop_and_the_count_goes_on(
    gateway, model, daemon, history
):
    """It is killed while the model thinks, and goes on by itself with the turn, under a new run id."""
    thinks, killed = threading.Event(), threading.Event()

    def script(turn):
        if turn == 3:
            thinks.set()
            killed.wait(RECOVERY_SECONDS)
        return stuck(turn)

    def ask():
        with contextlib.suppress(OSError, http.client.HTTPException):
            gateway.ask(session="restart")

    model.play(script)
    asking = threading.Thread(target=ask)
    asking.start()
    assert thinks.wait(RECOVERY_SECONDS)
    interrupted = daemon.ask("run.get", run="latest")
    gateway.kill_gateway()
    killed.set()
    asking.join()
    gateway.start_gateway()
    run = interrupted["run"]
    eventually(lambda: daemon.ask("run.get", run=run)["status"] == "aborted", RECOVERY_SECONDS)
    calls, _status = history(run)
    assert (interrupted["calls"], actions(calls)) == (3, LOOP)
