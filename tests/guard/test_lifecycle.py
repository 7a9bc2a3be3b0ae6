import pytest
from support.guarding import LOOP, run_scope

from guardd.guard.lifecycle import Started
from guardd.store.reading import describe_run, run_history
from guardd.store.reading.history import HistoryPage
from guardd.vocabulary import Action, Detector, Level, RunStatus


def described(guard):
    return describe_run(guard.database.core, guard.run().id)


# Beginning


def test_a_new_run(guard):
    assert guard.start(agent="alice") == Started(resumed=False, calls=0, status=RunStatus.ACTIVE)
    assert guard.run().agent_id == "alice"
    assert guard.markers() == []


def test_metadata_is_kept_and_replaced_only_by_other(guard):
    guard.start(metadata='{"channel": "cli"}')
    guard.start()
    assert guard.query("select metadata from runs") == [('{"channel": "cli"}',)]
    guard.start(metadata="null")
    assert guard.query("select metadata from runs") == [("null",)]


def test_a_run_that_is_known_goes_on(guard):
    for _ in range(5):
        guard.call("read")
    assert guard.start() == Started(resumed=True, calls=5, status=RunStatus.ACTIVE)
    assert guard.call("read").detection.count == 5


def test_begun_again_in_the_middle_its_gateway_was_restarted(guard):
    guard.call("read")
    guard.start()
    guard.call("read")
    guard.start()
    assert guard.markers() == [("gateway_restart", 1), ("gateway_restart", 2)]


def test_begun_twice_without_calls_nothing_was_restarted(guard):
    guard.start()
    assert guard.start() == Started(resumed=True, calls=0, status=RunStatus.ACTIVE)
    assert guard.markers() == []


@pytest.mark.parametrize("status", [RunStatus.COMPLETED, RunStatus.FAILED, RunStatus.ABORTED])
def test_begun_again_after_its_end_it_simply_goes_on(guard, status):
    guard.call("read")
    guard.end(status)
    assert guard.start() == Started(resumed=True, calls=1, status=RunStatus.ACTIVE)
    assert guard.markers() == []
    assert described(guard)["endedAt"] is None


def test_begun_again_after_a_reset_nothing_was_restarted(guard):
    guard.call("read")
    guard.reset()
    guard.start()
    assert guard.markers() == [("reset", 1)]


def test_a_run_that_guardd_aborted_stays_so(guard):
    for _ in range(10):
        guard.call("read")
    assert guard.start() == Started(resumed=True, calls=10, status=RunStatus.ABORTED)
    assert guard.before("write").action is Action.ABORT
    assert guard.markers() == []


def test_both_restarts_are_marked(guard):
    guard.call("read")
    guard.restart()
    guard.start()
    assert guard.markers() == [("daemon_restart", 1), ("gateway_restart", 1)]


def test_a_restart_of_the_daemon_is_marked_where_work_goes_on(guard):
    guard.call("read")
    guard.call("read", scope=run_scope("silent"))
    guard.restart()
    guard.restart()
    guard.call("read")
    guard.call("read")
    assert guard.markers() == [("daemon_restart", 1)]
    assert guard.query("select count(*) from markers") == [(1,)]
    found = run_history(guard.database.core, guard.run().id, HistoryPage(10), None)
    assert [marker["kind"] for marker in found["markers"]] == ["daemon_restart"]


# A fresh start


def test_a_fresh_start_of_a_new_run_is_a_start(guard):
    assert guard.start(fresh=True) == Started(resumed=False, calls=0, status=RunStatus.ACTIVE)
    assert guard.markers() == []


def test_after_a_fresh_start_what_came_before_no_longer_counts(guard):
    for _ in range(5):
        guard.call("read")
    guard.compaction()
    assert guard.start(fresh=True) == Started(resumed=False, calls=5, status=RunStatus.ACTIVE)
    assert guard.markers()[-1] == ("reset", 5)
    verdict = guard.call("read")
    assert (verdict.action, verdict.seq) == (Action.ALLOW, 6)
    assert not guard.after("read")[1].armed


def test_a_fresh_start_lifts_an_abort(guard):
    for _ in range(10):
        guard.call("read")
    assert guard.start(fresh=True) == Started(resumed=False, calls=10, status=RunStatus.ACTIVE)
    assert guard.before("read").action is Action.ALLOW
    assert guard.run().abort_detection_id is None


# Ending


@pytest.mark.parametrize("status", [RunStatus.COMPLETED, RunStatus.FAILED, RunStatus.ABORTED])
def test_an_end(guard, status):
    guard.call("read")
    guard.end(status, "because")
    run = described(guard)
    assert (run["status"], run["endReason"]) == (status, "because")
    assert run["endedAt"] == run["lastActivityAt"] != run["startedAt"]
    assert guard.run().status != RunStatus.ACTIVE


def test_the_end_of_a_run_that_is_not_known_is_nothing(guard):
    guard.end()
    assert guard.query("select * from runs") == []


def test_a_run_that_ended_and_goes_on_is_active_and_its_calls_count(guard):
    for _ in range(5):
        guard.call("read")
    guard.end(RunStatus.FAILED, "because")
    assert guard.call("read").detection.count == 5
    run = described(guard)
    assert (run["status"], run["endedAt"], run["endReason"]) == ("active", None, None)


def test_an_abort_by_the_gateway_is_not_sticky(guard):
    guard.call("read")
    guard.end(RunStatus.ABORTED)
    assert guard.before("read").action is Action.ALLOW


def test_the_end_of_a_run_that_guardd_aborted_leaves_it_aborted(guard):
    for _ in range(10):
        guard.call("read")
    guard.end(RunStatus.COMPLETED, "the agent gave up")
    run = described(guard)
    assert (run["status"], run["endReason"]) == ("aborted", "the agent gave up")
    assert guard.before("write").action is Action.ABORT


# Resets


def test_a_reset_forgives(guard):
    for _ in range(10):
        guard.call("read")
    guard.reset("a second chance")
    assert guard.query("select kind, after_seq, reason from markers") == [("reset", 10, "a second chance")]
    assert described(guard)["verdict"] == "allow"
    assert [guard.call("read").action.word for _ in range(4)] == ["allow", "allow", "allow", "warn"]
    assert described(guard)["verdict"] == "warn"


def test_a_reset_of_a_reset_run_is_marked_too(guard):
    guard.call("read")
    guard.reset()
    guard.reset()
    assert guard.markers() == [("reset", 1), ("reset", 1)]
    assert guard.call("read").seq == 2


def test_a_reset_survives_a_restart(guard):
    for _ in range(10):
        guard.call("read")
    guard.reset()
    guard.restart()
    assert guard.call("read").action is Action.ALLOW


# An operator's abort


def test_an_operator_stops_a_run(guard):
    guard.call("read")
    guard.abort("it costs too much")
    assert guard.run().status == RunStatus.ABORTED
    for verdict in (guard.before("read"), guard.before("write"), guard.after("read", result=1)[0]):
        found = verdict.detection
        assert verdict.action is Action.ABORT
        assert (found.detector, found.level) == (Detector.OPERATOR, Level.CRITICAL)
        assert (found.count, found.threshold, found.reason) == (0, 0, "it costs too much")
        assert verdict.notify
    guard.restart()
    assert guard.before("read").detection.reason == "it costs too much"


def test_an_operators_abort_is_lifted_by_a_reset(guard):
    guard.call("read")
    guard.abort()
    guard.reset()
    assert guard.before("read").action is Action.ALLOW


def test_an_operators_abort_is_an_event_without_a_call(guard):
    guard.call("read")
    guard.abort()
    (event,) = guard.events
    assert (event.verdict.seq, event.verdict.action) == (None, Action.ABORT)
    assert guard.query("select seq, action from detections") == [(None, 3)]


def test_of_an_aborted_run_the_first_abort_stands(guard):
    for _ in range(10):
        guard.call("read")
    guard.abort()
    assert guard.before("read").detection.detector is Detector.GENERIC_REPEAT
    guard.reset()
    guard.abort("first")
    guard.abort("second")
    assert guard.before("read").detection.reason == "first"


def test_an_operators_abort_counts_whatever_enabled_says(guard_with):
    guard = guard_with({"enabled": False})
    guard.call("read")
    guard.abort()
    assert guard.before("read").action is Action.ABORT


def test_when_observing_an_operators_abort_is_recorded_and_said_as_observed(observing):
    """detection.md has every action answered as `allow` then; enforcing again, the run is still stopped."""
    observing.call("read")
    observing.abort("enough")
    assert observing.run().abort_detection_id is not None
    verdict = observing.before("read")
    assert (verdict.action, verdict.would_be) == (Action.ALLOW, Action.ABORT)
    assert verdict.detection.reason == "enough"
    observing.configure(LOOP)
    assert observing.before("read").action is Action.ABORT


def test_attempts_after_an_operators_abort_are_not_what_a_rule_blocked(guard):
    for _ in range(5):
        guard.call("read")
    guard.abort()
    for _ in range(3):
        guard.call("read")
    guard.reset()
    assert guard.call("read").action is Action.ALLOW


def test_a_run_that_has_ended_stays_so_when_it_is_forgiven(guard):
    guard.call("read")
    guard.end("completed", "done")
    guard.reset()
    assert (guard.run().status, guard.run().reset_seq) == ("completed", 1)
