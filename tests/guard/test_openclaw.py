"""The profile of OpenClaw 2026.9 as a gateway meets it, where the release's own words do not reach."""

import pytest
from support.guarding import LOOP

from guardd.guard.answers import CompactionGuard
from guardd.vocabulary import Action, Detector

PROFILE = "openclaw-2026.9"


@pytest.fixture
def guard(guard_with):
    """Low thresholds: 3, 6, 9."""
    return guard_with(LOOP, profile=PROFILE)


def failed(number=0, text="refused after {}.5s"):
    return {"details": {"status": "failed", "exitCode": 1, "aggregated": text.format(number)}}


def said(verdict):
    found = verdict.detection
    return "allow" if found is None else (verdict.action.word, found.detector.value, found.count)


def run_commands(guard, count, start=0):
    return [said(guard.call("exec", {"command": n}, failed(n))) for n in range(start, start + count)]


def test_new_commands_are_blocked_once_others_failed_alike(guard):
    assert run_commands(guard, 8) == [
        *["allow"] * 6,
        ("block", "generic_repeat", 6),
        ("block", "generic_repeat", 7),
    ]
    retry = guard.before("exec", {"command": 7})
    assert said(retry) == ("block", "generic_repeat", 8)
    assert retry.detection.warning_key == "failures:exec"
    assert said(guard.before("exec", {"command": 7})) == ("abort", "generic_repeat", 9)


def test_a_new_command_after_blocks_meets_the_breaker(guard):
    run_commands(guard, 9)
    assert said(guard.before("exec", {"command": "new"})) == ("abort", "global_circuit_breaker", 9)


def test_another_tool_ends_it(guard):
    run_commands(guard, 7)
    guard.call("read", {}, "text")
    assert run_commands(guard, 2, start=20) == ["allow"] * 2


def test_a_command_that_was_reported_only_afterwards(guard):
    run_commands(guard, 6)
    verdict, _ = guard.after("exec", {"command": "new"}, result=failed())
    assert (verdict.action, verdict.notify, verdict.detection.count) == (Action.WARN, True, 6)


def test_a_command_that_was_only_reported_counts(guard):
    for number in range(6):
        guard.after("exec", {"command": number}, result=failed(number))
    assert said(guard.before("exec", {"command": "new"})) == ("block", "generic_repeat", 6)


def test_failures_survive_a_restart(guard):
    run_commands(guard, 3)
    guard.restart()
    assert run_commands(guard, 4, start=3)[-1] == ("block", "generic_repeat", 6)


def test_a_reset_forgets_them(guard):
    run_commands(guard, 7)
    guard.reset()
    assert run_commands(guard, 4, start=20) == ["allow"] * 4


def test_a_write_that_changes_nothing_whatever_it_says(guard):
    for number in range(6):
        guard.call("write", {"path": "a"}, {"content": [], "details": {"changed": False, "at": number}})
    assert said(guard.before("write", {"path": "a"})) == ("block", "generic_repeat", 6)


def test_the_same_few_failing_calls_in_turn(guard):
    for number in range(9):
        guard.before("read", {"path": number % 3})
        guard.after("read", {"path": number % 3}, error="no such file")
    verdict = guard.before("read", {"path": 0})
    assert said(verdict) == ("warn", "argument_churn", 9)
    assert verdict.notify


def test_what_was_sent_is_the_same_whatever_its_id(guard):
    for number in range(6):
        guard.call("conversations_send", {"text": "hi"}, {"details": {"ok": True, "messageId": number}})
    assert said(guard.before("conversations_send", {"text": "hi"})) == ("block", "generic_repeat", 6)


def test_after_a_compaction_fresh_nonces_are_the_same_outcome(guard):
    mark = "EXTERNAL_UNTRUSTED_CONTENT"
    guard.compaction()
    for number in range(3):
        nonce = f"{number:016x}"
        page = f'<<<{mark} id="{nonce}">>>page<<<END_{mark} id="{nonce}">>>'
        guard.before("web_fetch", {})
        verdict, left = guard.after("web_fetch", {}, result=page)
    assert (verdict.action, verdict.detection.detector) == (Action.ABORT, Detector.COMPACTION_LOOP_PERSISTED)
    assert left == CompactionGuard(armed=False, remaining=0)


@pytest.mark.parametrize("profile", ["documented", "extended"])
def test_other_profiles_know_nothing_of_it(guard_with, profile):
    loop = {**LOOP, "detectors": {"sameError": False, "volatileText": False}}
    guard = guard_with(loop, profile=profile)
    assert run_commands(guard, 20) == ["allow"] * 20
    assert guard.query("select count(failure) from calls") == [(0,)]


@pytest.mark.parametrize("profile", ["documented", "extended"])
def test_a_change_of_profile_in_the_middle_blocks_nobody_for_what_was_before(guard_with, profile):
    guard = guard_with({**LOOP, "detectors": {"sameError": False, "volatileText": False}}, profile=profile)
    run_commands(guard, 10)
    guard.configure(LOOP, profile=PROFILE)
    assert run_commands(guard, 6, start=10) == ["allow"] * 6
    assert said(guard.before("exec", {"command": "new"})) == ("block", "generic_repeat", 6)


def test_the_documented_rules_ask_nothing_more_of_the_database(guard_with):
    """No statement of the profile is run where it is off."""
    guard = guard_with(LOOP)
    seen = []
    guard.database.connection.set_trace_callback(seen.append)
    run_commands(guard, 3)
    guard.database.connection.set_trace_callback(None)
    assert seen
    assert not any("failure" in statement for statement in seen)


def test_it_goes_with_what_is_switched_on_beside_it(guard_with):
    """The other rules look on after it."""
    detectors = {"cycle": True, "sameError": True, "volatileText": True, "progressReset": True}
    guard = guard_with({**LOOP, "detectors": detectors, "cycle": {"warning": 2}}, profile=PROFILE)
    for _ in range(2):
        verdicts = [said(guard.call(tool, {}, f"of {tool}")) for tool in "abc"]
    assert verdicts[-1] == ("warn", "cycle", 2)
    unchanged = {"content": [], "details": {"changed": False}}
    guard.call("write", {"path": "a"}, unchanged)
    assert guard.query("select effect from calls where tool = 'write'") == [(3,)]
