"""The post-compaction guard: armed by a retry after a compaction, for so many outcomes, all in the database."""

import logging

import pytest
from support.guarding import LOOP, run_scope

from guardd.guard import CompactionGuard
from guardd.guard.answers import DISARMED
from guardd.vocabulary import Action, Detector, Level, RunStatus


def armed(remaining):
    return CompactionGuard(armed=True, remaining=remaining)


def outcomes(guard, results, args=None, **rest):
    """Report calls with those results; the answers."""
    answers = []
    for result in results:
        guard.before("read", args, **rest)
        answers.append(guard.after("read", args, result=result, **rest))
    return answers


def in_short(answers):
    return [(verdict.action.word, state.remaining if state.armed else None) for verdict, state in answers]


def guard_markers(guard):
    return guard.query(
        "select kind, after_seq, window_size, reason, tokens_before, tokens_after from markers"
    )


@pytest.fixture
def plain(guard_with):
    """Loop detection as it is without a configuration: this guard alone."""
    return guard_with({})


# Arming


def test_a_retry_arms(plain):
    assert plain.compaction() == armed(3)
    assert plain.markers() == [("compaction", 0)]
    assert in_short(outcomes(plain, "ab")) == [("allow", 2), ("allow", 1)]


def test_arming_is_logged(plain, caplog):
    with caplog.at_level(logging.INFO, "guardd"):
        plain.compaction()
        plain.compaction(will_retry=False)
    assert [record.getMessage() for record in caplog.records] == [
        "post-compaction guard armed for 3 attempts"
    ]
    assert caplog.records[0].fields == {"run": "r1", "source": "default"}


def test_what_the_gateway_says_is_recorded(plain):
    plain.before("read")
    plain.compaction(reason="overflow", tokens_before=200_000, tokens_after=50_000)
    (marker,) = guard_markers(plain)
    assert marker == ("compaction", 1, 3, "overflow", 200_000, 50_000)


def test_a_compaction_that_nobody_retries_after_arms_nothing(plain):
    assert plain.compaction(will_retry=False) == DISARMED
    assert plain.markers() == [("compaction", 0)]
    assert in_short(outcomes(plain, "aaaa")) == [("allow", None)] * 4


def test_it_leaves_an_armed_guard_as_it_is(plain):
    plain.compaction()
    outcomes(plain, "a")
    assert plain.compaction(will_retry=False) == armed(2)
    assert in_short(outcomes(plain, "aa")) == [("allow", 1), ("abort", None)]


def test_arming_again_starts_afresh(plain):
    plain.compaction()
    outcomes(plain, "aa")
    assert plain.compaction() == armed(3)
    assert in_short(outcomes(plain, "aaa")) == [("allow", 2), ("allow", 1), ("abort", None)]


def test_arming_again_once_it_was_used_up(plain):
    plain.compaction()
    outcomes(plain, "abc")
    plain.compaction()
    assert in_short(outcomes(plain, "cc")) == [("allow", 2), ("allow", 1)]


def test_without_a_compaction_nothing_is_counted(plain):
    assert in_short(outcomes(plain, "aaaaa")) == [("allow", None)] * 5


def test_a_compaction_begins_a_run(plain):
    plain.compaction(run_scope("new"), "alice")
    assert plain.run(run_scope("new")).agent_id == "alice"


def test_the_same_compaction_again_is_reported_once(plain):
    plain.before("read")
    assert plain.compaction(once=True) == armed(3)
    plain.after("read", result="same")
    plain.restart()
    assert plain.compaction(once=True) == armed(2)
    assert plain.query("select count(*) from markers where kind = 'compaction'") == [(1,)]


def test_after_another_call_it_is_another_compaction(plain):
    plain.compaction(once=True)
    outcomes(plain, "a")
    assert plain.compaction(once=True) == armed(3)
    assert plain.compaction() == armed(3)
    assert plain.markers() == [("compaction", 0), ("compaction", 1), ("compaction", 1)]


def test_after_a_reset_it_is_another_compaction(plain):
    plain.compaction(once=True)
    plain.reset()
    assert plain.compaction(once=True) == armed(3)
    assert plain.markers() == [("compaction", 0), ("reset", 0), ("compaction", 0)]


# What it finds


def test_the_same_triple_as_often_as_the_window_is_long(plain):
    plain.compaction()
    answers = outcomes(plain, "aaa")
    assert in_short(answers) == [("allow", 2), ("allow", 1), ("abort", None)]
    verdict = answers[-1][0]
    assert verdict.detection.detector is Detector.COMPACTION_LOOP_PERSISTED
    assert (verdict.detection.level, verdict.detection.tool) == (Level.CRITICAL, "read")
    assert (verdict.detection.count, verdict.detection.threshold) == (3, 3)
    assert (verdict.seq, verdict.notify) == (3, True)
    assert plain.run().status == RunStatus.ABORTED
    assert plain.before("write").detection == verdict.detection


@pytest.mark.parametrize("results", ["aab", "aba", "baa", "abc", "abababa", "baaa"])
def test_it_never_fires_while_outcomes_differ(plain, results):
    plain.compaction()
    answers = outcomes(plain, results)
    assert {verdict.action for verdict, _state in answers} == {Action.ALLOW}
    assert answers[-1][1] == DISARMED


def test_other_arguments_or_another_tool_are_another_triple(plain):
    plain.compaction()
    plain.before("read", {"a": 1})
    plain.after("read", {"a": 1}, result="same")
    plain.before("read", {"a": 2})
    plain.after("read", {"a": 2}, result="same")
    plain.before("write", {"a": 1})
    assert plain.after("write", {"a": 1}, result="same")[0].action is Action.ALLOW


def test_an_error_is_an_outcome_and_no_result(plain):
    plain.compaction()
    for report in ({"error": "x"}, {"result": "x"}, {"error": "x"}):
        plain.before("read")
        verdict, _state = plain.after("read", **report)
    assert verdict.action is Action.ALLOW
    plain.compaction()
    for _ in range(3):
        plain.before("read")
        verdict, _state = plain.after("read", error="x")
    assert verdict.action is Action.ABORT


def test_outcomes_before_the_compaction_do_not_count(plain):
    outcomes(plain, "aaaa")
    plain.compaction()
    assert in_short(outcomes(plain, "aa")) == [("allow", 2), ("allow", 1)]


def test_a_call_asked_before_the_compaction_counts_when_its_outcome_comes(plain):
    for _ in range(3):
        plain.before("read")
    plain.compaction()
    assert [plain.after("read", result="same")[0].action.word for _ in range(3)] == [
        "allow",
        "allow",
        "abort",
    ]


def test_a_rewritten_call_counts_as_it_was_asked(plain):
    plain.compaction()
    for number in range(3):
        plain.before("read", {"path": "a"})
        verdict, _state = plain.after("read", {"path": f"rewritten {number}"}, result="same")
    assert verdict.action is Action.ABORT


def test_an_unreported_call_uses_an_attempt(plain):
    plain.compaction()
    answers = [plain.after("read", result="same") for _ in range(3)]
    assert in_short(answers) == [("allow", 2), ("allow", 1), ("abort", None)]


@pytest.mark.parametrize("window", [2, 4])
def test_the_window_is_configured(guard_with, window):
    guard = guard_with({"postCompactionGuard": {"windowSize": window}})
    assert guard.compaction() == armed(window)
    answers = outcomes(guard, "a" * window)
    assert [verdict.action.word for verdict, _state in answers] == ["allow"] * (window - 1) + ["abort"]


def test_a_window_of_one_aborts_on_the_first_outcome(guard_with):
    guard = guard_with({"postCompactionGuard": {"windowSize": 1}})
    guard.compaction()
    assert in_short(outcomes(guard, "a")) == [("abort", None)]


def test_the_window_is_taken_when_the_guard_is_armed(plain):
    plain.compaction()
    plain.configure({"postCompactionGuard": {"windowSize": 2}})
    assert in_short(outcomes(plain, "aaa")) == [("allow", 2), ("allow", 1), ("abort", None)]


# What uses no attempt


def test_neither_result_nor_error_uses_none(plain):
    plain.compaction()
    plain.before("read")
    assert plain.after("read")[1] == armed(3)
    assert plain.after("unknown")[1] == armed(3)


def test_before_a_call_none_is_used(plain):
    plain.compaction()
    for _ in range(5):
        plain.before("read")
    assert plain.after("read")[1] == armed(3)


def test_outcomes_of_blocked_calls_use_none(guard):
    for _ in range(6):
        guard.call("read")
    guard.compaction()
    assert guard.before("read").action is Action.BLOCK
    assert guard.after("read", error="blocked")[1] == armed(3)


def test_another_run_uses_none(plain):
    plain.compaction()
    outcomes(plain, "aaa", scope=run_scope("r2"))
    assert plain.after("read")[1] == armed(3)


# Switched off


def test_switched_off_it_arms_nothing(guard_with):
    guard = guard_with({"enabled": False})
    assert guard.compaction() == DISARMED
    assert in_short(outcomes(guard, "aaaa")) == [("allow", None)] * 4
    assert guard.markers() == [("compaction", 0)]
    guard.configure({})
    assert in_short(outcomes(guard, "aaaa")) == [("allow", None)] * 4


@pytest.mark.parametrize("enabled", [True, None])
def test_unset_or_on_it_works(guard_with, enabled):
    guard = guard_with({} if enabled is None else {"enabled": True})
    guard.compaction()
    assert in_short(outcomes(guard, "aaa"))[-1] == ("abort", None)


def test_while_it_is_off_outcomes_use_no_attempt(plain):
    plain.compaction()
    outcomes(plain, "a")
    plain.configure({"enabled": False})
    assert in_short(outcomes(plain, "aaa")) == [("allow", None)] * 3
    plain.configure({})
    assert in_short(outcomes(plain, "aa")) == [("allow", 1), ("abort", None)]


def test_it_is_the_agents_setting(guard_with):
    guard = guard_with(
        {}, agents={"off": {"enabled": False}, "long": {"postCompactionGuard": {"windowSize": 5}}}
    )
    assert guard.compaction(run_scope("a"), "off") == DISARMED
    assert guard.compaction(run_scope("b"), "long") == armed(5)
    assert guard.compaction(run_scope("c"), "another") == armed(3)


# Restarts, resets, aborts, observing


def test_all_of_it_survives_a_restart(plain):
    plain.compaction()
    plain.restart()
    assert in_short(outcomes(plain, "a")) == [("allow", 2)]
    plain.restart()
    assert plain.after("read")[1] == armed(2)
    assert in_short(outcomes(plain, "a")) == [("allow", 1)]
    plain.restart()
    assert in_short(outcomes(plain, "a")) == [("abort", None)]


def test_a_reset_disarms(plain):
    plain.compaction()
    outcomes(plain, "aa")
    plain.reset()
    assert in_short(outcomes(plain, "aaa")) == [("allow", None)] * 3


def test_late_outcomes_of_calls_before_a_reset_use_no_attempt(plain):
    for _ in range(3):
        plain.before("read", {"old": True})
    plain.reset()
    plain.compaction()
    for _ in range(3):
        verdict, state = plain.after("read", {"old": True}, result="same")
        assert (verdict.action, state) == (Action.ALLOW, armed(3))
    assert in_short(outcomes(plain, "aaa"))[-1] == ("abort", None)


def test_after_an_abort_compactions_still_arm_and_outcomes_still_count(guard):
    guard.before("slow", {}, "s")
    for _ in range(10):
        guard.call("read")
    first = guard.before("read").detection
    assert guard.compaction() == armed(3)
    verdict, state = guard.after("slow", {}, "s", result="same")
    assert (verdict.action, state) == (Action.ABORT, armed(2))
    for remaining in (1, None):
        verdict, state = guard.after("other", result="same")
        assert state == (armed(remaining) if remaining else DISARMED)
        assert verdict.detection == first
    assert guard.run().abort_detection_id is not None


def test_a_repeated_abort_keeps_its_first_detection(guard_with):
    guard = guard_with(LOOP | {"postCompactionGuard": {"windowSize": 1}})
    for _ in range(9):
        guard.after("read", result="same")
    guard.compaction()
    verdict, state = guard.after("read", result="same")  # both rules would stop the run
    assert (verdict.detection.detector, state) == (Detector.GLOBAL_CIRCUIT_BREAKER, DISARMED)
    assert guard.before("write").detection.detector is Detector.GLOBAL_CIRCUIT_BREAKER
    assert len(guard.query("select * from detections where action = 3")) == 1


def test_a_warning_gives_way_to_the_abort(guard):
    guard.compaction()
    answers = outcomes(guard, "aaa")
    assert answers[-1][0].action is Action.ABORT
    guard.reset()
    for _ in range(3):
        guard.call("read")
    guard.compaction()
    answers = outcomes(guard, "aaa")
    assert [verdict.action.word for verdict, _state in answers] == ["warn", "warn", "abort"]
    assert answers[-1][0].detection.detector is Detector.COMPACTION_LOOP_PERSISTED


def test_observing_it_says_what_would_have_been(guard_with):
    guard = guard_with({}, mode="observe")
    guard.compaction()
    answers = outcomes(guard, "aaaa")
    assert [verdict.would_be for verdict, _state in answers] == [None, None, Action.ABORT, None]
    assert {verdict.action for verdict, _state in answers} == {Action.ALLOW}
    assert answers[2][0].detection.detector is Detector.COMPACTION_LOOP_PERSISTED
    assert guard.run().abort_detection_id is None


def test_observing_one_call_is_found_once(guard_with):
    guard = guard_with(LOOP | {"postCompactionGuard": {"windowSize": 1}}, mode="observe")
    for _ in range(9):
        guard.after("read", result="same")
    guard.compaction()
    verdict, _state = guard.after("read", result="same")
    assert (verdict.would_be, verdict.detection.detector) == (Action.ABORT, Detector.GLOBAL_CIRCUIT_BREAKER)
    assert guard.query("select count(*) from detections where seq = 10") == [(1,)]


# What varies by itself


MASKING = {"postCompactionGuard": {"volatile": True}}
TIMES = ["down since 10:00:01", "down since 10:00:02", "down since 10:00:03"]


@pytest.mark.parametrize(
    ("loop", "aborted"), [({}, False), ({"detectors": {"volatileText": True}}, False), (MASKING, True)]
)
def test_what_varies_by_itself_is_a_difference_unless_switched(guard_with, loop, aborted):
    guard = guard_with(loop)
    guard.compaction()
    *_, (verdict, _state) = outcomes(guard, TIMES)
    assert (verdict.action is Action.ABORT) is aborted


def test_masked_outcomes_count_with_one_that_has_nothing_to_mask_as_themselves(guard_with):
    guard = guard_with(MASKING)
    guard.compaction()
    assert in_short(outcomes(guard, ["down", "down since 10:00:02", "down"])) == [
        ("allow", 2), ("allow", 1), ("allow", None),
    ]  # fmt: skip


def test_masked_outcomes_survive_a_restart_and_are_counted_for_calls_that_are_only_reported(guard_with):
    guard = guard_with(MASKING)
    guard.compaction()
    for number, text in enumerate(TIMES):
        guard.restart()
        verdict, _state = guard.after("read", {"a": 1}, result=text)
        assert (verdict.action is Action.ABORT) is (number == 2)
