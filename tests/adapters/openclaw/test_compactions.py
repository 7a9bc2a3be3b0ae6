import pytest
from support.openclaw_plugin import Turn

TRUE = {"command": "true"}


@pytest.fixture
def turn(plugin):
    turn = Turn(plugin).start()
    turn.call({"command": "make"}, "c0")
    return turn


@pytest.fixture
def markers(daemon, turn):
    def found():
        turn.call({"command": "ls"}, "later")  # what was recorded before it has come before it
        return [
            (marker["kind"], marker["armed"]) for marker in daemon.ask("run.history", run="run-1")["markers"]
        ]

    return found


def compaction(turn, **data):
    turn.plugin.event("compaction", turn.run_id, phase="start")
    turn.plugin.event("compaction", turn.run_id, phase="end", **data)


def hook(turn, name, event, *, session_only=True):
    ctx = {"sessionKey": turn.ctx["sessionKey"]} if session_only else turn.ctx
    turn.plugin.do("hook", name=name, event=event, ctx=ctx)


def test_an_overflow_inside_an_attempt_arms_the_guard(turn, markers):
    compaction(turn, willRetry=True, completed=True)
    turn.start()
    assert markers() == [("compaction", True)]


def test_the_third_identical_outcome_after_it_ends_the_run(turn, plugin):
    compaction(turn, willRetry=True, completed=True)
    for number in range(3):
        turn.call(TRUE, f"c{number}")
    assert plugin.aborted == ["session-1"]


def test_an_overflow_that_the_outer_runner_sees_arms_the_guard(turn, markers):
    hook(turn, "after_compaction", {"compactedCount": -1, "tokenCount": 900}, session_only=False)
    turn.start()
    assert markers() == [("compaction", True)]


def test_a_threshold_compaction_leaves_a_marker_only(turn, markers):
    compaction(turn, willRetry=False, completed=True)
    hook(turn, "after_compaction", {"compactedCount": 1})
    turn.start()
    assert markers() == [("compaction", False)]


def test_its_hook_may_come_first(turn, markers):
    hook(turn, "after_compaction", {"compactedCount": 1})
    compaction(turn, willRetry=False, completed=True)
    turn.start()
    assert markers() == [("compaction", False)]


def test_one_that_only_the_hooks_tell_of_and_that_is_not_tried_again_leaves_a_marker_only(turn, markers):
    hook(turn, "after_compaction", {"compactedCount": 12, "tokenCount": 900}, session_only=False)
    turn.call({"command": "make"}, "c1")
    turn.start()
    assert markers() == [("compaction", False)]


def test_one_at_the_end_of_a_turn_leaves_a_marker_only(turn, markers):
    hook(turn, "after_compaction", {"compactedCount": 12}, session_only=False)
    turn.end()
    assert markers() == [("compaction", False)]


def test_a_compaction_that_came_to_nothing_is_none(turn, markers):
    compaction(turn, willRetry=False, completed=False)
    hook(turn, "after_compaction", {"compactedCount": 0})
    hook(turn, "after_compaction", {"compactedCount": 0}, session_only=False)
    turn.start()
    assert markers() == []


def test_a_hooks_messages_are_no_compaction(turn, markers):
    turn.plugin.event("compaction", turn.run_id, phase="end", completed=True, messages=["compacted"])
    assert markers() == []


def test_one_by_hand_between_turns_belongs_to_no_run(plugin, daemon):
    Turn(plugin).start().end()
    plugin.do(
        "hook", name="after_compaction", event={"compactedCount": -1}, ctx={"sessionKey": "agent:main:main"}
    )
    turn = Turn(plugin, "run-2").start()
    turn.call(TRUE, "c1")
    assert daemon.ask("run.history", run="run-2")["markers"] == []


def test_doubled_subscriptions_record_it_once(turn, plugin, daemon, markers):
    for _ in range(2):
        plugin.register(socketPath=str(daemon.socket))
    compaction(turn, willRetry=True, completed=True)
    assert markers() == [("compaction", True)]
