"""Which call an outcome belongs to, what is recorded of it, and what is answered."""

import pytest
from support.guarding import LOOP, run_scope

from guardd.guard import calls as operations
from guardd.guard.answers import DISARMED
from guardd.store.rows import Scope
from guardd.vocabulary import Action, CallState, Detector, ScopeKind

PENDING, BLOCKED, OK, ERROR, REPORTED = CallState


def said(verdict):
    """An answer in short: action, detector, count."""
    return (
        verdict.action.word,
        verdict.detection and verdict.detection.detector,
        verdict.detection and verdict.detection.count,
    )


def columns(guard, *names):
    return guard.query(f"select {', '.join(names)} from calls order by run_id, seq")  # noqa: S608


# What is recorded


def test_a_call_is_recorded_before_it_runs(guard):
    verdict = guard.before("read", {"path": "a"}, "call_1")
    assert (verdict.action, verdict.seq, verdict.detection) == (Action.ALLOW, 1, None)
    names = ("seq", "tool", "call_id", "state", "outcome", "detection_id", "at", "duration_ms")
    assert columns(guard, *names) == [(1, "read", "call_1", PENDING, None, None, 1, None)]


def test_calls_are_numbered_by_their_run(guard):
    seqs = [guard.before("read", scope=run_scope(name)).seq for name in ("r1", "r2", "r1", "r1", "r2")]
    assert seqs == [1, 1, 2, 3, 2]


def test_an_outcome_is_recorded(guard):
    guard.before("read", {"path": "a"})
    verdict, state = guard.after("read", {"path": "a"}, result="text", duration_ms=12)
    assert (verdict.action, verdict.seq, verdict.detection) == (Action.ALLOW, 1, None)
    assert state == DISARMED
    ((found, outcome, duration),) = columns(guard, "state", "outcome", "duration_ms")
    assert (found, len(outcome), duration) == (OK, 16, 12)


@pytest.mark.parametrize(
    ("report", "state"),
    [
        ({"result": "text"}, OK),
        ({"result": None}, OK),
        ({"error": "no such file"}, ERROR),
        ({"error": {"code": 5}}, ERROR),
        ({"error": "", "result": "text"}, ERROR),
        ({"result": "text", "error": "no such file"}, ERROR),
        ({"result": "text", "error": None}, OK),
    ],
)
def test_results_and_errors(guard, report, state):
    guard.before("read")
    guard.after("read", **report)
    assert guard.states() == [state]


@pytest.mark.parametrize("report", [{}, {"error": None}])
def test_neither_is_no_outcome(guard, report):
    guard.before("read")
    verdict, _state = guard.after("read", **report)
    assert (verdict.action, verdict.seq) == (Action.ALLOW, 1)
    assert guard.states() == [PENDING]
    guard.after("read", result=1)
    assert guard.states() == [OK]


def test_neither_of_a_call_that_is_not_known_records_none(guard):
    verdict, state = guard.after("read", {"path": "a"})
    assert (verdict.action, verdict.seq, state) == (Action.ALLOW, None, DISARMED)
    assert columns(guard, "seq") == []


@pytest.mark.parametrize("args", [None, {}])
def test_missing_null_and_empty_arguments_are_one_call(guard, args):
    for _ in range(3):
        guard.call("read")
    assert guard.before("read", args).action is Action.WARN


@pytest.mark.parametrize("args", [b'{"a": "\\ud800"}', b"[" * 5000 + b"]" * 5000, b'{"a": 1e400}'])
def test_arguments_that_a_decoder_refuses_are_judged_too(guard, args):
    for _ in range(4):
        verdict = guard.before("read", args)
    assert said(verdict) == ("warn", Detector.GENERIC_REPEAT, 3)


# Which call an outcome belongs to


def test_ids_are_not_unique(guard):
    for path in "abc":
        guard.before("read", {"path": path}, "call_1")
    guard.after("read", {"path": "b"}, "call_1", result=1)
    assert guard.states() == [PENDING, OK, PENDING]
    guard.after("read", {"path": "b"}, "call_1", result=1)
    assert guard.states() == [PENDING, OK, OK]
    guard.after("read", {"path": "b"}, "call_1", result=1)
    assert guard.states() == [OK, OK, OK]
    guard.after("read", {"path": "b"}, "call_1", result=1)
    assert guard.states() == [OK, OK, OK, OK]


def test_without_ids_the_newest_of_the_tool(guard):
    guard.before("read", {"path": "a"}, "call_1")
    guard.before("read", {"path": "b"})
    guard.before("write", {"path": "b"})
    guard.after("read", {"path": "x"}, result=1)
    assert guard.states() == [PENDING, OK, PENDING]
    guard.after("read", {"path": "x"}, result=1)
    assert guard.states() == [OK, OK, PENDING]


def test_an_id_that_is_not_known_is_another_call(guard):
    guard.before("read", {"path": "a"}, "call_1")
    verdict, _state = guard.after("read", {"path": "a"}, "call_2", result=1)
    assert verdict.seq == 2
    assert guard.states() == [PENDING, OK]


def test_the_tool_must_be_the_same(guard):
    guard.before("read", {"path": "a"}, "call_1")
    assert guard.after("write", {"path": "a"}, "call_1", result=1)[0].seq == 2


def test_parallel_calls_may_come_back_in_any_order(guard):
    for number in (1, 2, 3):
        guard.before("read", {"path": "a"}, f"call_{number}")
    for number in (2, 3, 1):
        assert guard.after("read", {"path": "a"}, f"call_{number}", result=number)[0].seq == number
    assert guard.states() == [OK, OK, OK]


def test_an_outcome_of_a_vanished_gateway_is_found_after_a_restart(guard):
    guard.before("read", {"path": "a"}, "call_1")
    guard.restart()
    assert guard.after("read", {"path": "a"}, "call_1", result=1)[0].seq == 1


def test_arguments_that_a_hook_rewrote_count_as_they_were_asked(guard):
    for number in range(6):
        guard.before("exec", {"command": "ls"}, "call_1")
        guard.after("exec", {"command": f"ls --color={number}"}, "call_1", result="same")
    assert guard.before("exec", {"command": "ls"}).action is Action.BLOCK
    assert guard.before("exec", {"command": "ls --color=1"}).action is Action.ALLOW
    assert guard.states()[:6] == [OK] * 6


# Blocked attempts


def test_a_blocked_attempt_is_recorded_with_what_blocked_it(guard):
    for _ in range(7):
        verdict = guard.call("read")
    assert said(verdict) == ("block", Detector.GENERIC_REPEAT, 6)
    assert guard.states() == [OK] * 6 + [BLOCKED]
    ((detector, count),) = guard.query(
        "select detector, count from detections join calls on calls.detection_id = detections.id where state = 1"
    )
    assert (detector, count) == (Detector.GENERIC_REPEAT, 6)


def test_the_outcome_of_a_blocked_attempt_is_no_progress_and_no_call(guard):
    for _ in range(7):
        guard.call("read")
    verdict, _state = guard.after("read", error="guardd blocked it")
    assert (verdict.action, verdict.detection, verdict.seq) == (Action.ALLOW, None, 7)
    assert guard.states()[-1] == REPORTED
    assert columns(guard, "outcome", "missing_tool")[-1] == (None, None)
    assert said(guard.before("read")) == ("block", Detector.GENERIC_REPEAT, 7)
    assert guard.run().newest_seq == 8


def test_each_blocked_attempt_takes_one_outcome_newest_first(guard):
    for _ in range(8):
        guard.call("read")
    for state in ([BLOCKED, REPORTED], [REPORTED, REPORTED]):
        guard.after("read", error="guardd blocked it")
        assert guard.states()[-2:] == state
    guard.after("read", error="somebody else denied it")
    assert guard.states()[-3:] == [REPORTED, REPORTED, ERROR]


def test_without_an_outcome_a_blocked_attempt_goes_on_waiting(guard):
    for _ in range(7):
        guard.call("read")
    assert guard.after("read")[0].seq == 7
    assert guard.states()[-1] == BLOCKED
    guard.after("read", result="blocked")
    assert guard.states()[-1] == REPORTED


def test_a_denial_by_somebody_else_is_an_outcome(guard):
    for _ in range(6):
        guard.before("exec", {"command": "rm"})
        guard.after("exec", {"command": "rm"}, error="denied by the user")
    assert guard.before("exec", {"command": "rm"}).action is Action.BLOCK


def test_a_retry_escalates_to_an_abort(guard):
    verdicts = [said(guard.call("read")) for _ in range(11)]
    assert verdicts[6:] == [
        ("block", Detector.GENERIC_REPEAT, 6),
        ("block", Detector.GENERIC_REPEAT, 7),
        ("block", Detector.GENERIC_REPEAT, 8),
        ("abort", Detector.GENERIC_REPEAT, 9),
        ("abort", Detector.GENERIC_REPEAT, 9),
    ]
    assert guard.states() == [OK] * 6 + [BLOCKED] * 5


def test_a_retry_is_never_let_through_by_a_result_elsewhere(guard):
    for _ in range(6):
        guard.before("read", {}, "slow")
        guard.before("read", {}, "fast")
        guard.after("read", {}, "fast", result="same")
    assert guard.before("read").action is Action.BLOCK
    guard.after("read", {}, "slow", result="different")
    assert said(guard.before("read")) == ("block", Detector.GENERIC_REPEAT, 7)


def test_other_work_in_between_is_judged_as_ever(guard):
    for _ in range(7):
        guard.call("read")
    assert guard.call("write").action is Action.ALLOW
    assert said(guard.call("read")) == ("block", Detector.GENERIC_REPEAT, 7)
    guard.call("write")
    assert said(guard.call("read"))[0] == "block"


def test_a_missing_tool_that_is_blocked_goes_on_being_missed(guard):
    verdicts = [said(guard.miss("reed", {"n": number})) for number in range(11)]
    assert verdicts[3:] == [
        ("allow", None, None),
        *(("block", Detector.UNKNOWN_TOOL_REPEAT, count) for count in (4, 5, 6, 7, 8)),
        ("abort", Detector.UNKNOWN_TOOL_REPEAT, 9),
        ("abort", Detector.UNKNOWN_TOOL_REPEAT, 9),
    ]
    assert columns(guard, "missing_tool")[4:9] == [("reed",)] * 5


def test_an_observed_miss_is_one_only_when_its_outcome_says_so(observing):
    for number in range(4):
        observing.miss("reed", {"n": number})
    assert observing.before("reed", {"n": 4}).would_be is Action.BLOCK
    assert observing.before("reed", {"n": 5}).detection is None
    observing.after("reed", {"n": 5}, result="it exists after all")
    observing.after("reed", {"n": 4}, result="it exists after all")
    assert columns(observing, "missing_tool")[4:] == [(None,), (None,)]
    assert observing.before("reed", {"n": 6}).detection is None


def test_a_changed_threshold_lifts_a_block(guard):
    for _ in range(7):
        guard.call("read")
    guard.configure(LOOP | {"criticalThreshold": 8, "globalCircuitBreakerThreshold": 12})
    assert said(guard.call("read"))[0] == "warn"
    guard.configure(LOOP | {"criticalThreshold": 4, "globalCircuitBreakerThreshold": 12})
    assert said(guard.call("read"))[0] == "block"
    guard.configure(LOOP | {"detectors": {"genericRepeat": False}, "globalCircuitBreakerThreshold": 12})
    assert said(guard.call("read"))[0] == "allow"


# What is answered afterwards


def test_a_warning_before_is_repeated_after(guard):
    for _ in range(3):
        guard.call("read")
    before = guard.before("read")
    after, _state = guard.after("read", result="same")
    assert after == before
    assert after.action is Action.WARN


def test_a_warning_is_repeated_with_or_without_an_outcome(guard):
    for _ in range(3):
        guard.call("read")
    before = guard.before("read")
    assert guard.after("read")[0] == before
    assert guard.after("read", result="same")[0] == before


def test_a_warning_is_repeated_for_its_own_call_only(guard):
    for _ in range(3):
        guard.call("read")
    guard.before("write", {}, "w")
    guard.before("read", {}, "r")
    assert guard.after("write", {}, "w", result=1)[0].action is Action.ALLOW
    assert guard.after("read", {}, "r", result=1)[0].action is Action.WARN


def test_a_repeated_warning_is_not_notified_of_anew(guard):
    for _ in range(4):
        guard.call("read")
    before = guard.before("read")
    after, _state = guard.after("read", result="same")
    assert (before.notify, after.notify) == (False, False)
    assert len(guard.query("select * from detections")) == 2


def test_an_observed_warning_is_repeated_as_observed(observing):
    for _ in range(3):
        observing.call("read")
    before = observing.before("read")
    after, _state = observing.after("read", result="same")
    assert after == before
    assert (after.action, after.would_be) == (Action.ALLOW, Action.WARN)


def test_an_observed_block_is_not_repeated(observing):
    for _ in range(6):
        observing.call("read")
    assert observing.before("read").would_be is Action.BLOCK
    verdict, _state = observing.after("read", result="same")
    assert (verdict.action, verdict.detection, verdict.would_be) == (Action.ALLOW, None, None)


# Calls that are reported only afterwards


def test_an_unreported_call_is_recorded_with_its_outcome(guard):
    verdict, _state = guard.after("read", {"path": "a"}, "call_1", result=1, duration_ms=3)
    assert (verdict.action, verdict.seq) == (Action.ALLOW, 1)
    assert columns(guard, "call_id", "state", "duration_ms", "outcome is null") == [("call_1", OK, 3, 0)]


def test_unreported_misses_warn_with_notice_and_then_abort(guard):
    verdicts = [guard.after("reed", {"n": n}, error="Unknown tool: reed")[0] for n in range(11)]
    assert [said(verdict) for verdict in verdicts[3:]] == [
        ("allow", None, None),
        *(("warn", Detector.UNKNOWN_TOOL_REPEAT, count) for count in (4, 5, 6, 7, 8)),
        ("abort", Detector.UNKNOWN_TOOL_REPEAT, 9),
        ("abort", Detector.UNKNOWN_TOOL_REPEAT, 9),
    ]
    assert all(verdict.notify for verdict in verdicts[4:])
    assert [verdict.detection.threshold for verdict in verdicts[8:]] == [4, 9, 9]
    assert guard.states() == [ERROR] * 11
    assert guard.run().abort_detection_id is not None


def test_an_unreported_call_is_judged_by_the_same_rules(guard):
    verdicts = [said(guard.after("read", {"path": "a"}, result=1)[0]) for _ in range(11)]
    assert verdicts == [
        *[("allow", None, None)] * 3,
        *(("warn", Detector.GENERIC_REPEAT, count) for count in (3, 4, 5, 6, 7, 8)),
        *[("abort", Detector.GLOBAL_CIRCUIT_BREAKER, 9)] * 2,
    ]


def test_an_unreported_warning_is_notified_of_like_any_other(guard):
    verdicts = [guard.after("read", {"path": "a"}, result=n)[0] for n in range(15)]
    assert [verdict.detection.count for verdict in verdicts if verdict.notify] == [3, 13]


def test_an_unreported_retry_of_a_blocked_attempt(guard):
    for _ in range(7):
        guard.call("read", {"path": "a"})
    guard.after("read", {"path": "a"}, result="blocked")
    verdict, _state = guard.after("read", {"path": "a"}, result="same")
    assert said(verdict) == ("warn", Detector.GENERIC_REPEAT, 7)
    assert verdict.notify
    assert guard.states()[-2:] == [REPORTED, OK]


def test_an_unreported_call_when_observing(observing):
    verdicts = [observing.after("reed", {"n": n}, error="tool reed not found")[0] for n in range(11)]
    assert {verdict.action for verdict in verdicts} == {Action.ALLOW}
    assert [verdict.would_be for verdict in verdicts[4:]] == [Action.WARN] * 5 + [Action.ABORT] * 2
    assert observing.run().abort_detection_id is None


# Calls and outcomes that are reported more than once


def test_the_same_call_again_is_answered_as_it_was_and_counts_once(guard):
    for _ in range(3):
        guard.call("read")
    verdict = guard.before("read", {}, "a", once=True)
    assert said(verdict)[0] == "warn"
    assert guard.before("read", {}, "a", once=True) == verdict
    guard.restart()
    assert guard.before("read", {}, "a", once=True) == verdict
    assert guard.run().newest_seq == 4
    assert guard.before("read", {}, "b", once=True).seq == 5


@pytest.mark.parametrize(
    ("tool", "args", "call_id", "once"),
    [
        ("read", {"path": "b"}, "a", True),
        ("write", {"path": "a"}, "a", True),
        ("read", {"path": "a"}, "b", True),
        ("read", {"path": "a"}, None, True),
        ("read", {"path": "a"}, "a", False),
    ],
)
def test_another_call_is_none_that_is_known(guard, tool, args, call_id, once):
    assert guard.before("read", {"path": "a"}, "a", once=True).seq == 1
    assert guard.before(tool, args, call_id, once=once).seq == 2


def test_with_an_outcome_a_call_is_over_and_the_next_of_its_id_another(guard):
    guard.before("read", {}, "a", once=True)
    guard.after("read", {}, "a", result=1, once=True)
    assert guard.before("read", {}, "a", once=True).seq == 2


def test_after_a_reset_the_same_call_is_another(guard):
    guard.before("read", {}, "a", once=True)
    guard.reset()
    assert guard.before("read", {}, "a", once=True).seq == 2


def test_a_blocked_attempt_again(guard):
    for _ in range(6):
        guard.call("read")
    verdict = guard.before("read", {}, "a", once=True)
    assert said(verdict) == ("block", Detector.GENERIC_REPEAT, 6)
    assert guard.before("read", {}, "a", once=True) == verdict
    for _ in range(2):
        assert guard.after("read", {}, "a", error="blocked", once=True)[0].seq == 7
    assert guard.run().newest_seq == 7


def test_a_known_call_of_a_run_that_was_aborted_since(guard):
    guard.before("slow", {}, "s", once=True)
    for _ in range(10):
        guard.call("read")
    verdict = guard.before("slow", {}, "s", once=True)
    assert (verdict.action, verdict.seq) == (Action.ABORT, 1)


def test_the_same_outcome_again_counts_once(guard):
    for _ in range(3):
        guard.call("read")
    guard.before("read", {}, "a")
    guard.compaction()
    first = guard.after("read", {}, "a", result=1, once=True)
    assert guard.after("read", {}, "a", result=1, once=True) == first
    assert said(first[0])[0] == "warn"
    assert first[1].remaining == 2
    assert guard.run().newest_seq == 4


def test_another_outcome_of_the_same_id_is_another_call(guard):
    guard.before("read", {}, "a")
    guard.after("read", {}, "a", result=1, once=True)
    assert guard.after("read", {}, "a", result=2, once=True)[0].seq == 2
    assert guard.after("read", {}, "a", result=1)[0].seq == 3
    assert guard.after("read", {}, None, result=1, once=True)[0].seq == 4


def test_an_outcome_of_long_ago_is_another_call(guard):
    guard.after("read", {}, "a", result=1)
    for number in range(operations.REPORTED_AGAIN_WITHIN - 1):
        guard.before("write", {"n": number})
    assert guard.after("read", {}, "a", result=1, once=True)[0].seq == 1
    guard.before("write", {})
    assert guard.after("read", {}, "a", result=1, once=True)[0].seq == operations.REPORTED_AGAIN_WITHIN + 2


# After an abort


def test_after_an_abort_attempts_are_recorded_as_blocked(guard):
    for _ in range(10):
        guard.call("read")
    guard.before("write")
    assert guard.states()[-2:] == [BLOCKED, BLOCKED]
    verdict, _state = guard.after("write", result=1)
    assert verdict.action is Action.ABORT
    assert verdict.seq == 11
    assert guard.states()[-1] == REPORTED


def test_after_an_abort_outcomes_of_running_calls_are_recorded(guard):
    guard.before("slow", {}, "s")
    for _ in range(10):
        guard.call("read")
    verdict, _state = guard.after("slow", {}, "s", result=1)
    assert (verdict.action, verdict.seq) == (Action.ABORT, 1)
    assert guard.states()[0] == OK


def test_after_an_abort_an_unreported_call_has_run_all_the_same(guard):
    for _ in range(10):
        guard.call("read")
    verdict, _state = guard.after("write", result=1)
    assert (verdict.action, verdict.seq) == (Action.ABORT, 11)
    assert guard.states()[-1] == OK
    assert guard.after("write")[0].seq is None


# Resets


def test_a_late_outcome_of_a_call_before_a_reset_attaches_and_does_not_count(guard):
    for number in range(6):
        guard.before("read", {}, f"call_{number}")
    guard.reset()
    for number in range(6):
        guard.after("read", {}, f"call_{number}", result="same")
    assert guard.states() == [OK] * 6
    assert [guard.call("read").action for _ in range(3)] == [Action.ALLOW] * 3
    assert guard.call("read").action is Action.WARN


def test_numbering_goes_on_after_a_reset(guard):
    guard.call("read")
    guard.reset()
    assert guard.call("read").seq == 2


def test_a_retry_after_a_reset_is_a_first_call(guard):
    for _ in range(7):
        guard.call("read")
    guard.reset()
    assert guard.before("read").action is Action.ALLOW


# Scopes


@pytest.mark.parametrize(
    "other",
    [
        Scope("default", ScopeKind.RUN, "r2"),
        Scope("other", ScopeKind.RUN, "r1"),
        Scope("default", ScopeKind.SESSION, "r1"),
        Scope("r1", ScopeKind.SOURCE, "r1"),
    ],
)
def test_history_is_judged_within_one_scope(guard, other):
    for _ in range(6):
        guard.call("read")
    guard.before("read", {}, "call_1", scope=other)
    assert guard.before("read", {}, "call_2", scope=other).action is Action.ALLOW
    assert guard.after("read", {}, "call_1", result=1, scope=other)[0].seq == 1
    assert guard.before("read").action is Action.BLOCK


def test_a_run_goes_on_where_it_was_after_a_restart(guard):
    for _ in range(6):
        guard.call("read")
        guard.restart()
    assert said(guard.before("read")) == ("block", Detector.GENERIC_REPEAT, 6)
    guard.restart()
    assert said(guard.before("read")) == ("block", Detector.GENERIC_REPEAT, 7)


def test_what_is_not_committed_never_was(guard):
    guard.call("read")
    guard.store.begin()
    operations.before(guard.guard, guard.report("read"), 5)
    guard.store.rollback()
    assert guard.before("read").seq == 2


# An outcome is compared by what its call was asked with


@pytest.mark.parametrize(
    ("tool", "asked", "volatile"),
    [
        ("process", {"action": "poll", "sessionId": "s"}, "elapsedMs"),
        ("message", {"action": "send", "text": "hello"}, "messageId"),
    ],
)
@pytest.mark.parametrize("reported", [None, {"action": "something else"}])
def test_outcomes_reported_with_other_arguments_are_compared_as_asked(guard, tool, asked, volatile, reported):
    for number in range(6):
        guard.before(tool, asked, f"call_{number}")
        guard.after(tool, reported, f"call_{number}", result={"details": {"status": "x", volatile: number}})
    assert guard.before(tool, asked, "call_6").action is Action.BLOCK


def test_a_warning_that_was_only_observed_is_not_one_afterwards(guard):
    for _ in range(3):
        guard.call("read")
    guard.configure(LOOP, mode="observe")
    assert guard.before("read").would_be is Action.WARN
    guard.configure(LOOP)
    verdict, _state = guard.after("read", result="text")
    assert (verdict.action, verdict.would_be) == (Action.ALLOW, Action.WARN)
