"""Why a verdict was given, of runs that the real guard judged."""

import pytest
from support.guarding import LOOP, Guarded, run_scope

from guardd.protocol.errors import InvalidParams
from guardd.store.connecting import reading_engine
from guardd.store.reading import explain_call
from guardd.vocabulary import Detector


class Explained(Guarded):
    """A guard whose verdicts are explained as the daemon does, from a connection that only reads."""

    def explain(self, seq=None, scope=None):
        engine = reading_engine(self.path)
        try:
            with engine.connect() as connection:
                return explain_call(connection, self.run(scope).id, seq, self._config)
        finally:
            engine.dispose()


@pytest.fixture
def guard_with(tmp_path):
    opened = []

    def make(loop=LOOP, **rest):
        opened.append(Explained(tmp_path / f"guardd-{len(opened)}.db", loop, **rest))
        return opened[-1]

    yield make
    for guard in opened:
        guard.close()


@pytest.fixture
def guard(guard_with):
    return guard_with()


def verdict(explained):
    return explained["action"], explained["detector"], explained["counted"]


def values(explained):
    return {name: setting["value"] for name, setting in explained["thresholds"].items()}


def repeat(guard, times, **rest):
    for _ in range(times):
        guard.call("exec", {"command": "ls"}, **rest)


def test_a_repeated_call_from_the_first_to_the_last(guard):
    repeat(guard, 11)
    generic = Detector.GENERIC_REPEAT
    expected = {
        3: ("allow", None, []),
        4: ("warn", generic, [1, 2, 3]),
        6: ("warn", generic, [1, 2, 3, 4, 5]),
        7: ("block", generic, [1, 2, 3, 4, 5, 6]),
        8: ("block", generic, [*range(1, 8)]),
        10: ("abort", generic, [*range(1, 10)]),
        11: ("abort", generic, [*range(1, 10)]),
    }
    assert {seq: verdict(guard.explain(seq)) for seq in expected} == expected
    assert guard.explain()["seq"] == 10


def test_a_warning_in_words(guard):
    guard.call("read")
    repeat(guard, 6)
    assert guard.explain(7)["text"].splitlines() == [
        "Call 7, `exec`, was let through with a warning.",
        "generic_repeat counted 5 calls with the same arguments, whatever came of them: 2-6.",
        "That reached warningThreshold, 3 (set in <configuration>: tools.loopDetection.warningThreshold).",
        "With warningThreshold at 6 or more it would have been let through.",
        "With criticalThreshold at 5 it would have been blocked by generic_repeat (it counts 5).",
        "With detectors.genericRepeat switched off it would have been let through.",
    ]
    assert values(guard.explain(7)) == {
        "warningThreshold": 3,
        "criticalThreshold": 6,
        "globalCircuitBreakerThreshold": 9,
        "historySize": 30,
    }
    assert guard.explain(7)["thresholds"]["historySize"]["origin"] == "default"


def test_what_is_counted_leaves_out_what_made_progress(guard):
    for number in range(3):
        guard.call("exec", result=number)
        guard.call("read", {"n": number})
    repeat(guard, 2)
    for _ in range(4):
        guard.call("exec", result="stuck")
    assert verdict(guard.explain(12)) == ("warn", Detector.GENERIC_REPEAT, [1, 3, 5, 9, 10, 11])
    for _ in range(2):
        guard.call("exec", result="stuck")
    assert guard.call("exec").action.word == "block"
    assert verdict(guard.explain()) == ("block", Detector.GENERIC_REPEAT, [9, 10, 11, 12, 13, 14])


def test_a_retry_names_the_first_block_and_counts_all(guard_with):
    guard = guard_with({**LOOP, "historySize": 9, "globalCircuitBreakerThreshold": 90})
    repeat(guard, 30)
    explained = guard.explain(30)
    assert explained["counted"] == list(range(1, 30))
    assert "Call 7 was blocked first" in explained["text"]
    assert "blocked first" not in guard.explain(7)["text"]


def test_the_breaker_alone(guard_with):
    guard = guard_with({**LOOP, "detectors": {"genericRepeat": False}})
    repeat(guard, 10)
    assert verdict(guard.explain()) == ("abort", Detector.GLOBAL_CIRCUIT_BREAKER, [*range(1, 10)])
    assert (
        "With globalCircuitBreakerThreshold at 10 or more it would have been let through."
        in (guard.explain()["text"])
    )


def test_a_poll(guard):
    for _ in range(7):
        guard.call("process", {"action": "poll", "id": 1})
    poll = Detector.KNOWN_POLL_NO_PROGRESS
    assert verdict(guard.explain(3)) == ("allow", None, [])
    assert verdict(guard.explain(4)) == ("warn", poll, [1, 2, 3])
    assert verdict(guard.explain(7)) == ("block", poll, [1, 2, 3, 4, 5, 6])
    assert "2 polls without a change" in guard.explain(3)["text"]
    assert "generic_repeat: not for a poll." in guard.explain(3)["text"]


def test_an_alternation_counts_the_call_itself(guard):
    guard.call("other")
    for number in range(8):
        guard.call("read" if number % 2 else "exec")
    ping_pong = Detector.PING_PONG
    assert verdict(guard.explain(3)) == ("allow", None, [])
    assert verdict(guard.explain(4)) == ("warn", ping_pong, [2, 3, 4])
    assert verdict(guard.explain(7)) == ("block", ping_pong, [2, 3, 4, 5, 6, 7])
    assert "`exec` and `read` took turns, this one included: 2-4." in guard.explain(4)["text"]


def test_a_blocked_alternation_that_is_retried(guard):
    for number in range(5):
        guard.call("read" if number % 2 else "exec")
    guard.call("read")
    guard.call("read")
    assert verdict(guard.explain(7)) == ("block", Detector.PING_PONG, [*range(1, 8)])
    assert "Call 6 was blocked first" in guard.explain(7)["text"]


def test_a_tool_that_does_not_exist(guard):
    guard.call("read")
    for _ in range(6):
        guard.miss("gone")
    unknown = Detector.UNKNOWN_TOOL_REPEAT
    assert verdict(guard.explain(5)) == ("warn", Detector.GENERIC_REPEAT, [2, 3, 4])
    assert "unknown_tool_repeat: 2 misses in a row, of unknownToolThreshold 4." in guard.explain(4)["text"]
    assert verdict(guard.explain(6)) == ("block", unknown, [2, 3, 4, 5])
    assert verdict(guard.explain(7)) == ("block", unknown, [2, 3, 4, 5, 6])
    assert "That reached unknownToolThreshold, 4" in guard.explain(6)["text"]


def test_what_is_reported_afterwards_is_warned_of_in_place_of_a_block(guard):
    for _ in range(8):
        guard.after("exec", {}, result="same")
    explained = guard.explain(7)
    assert verdict(explained) == ("warn", Detector.GENERIC_REPEAT, [*range(1, 7)])
    assert "That reached criticalThreshold, 6" in explained["text"]
    assert "It had run already when it was reported, and could not be blocked any more." in explained["text"]
    assert "With criticalThreshold at 7 or more" in explained["text"]


def test_what_is_reported_afterwards_is_aborted_once_it_reaches_the_breaker(guard):
    for number in range(9):
        guard.after("read" if number % 2 else "exec", {}, result="same")
    explained = guard.explain(9)
    assert verdict(explained) == ("abort", Detector.PING_PONG, [*range(1, 10)])
    assert "could not be blocked any more" in explained["text"]
    assert (
        "With globalCircuitBreakerThreshold at 10 or more it would have been let through with a warning"
        in (explained["text"])
    )


@pytest.mark.parametrize("enabled", [None, False])
def test_what_was_not_looked_at_says_what_would_have_been(guard_with, enabled):
    off = {name: value for name, value in LOOP.items() if name != "enabled"}
    guard = guard_with(off if enabled is None else {**off, "enabled": enabled})
    repeat(guard, 8)
    assert guard.explain(8)["text"].endswith(
        "With enabled: true it would have been blocked by generic_repeat (it counts 7)."
    )
    assert guard.explain(2)["text"].endswith(
        "With enabled: true and warningThreshold at 1 it would have been let through with a warning."
    )


def test_the_guard_after_a_compaction(guard_with):
    guard = guard_with({})
    guard.call("exec")
    guard.compaction()
    for _ in range(3):
        guard.call("exec")
    guard.call("exec")
    compaction = Detector.COMPACTION_LOOP_PERSISTED
    assert verdict(guard.explain(4)) == ("abort", compaction, [2, 3, 4])
    assert verdict(guard.explain(5)) == ("abort", compaction, [2, 3, 4])
    assert "decided at call 4" in guard.explain(5)["text"]
    assert "The guard was armed for 3 outcomes, and all that it needed were alike" in guard.explain()["text"]
    allowed = guard.explain(3)
    assert verdict(allowed) == ("allow", None, [])
    assert "compaction_loop_persisted: 2 of 3 since the compaction, this one included." in allowed["text"]
    assert "without a look by the rolling detectors: enabled is unset (default)" in allowed["text"]


def test_the_guard_where_what_varies_by_itself_is_no_difference(guard_with):
    guard = guard_with({"postCompactionGuard": {"volatile": True}})
    guard.compaction()
    for second in range(3):
        guard.call("exec", {}, f"down since 10:00:0{second}")
    assert verdict(guard.explain(3)) == ("abort", Detector.COMPACTION_LOOP_PERSISTED, [1, 2, 3])


def test_what_is_let_through_says_how_far_it_was(guard):
    repeat(guard, 3)
    assert guard.explain()["seq"] == 3
    assert guard.explain()["text"].splitlines() == [
        "Call 3, `exec`, was let through: no detector had reached its threshold.",
        "unknown_tool_repeat: 0 misses in a row, of unknownToolThreshold 4.",
        "global_circuit_breaker: 2 calls without progress, of globalCircuitBreakerThreshold 9.",
        "known_poll_no_progress: it is no poll.",
        "ping_pong: it continues no alternation.",
        (
            "generic_repeat: 2 earlier calls with the same arguments, of warningThreshold 3; "
            "2 of them without progress, of criticalThreshold 6."
        ),
        "With warningThreshold at 2 or less it would have been let through with a warning.",
    ]
    assert len(values(guard.explain())) == 6


def test_the_first_call_repeats_nothing(guard):
    guard.call("exec")
    assert guard.explain(1)["text"].endswith("it repeats nothing in the window.")


def test_what_is_only_observed(guard_with):
    guard = guard_with(mode="observe")
    repeat(guard, 8)
    explained = guard.explain()
    assert verdict(explained) == ("allow", Detector.GENERIC_REPEAT, [*range(1, 8)])
    assert explained["wouldBe"] == "block"
    assert "was let through because guardd only observed; it would have been blocked." in explained["text"]


def test_what_was_answered_comes_before_what_was_only_observed(guard_with):
    guard = guard_with()
    repeat(guard, 4)
    guard.configure(LOOP, mode="observe")
    repeat(guard, 2)
    assert guard.explain()["seq"] == 4
    assert guard.explain(6)["wouldBe"] == "warn"


def test_after_a_reset_nothing_before_it_is_counted(guard):
    repeat(guard, 5)
    guard.reset()
    repeat(guard, 4)
    assert verdict(guard.explain(6)) == ("allow", None, [])
    assert verdict(guard.explain(9)) == ("warn", Detector.GENERIC_REPEAT, [6, 7, 8])
    assert verdict(guard.explain(5)) == ("warn", Detector.GENERIC_REPEAT, [1, 2, 3, 4])


def test_a_changed_configuration_is_told(guard):
    repeat(guard, 7)
    guard.configure({"enabled": True})
    explained = guard.explain(7)
    assert verdict(explained) == ("block", Detector.GENERIC_REPEAT, [*range(1, 7)])
    assert values(explained)["criticalThreshold"] == 20
    assert (
        "That reached criticalThreshold, 6. The configuration has changed since: criticalThreshold is 20 (default) now."
    ) in explained["text"]
    assert "By today's configuration" in explained["text"]
    assert explained["text"].endswith("it would be let through.")


def test_a_smaller_history_since_then_does_not_hide_what_was_counted(guard):
    repeat(guard, 7)
    guard.configure({**LOOP, "historySize": 2})
    assert guard.explain(7)["counted"] == [*range(1, 7)]


def test_the_thresholds_are_those_of_the_runs_agent(guard_with):
    guard = guard_with(agents={"safe": {"warningThreshold": 2}})
    repeat(guard, 3, agent="safe")
    explained = guard.explain()
    assert verdict(explained) == ("warn", Detector.GENERIC_REPEAT, [1, 2])
    assert "agents.list" in explained["thresholds"]["warningThreshold"]["origin"]


def test_calls_that_are_gone_are_told(guard):
    repeat(guard, 7)
    guard.query("delete from calls where seq < 3")
    explained = guard.explain(7)
    assert explained["counted"] == [3, 4, 5, 6]
    assert "Only 4 of them can still be told" in explained["text"]
    with pytest.raises(InvalidParams, match="the run has no call 2: those stored are 3 to 7"):
        guard.explain(2)


def test_an_operators_abort(guard):
    guard.call("exec")
    guard.abort("enough")
    by_hand = guard.explain()
    assert (by_hand["seq"], by_hand["action"], by_hand["detector"]) == (None, "abort", Detector.OPERATOR)
    assert "An operator stopped the run" in by_hand["text"]
    assert "enough" in by_hand["text"]
    guard.call("exec")
    assert verdict(guard.explain(2)) == ("abort", Detector.OPERATOR, [])
    assert verdict(guard.explain(1)) == ("allow", None, [])


def test_an_operators_abort_while_observing(guard_with):
    guard = guard_with(mode="observe")
    guard.call("exec")
    guard.abort("enough")
    assert (guard.explain()["action"], guard.explain()["wouldBe"]) == ("allow", "abort")
    assert "its calls are let through all the same" in guard.explain()["text"]
    guard.call("exec")
    assert guard.explain(2)["text"].startswith("Call 2 was let through because guardd only observed, though")


def test_a_run_without_calls(guard):
    guard.start(run_scope("empty"))
    with pytest.raises(InvalidParams, match="has no calls yet"):
        guard.explain(scope=run_scope("empty"))
    with pytest.raises(InvalidParams, match="none are stored"):
        guard.explain(1, scope=run_scope("empty"))


# The rules beyond the documented ones

HIGH = {"enabled": True, "warningThreshold": 50, "criticalThreshold": 60, "historySize": 100}


def test_a_cycle_by_its_rounds(guard_with):
    guard = guard_with(HIGH, profile="extended")
    for number in range(12):
        tool = "abc"[number % 3]
        guard.call(tool, {"x": tool}, f"of {tool}")
    explained = guard.explain()
    assert verdict(explained) == ("block", Detector.CYCLE, list(range(1, 13)))
    assert values(explained) == {
        "cycle.warning": 3,
        "cycle.critical": 4,
        "globalCircuitBreakerThreshold": 61,
        "historySize": 100,
    }
    assert "cycle counted 4 rounds of the same calls in the same order" in explained["text"]
    assert "That reached cycle.critical, 4 (the default)." in explained["text"]
    assert (
        "With cycle.critical at 5 or more it would have been let through with a warning" in explained["text"]
    )
    assert "With detectors.cycle switched off it would have been let through." in explained["text"]


def test_a_view_is_not_explained_as_an_edit(guard_with):
    guard = guard_with(HIGH, profile="extended")
    for number in range(8):
        guard.call("str_replace_editor", {"command": "view", "path": "x"}, f"text {number}")
    assert Detector.IDENTICAL_MUTATION not in guard.explain(8)["text"]


@pytest.mark.parametrize("tool", ["edit", "mcp__files__edit_file"])
def test_the_same_edit_by_its_calls(guard_with, tool):
    guard = guard_with(HIGH, profile="extended")
    guard.call("read", {}, "text")
    for number in range(5):
        guard.call(tool, {"path": "x"}, f"grown to {number}")
    explained = guard.explain()
    assert verdict(explained) == ("warn", Detector.IDENTICAL_MUTATION, [2, 3, 4, 5, 6])
    assert "By today's configuration" not in explained["text"]


def test_failures_alike_and_errors_in_a_row_by_their_calls(guard_with):
    guard = guard_with(HIGH, profile="extended")
    for number in range(7):
        guard.before("exec", {"n": number})
        guard.after("exec", {"n": number}, error="no such option")
    assert verdict(guard.explain()) == ("warn", Detector.SAME_ERROR, [1, 2, 3, 4, 5, 6])
    for number in range(4):
        guard.before("read", {"n": number})
        guard.after("read", {"n": number}, error=f"error {number}")
    explained = guard.explain()
    assert verdict(explained) == ("warn", Detector.ERROR_CASCADE, list(range(1, 11)))
    assert values(explained) == {"errorCascade.warning": 10, "historySize": 100}


def test_what_a_change_has_ended_is_not_counted(guard_with):
    guard = guard_with({"enabled": True, "warningThreshold": 3, "criticalThreshold": 5}, profile="extended")
    repeat(guard, 3)
    guard.call("edit", {"path": "x"}, "done")
    repeat(guard, 4)
    assert verdict(guard.explain()) == ("warn", Detector.GENERIC_REPEAT, [5, 6, 7])
    assert "2 earlier calls with the same arguments" in guard.explain(7)["text"]


# The rules of OpenClaw 2026.9

OPENCLAW = {
    "enabled": True,
    "warningThreshold": 3,
    "criticalThreshold": 5,
    "globalCircuitBreakerThreshold": 8,
}


def fail(guard, *commands):
    for command in commands:
        printed = f"refused after {command}.5s"
        result = {"details": {"status": "failed", "exitCode": 1, "aggregated": printed}}
        guard.call("exec", {"command": command}, result)


def test_commands_that_failed_alike_by_their_calls(guard_with):
    guard = guard_with(OPENCLAW, profile="openclaw-2026.9")
    guard.call("read", {}, "text")
    fail(guard, *range(6))
    explained = guard.explain()
    assert verdict(explained) == ("block", Detector.GENERIC_REPEAT, [2, 3, 4, 5, 6])
    what = "failed alike, whatever was run (times, attempts, durations and process ids aside)"
    assert explained["text"].splitlines() == [
        "Call 7, `exec`, was blocked.",
        f"generic_repeat counted 5 calls of `exec` in a row that {what}: 2-6.",
        "That reached criticalThreshold, 5 (set in <configuration>: tools.loopDetection.criticalThreshold).",
        "With criticalThreshold at 6 or more it would have been let through.",
        "With detectors.genericRepeat switched off it would have been let through.",
    ]


def test_a_retry_after_them(guard_with):
    guard = guard_with(OPENCLAW, profile="openclaw-2026.9")
    fail(guard, *range(5), "new", "new", "another")
    explained = guard.explain()
    assert verdict(explained) == ("block", Detector.GENERIC_REPEAT, [1, 2, 3, 4, 5, 6, 7])
    assert "Call 6 was blocked first" in guard.explain(7)["text"]


def test_failures_that_are_not_enough_yet(guard_with):
    guard = guard_with(OPENCLAW, profile="openclaw-2026.9")
    fail(guard, *range(4))
    text = guard.explain(4)["text"]
    assert (
        "Of the same tool, 3 calls in a row failed alike, whatever was run, of criticalThreshold 5." in text
    )
    assert "failed alike" not in guard.explain(1)["text"]


def test_a_few_calls_in_turn_by_their_calls(guard_with):
    guard = guard_with(OPENCLAW, profile="openclaw-2026.9")
    for number in range(10):
        guard.before("read", {"path": number % 3})
        guard.after("read", {"path": number % 3}, error="no such file")
    explained = guard.explain()
    assert verdict(explained) == ("warn", Detector.ARGUMENT_CHURN, list(range(1, 10)))
    assert values(explained) == {"warningThreshold": 3, "historySize": 30}
    assert "argument_churn counted 9 calls in a row of a few kinds of `read`" in explained["text"]
    assert "With warningThreshold at 10 or more it would have been let through." in explained["text"]


def test_a_few_calls_in_turn_that_are_not_enough_yet(guard_with):
    guard = guard_with(
        OPENCLAW | {"warningThreshold": 10, "criticalThreshold": 20}, profile="openclaw-2026.9"
    )
    for number in range(10):
        guard.before("read", {"path": number % 3})
        guard.after("read", {"path": number % 3}, error="no such file")
    text = guard.explain()["text"]
    assert "argument_churn: 9 calls in a row of a few kinds, of warningThreshold 10." in text
    assert "With warningThreshold at 9 or less it would have been let through with a warning." in text
