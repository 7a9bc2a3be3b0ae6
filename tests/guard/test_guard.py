"""How a detection becomes a verdict: settings, notices, events, modes, and what is sticky."""

import pytest
from support.guarding import LOOP, run_scope

from guardd.vocabulary import Action, Detector, Level

LONG = LOOP | {"criticalThreshold": 60, "globalCircuitBreakerThreshold": 70, "historySize": 80}


def actions(verdicts):
    return [verdict.action.word for verdict in verdicts]


def notified(verdicts):
    """The counts at which a verdict asked to be shown."""
    return [verdict.detection.count for verdict in verdicts if verdict.notify]


# Warnings that reach somebody


def test_a_warning_is_shown_first_and_then_every_ten(guard_with):
    guard = guard_with(LONG)
    verdicts = [guard.call("read", {"path": "a"}) for _ in range(36)]
    assert actions(verdicts) == ["allow"] * 3 + ["warn"] * 33
    assert notified(verdicts) == [3, 13, 23, 33]


def test_what_was_notified_survives_a_restart(guard_with):
    guard = guard_with(LONG)
    verdicts = []
    for _ in range(25):
        verdicts.append(guard.call("read", {"path": "a"}))
        guard.restart()
    assert notified(verdicts) == [3, 13, 23]


def test_each_key_is_shown_by_itself(guard_with):
    guard = guard_with(LONG)
    verdicts = [guard.call("read", {"path": path}) for path in "aaaabbbb"]
    assert notified(verdicts) == [3, 3]


def test_each_run_is_told_by_itself(guard_with):
    guard = guard_with(LONG)
    verdicts = [
        guard.call("read", {"path": "a"}, scope=run_scope(run)) for run in ("r1", "r2") for _ in range(5)
    ]
    assert notified(verdicts) == [3, 3]


def test_another_outcome_is_not_another_key(guard_with):
    guard = guard_with(LONG)
    verdicts = [guard.call("read", {"path": "a"}, result=number) for number in range(16)]
    assert notified(verdicts) == [3, 13]


def test_the_two_sides_of_an_alternation_are_one_key(guard_with):
    guard = guard_with(LONG)
    verdicts = [guard.call("read", {"path": "ab"[n % 2]}, result=n) for n in range(16)]
    found = [verdict.detection.detector for verdict in verdicts if verdict.detection]
    assert set(found) == {Detector.PING_PONG}
    assert notified(verdicts) == [3, 13]


def test_a_reset_forgets_what_was_notified(guard_with):
    guard = guard_with(LONG)
    before = [guard.call("read", {"path": "a"}) for _ in range(5)]
    guard.reset()
    after = [guard.call("read", {"path": "a"}) for _ in range(5)]
    assert (notified(before), notified(after)) == ([3], [3])


def test_a_count_that_fell_is_not_shown_again(guard_with):
    guard = guard_with(LONG | {"historySize": 10})
    verdicts = [guard.call("read", {"path": path}) for path in "a" * 6 + "bcdefgh" + "a" * 5]
    assert notified(verdicts) == [3]


def test_blocks_and_aborts_are_always_shown(guard):
    verdicts = [guard.call("read") for _ in range(12)]
    assert actions(verdicts) == ["allow"] * 3 + ["warn"] * 3 + ["block"] * 3 + ["abort"] * 3
    assert [verdict.notify for verdict in verdicts] == [False] * 3 + [True, False, False] + [True] * 6


def test_a_block_uses_up_no_warning(guard):
    for _ in range(8):
        guard.call("read")
    assert guard.query("select count from notices") == [(3,)]


# Events


def test_each_new_detection_is_published_with_its_verdict(guard):
    verdicts = [guard.call("read") for _ in range(8)]
    assert [event.verdict for event in guard.events] == verdicts[3:]
    assert {event.run.scope for event in guard.events} == {guard.scope}
    assert [event.at for event in guard.events] == sorted(event.at for event in guard.events)


def test_a_repeated_abort_is_no_new_event(guard):
    for _ in range(10):
        guard.call("read")
    count = len(guard.events)
    assert guard.events[-1].verdict.action is Action.ABORT
    guard.call("read")
    guard.after("write", result=1)
    assert len(guard.events) == count


def test_a_guard_without_watchers(guard):
    guard.guard._publish = None  # noqa: SLF001
    assert actions([guard.call("read") for _ in range(4)])[-1] == "warn"


# What is recorded of them


def test_a_detection_is_recorded_whole(guard):
    for _ in range(4):
        guard.call("read", {"path": "a"})
    ((seq, action, detector, level, count, threshold, tool, notify, observed),) = guard.query(
        "select seq, action, detector, level, count, threshold, tool, notify, observed from detections"
    )
    assert (seq, action, detector, level) == (4, Action.WARN, "generic_repeat", "warning")
    assert (count, threshold, tool, notify, observed) == (3, 3, "read", 1, 0)


def test_neither_arguments_nor_results_are_in_a_detection(guard):
    for _ in range(10):
        guard.call("read", {"path": "/home/alice/secret"}, result="hunter2")
    text = repr(guard.query("select * from detections") + guard.query("select * from notices"))
    assert "secret" not in text
    assert "hunter2" not in text


# Settings


def test_settings_are_those_of_the_agent(guard_with):
    guard = guard_with(LOOP, agents={"patient": {"warningThreshold": 5}})
    strict = [guard.call("read") for _ in range(6)]
    patient = [guard.call("read", scope=run_scope("r2"), agent="patient") for _ in range(6)]
    assert actions(strict).index("warn") == 3
    assert actions(patient).index("warn") == 5


def test_the_last_known_agent_counts(guard_with):
    guard = guard_with(LOOP, agents={"patient": {"enabled": False}})
    for _ in range(3):
        guard.call("read")
    assert guard.before("read", agent="patient").action is Action.ALLOW
    guard.restart()
    assert guard.before("read").action is Action.ALLOW
    assert guard.before("read", agent="another").action is Action.WARN


def test_other_settings_apply_to_the_next_verdict(guard):
    for _ in range(4):
        guard.call("read")
    guard.configure(LOOP | {"warningThreshold": 5})
    assert guard.call("read").action is Action.ALLOW
    guard.configure(LOOP)
    assert guard.call("read").action is Action.WARN


def test_calls_are_recorded_whatever_enabled_says(guard_with):
    guard = guard_with({})
    for enabled in (None, False):
        guard.configure({} if enabled is None else {"enabled": enabled})
        for _ in range(10):
            assert guard.call("read").action is Action.ALLOW
    assert guard.run().newest_seq == 20
    guard.configure(LOOP)
    assert guard.call("read").action is Action.ABORT


def test_switching_off_lets_a_blocked_call_through(guard):
    for _ in range(7):
        guard.call("read")
    guard.configure(LOOP | {"enabled": False})
    assert guard.call("read").action is Action.ALLOW
    guard.configure(LOOP)
    assert guard.before("read").detection.count == 8  # 6 calls, an attempt, and the one let through


def test_switching_off_does_not_lift_an_abort(guard):
    for _ in range(10):
        guard.call("read")
    guard.configure(LOOP | {"enabled": False})
    assert guard.call("write").action is Action.ABORT


def test_poll_tools_are_configured(guard_with):
    guard = guard_with(LOOP, pollTools=["wait"])
    verdicts = [guard.call("wait") for _ in range(4)]
    assert verdicts[-1].detection.detector is Detector.KNOWN_POLL_NO_PROGRESS


def test_sending_tools_are_configured(guard_with):
    guard = guard_with(LOOP, sendingTools=["chat"])
    results = [{"details": {"messageId": number, "ok": True}} for number in range(7)]
    verdicts = [guard.call("chat", result=result) for result in results]
    assert verdicts[-1].action is Action.BLOCK


@pytest.mark.parametrize(("previews", "kept"), [("redacted", True), ("off", False)])
def test_previews_are_kept_or_not(guard_with, previews, kept):
    guard = guard_with(LOOP, privacy={"previews": previews})
    guard.call("read", {"path": "a.txt"})
    guard.after("write", {"path": "b.txt"}, result=1)
    found = [preview for (preview,) in guard.query("select preview from calls order by seq")]
    assert found == (['{"path":"a.txt"}', '{"path":"b.txt"}'] if kept else [None, None])


# Observing


def test_observing_allows_everything_and_says_what_would_have_been(observing):
    verdicts = [observing.call("read") for _ in range(12)]
    assert set(actions(verdicts)) == {"allow"}
    would_be = [verdict.would_be and verdict.would_be.word for verdict in verdicts]
    assert would_be == [None] * 3 + ["warn"] * 3 + ["block"] * 3 + ["abort"] * 3
    assert [verdict.detection is not None for verdict in verdicts] == [False] * 3 + [True] * 9
    assert notified(verdicts) == [3, 6, 7, 8, 9, 10, 11]


def test_observing_records_as_if_it_had_been_let_through(observing):
    for _ in range(12):
        observing.call("read")
    assert observing.states() == [2] * 12
    run = observing.run()
    assert (run.status, run.abort_detection_id) == ("active", None)
    assert observing.query("select distinct observed from detections") == [(1,)]


def test_an_observed_block_is_followed_by_nothing(observing):
    for _ in range(7):
        observing.call("read")
    assert observing.call("read", result="at last").would_be is Action.BLOCK
    assert observing.call("read").would_be is Action.WARN


def test_an_abort_before_observing_is_said_as_observed(guard):
    for _ in range(10):
        guard.call("read")
    guard.configure(LOOP, mode="observe")
    verdict = guard.before("read")
    assert (verdict.action, verdict.would_be) == (Action.ALLOW, Action.ABORT)
    assert guard.states()[-1] == 0
    guard.configure(LOOP)
    assert guard.before("read").action is Action.ABORT


def test_what_was_observed_does_not_bind_when_enforcing(guard_with):
    guard = guard_with(mode="observe")
    for _ in range(12):
        guard.call("read")
    guard.configure(LOOP)
    assert guard.before("write").action is Action.ALLOW
    verdict = guard.before("read")
    assert (verdict.action, verdict.detection.detector) == (Action.ABORT, Detector.GLOBAL_CIRCUIT_BREAKER)


# A sticky abort


def test_an_abort_is_answered_whole_until_a_reset(guard):
    first = [guard.call("read", {"path": "a"}) for _ in range(10)][-1]
    assert (first.action, first.detection.count, first.detection.level) == (Action.ABORT, 9, Level.CRITICAL)
    for number, report in enumerate((guard.before, guard.call, guard.before), 11):
        verdict = report("write", {"path": "b"})
        assert (verdict.seq, verdict.action) == (number, Action.ABORT)
        assert verdict.detection == first.detection
        assert verdict.notify
    guard.restart()
    assert guard.before("exec").detection == first.detection
    assert guard.after("exec", result=1)[0].detection == first.detection
    guard.reset()
    assert guard.before("write", {"path": "b"}).action is Action.ALLOW


def test_an_abort_is_of_one_run(guard):
    for _ in range(10):
        guard.call("read")
    assert guard.before("read", scope=run_scope("r2")).action is Action.ALLOW
    assert guard.before("read", scope=run_scope("r1", "another gateway")).action is Action.ALLOW


def test_names_of_any_letters_go_through(guard):
    for name in ("a\nb", "{count}", "x" * 512, "日本", "\x1b[31m", "'; drop table runs; --", "a\0b"):
        for _ in range(7):
            verdict = guard.call(name, {"k": name}, call_id=name)
        assert verdict.action is Action.BLOCK
        assert verdict.detection.tool == name
