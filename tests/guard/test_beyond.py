"""The rules beyond the documented ones, as a gateway meets them."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from support.guarding import Guarded, run_scope

from guardd.vocabulary import Action, Detector

HIGH = {"warningThreshold": 90, "criticalThreshold": 95, "unknownToolThreshold": 90, "historySize": 100}


@pytest.fixture
def guarded(tmp_path: Path) -> Iterator[Guarded]:
    made = Guarded(tmp_path / "guardd.db", {"enabled": True, **HIGH}, profile="extended")
    yield made
    made.close()


def said(verdict: Any) -> tuple[str, str, int] | str:
    """What was answered, by whom and with which count; `allow` alone."""
    found = verdict.detection
    return "allow" if found is None else (verdict.action.word, found.detector.value, found.count)


def go_round(guarded: Guarded, calls: str, rounds: int, results: str = "") -> list[Any]:
    """Each letter a tool, in order; the result is its own, or the letters of `results` in turn."""
    verdicts = []
    for number in range(rounds * len(calls)):
        tool = calls[number % len(calls)]
        result = results[number % len(results)] if results else f"of {tool}"
        verdicts.append(said(guarded.call(tool, {"x": tool}, result)))
    return verdicts


# Cycles


@pytest.mark.parametrize("calls", ["abc", "abcd", "aabc", "abcdefgh", "abac", "abcabd"])
def test_a_cycle_is_warned_of_in_its_third_round_and_blocked_in_its_fourth(guarded: Guarded, calls: str):
    verdicts = go_round(guarded, calls, 4)
    period = len(calls)
    assert verdicts[: 3 * period - 1] == ["allow"] * (3 * period - 1)
    assert verdicts[3 * period - 1] == ("warn", "cycle", 3)
    assert verdicts[4 * period - 1] == ("block", "cycle", 4)
    assert set(verdicts[3 * period - 1 : 4 * period - 1]) == {("warn", "cycle", 3)}


@pytest.mark.parametrize(
    ("calls", "why"),
    [
        ("ab", "two calls in turn are ping-pong's"),
        ("aaa", "one call is a repetition"),
        ("aab", "two different calls are too few"),
        ("abcdefghi", "nine are too many"),
    ],
)
def test_what_is_no_cycle(guarded: Guarded, calls: str, why: str):
    assert set(go_round(guarded, calls, 6)) == {"allow"}, why


def test_outcomes_that_go_on_are_progress(guarded: Guarded):
    assert set(go_round(guarded, "abc", 6, "0123456789")) == {"allow"}


def test_a_cycle_begins_anew_after_another_call(guarded: Guarded):
    go_round(guarded, "abc", 2)
    guarded.call("z", {}, "other")
    verdicts = go_round(guarded, "abc", 3)
    assert verdicts[-2:] == ["allow", ("warn", "cycle", 3)]


def test_polls_take_no_part_in_a_cycle(guarded: Guarded):
    for _ in range(6):
        for tool in ("a", "b", "command_status"):
            assert said(guarded.call(tool, {}, f"of {tool}")) in ("allow", ("warn", "ping_pong", 90))
    for _ in range(3):
        verdicts = []
        for tool in ("a", "b", "c"):
            guarded.call("command_status", {}, "running")
            verdicts.append(said(guarded.call(tool, {}, f"of {tool}")))
    assert verdicts[-1] == ("warn", "cycle", 3)


def test_going_on_after_a_block_is_blocked_too(guarded: Guarded):
    go_round(guarded, "abc", 4)
    assert said(guarded.before("c", {"x": "c"})) == ("block", "cycle", 5), "a straight retry"
    assert said(guarded.call("d", {}, "x")) == "allow", "a different call"


def test_what_is_not_known_yet_is_no_cycle(guarded: Guarded):
    for _ in range(6):
        for tool in "abc":
            assert said(guarded.before(tool)) == "allow"


# The same edit


def test_the_same_edit_again_and_again(guarded: Guarded):
    verdicts = [said(guarded.call("edit", {"path": "x", "text": "y"}, f"grown to {n}")) for n in range(9)]
    assert verdicts[:4] == ["allow"] * 4
    assert verdicts[4:7] == [("warn", "identical_mutation", count) for count in (5, 6, 7)]
    assert verdicts[7:] == [("block", "identical_mutation", count) for count in (8, 9)]


def test_another_call_in_between_ends_it(guarded: Guarded):
    for number in range(20):
        assert said(guarded.call("edit", {"path": "x"}, f"grown to {number}")) == "allow"
        if number % 4 == 3:
            guarded.call("read", {"path": number}, "text")


def test_other_tools_may_repeat_themselves(guarded: Guarded):
    assert {said(guarded.call("next_page", {}, f"page {n}")) for n in range(20)} == {"allow"}


def test_a_configured_tool_edits_too(guarded: Guarded):
    loop = {"enabled": True, **HIGH, "identicalMutation": {"tools": ["put"], "warning": 2, "critical": 3}}
    guarded.configure(loop, profile="extended")
    verdicts = [said(guarded.call("put", {"x": 1}, f"version {n}")) for n in range(3)]
    assert verdicts == ["allow", ("warn", "identical_mutation", 2), ("block", "identical_mutation", 3)]


@pytest.mark.parametrize(
    ("tool", "edits"), [("mcp__my__mine", True), ("mine", True), ("mcp__my__other", False)]
)
def test_a_configured_tool_of_a_server_edits_and_changes(guarded: Guarded, tool: str, edits: bool):  # noqa: FBT001
    loop = {"enabled": True, "warningThreshold": 4, "identicalMutation": {"tools": ["mine"], "warning": 3}}
    guarded.configure(loop, profile="extended")
    verdicts = [said(guarded.call(tool, {"x": 1}, f"version {n}")) for n in range(3)]
    assert verdicts[2] == (("warn", "identical_mutation", 3) if edits else "allow")
    for number in range(6):
        guarded.call(tool, {"x": f"new {number}"}, "done")
        found = said(guarded.call("exec", {"command": "make test"}, "2 failed"))
    assert found == ("allow" if edits else ("warn", "generic_repeat", 5))


def test_each_agent_has_tools_of_its_own_that_edit(guarded: Guarded):
    loop = {"enabled": True, **HIGH, "identicalMutation": {"warning": 2}}
    agents = {"writer": {"identicalMutation": {"tools": ["mine"]}}}
    guarded.configure(loop, agents=agents, profile="extended")
    for agent, expected in (("writer", ("warn", "identical_mutation", 2)), ("reader", "allow")):
        scope = run_scope(agent)
        verdicts = [
            said(guarded.call("mcp__my__mine", {"x": 1}, f"version {n}", scope=scope, agent=agent))
            for n in range(2)
        ]
        assert verdicts[1] == expected


# The same error


def fail(guarded: Guarded, tool: str, args: Any, error: str) -> Any:
    verdict = guarded.before(tool, args)
    if verdict.action < Action.BLOCK:
        guarded.after(tool, args, error=error)
    return said(verdict)


def test_ever_new_variants_that_fail_alike(guarded: Guarded):
    verdicts = [fail(guarded, "exec", {"command": f"run -{n}"}, "no such option") for n in range(14)]
    assert verdicts[:6] == ["allow"] * 6
    assert verdicts[6:12] == [("warn", "same_error", count) for count in range(6, 12)]
    assert verdicts[12:] == [("block", "same_error", 12), ("block", "same_error", 13)]


def test_an_error_that_differs_by_its_times_is_the_same(guarded: Guarded):
    errors = [f"2026-06-17T10:00:0{n}Z refused after {n}.5s" for n in range(7)]
    verdicts = [fail(guarded, "exec", {"command": f"run -{n}"}, error) for n, error in enumerate(errors)]
    assert verdicts[6] == ("warn", "same_error", 6)


@pytest.mark.parametrize(
    "between",
    [
        pytest.param(lambda guarded: guarded.call("exec", {"command": "ls"}, "files"), id="a success"),
        pytest.param(lambda guarded: fail(guarded, "exec", {"command": "x"}, "other"), id="another error"),
        pytest.param(lambda guarded: fail(guarded, "read", {}, "no such option"), id="another tool"),
    ],
)
def test_what_ends_a_series_of_failures(guarded: Guarded, between: Any):
    for number in range(5):
        fail(guarded, "exec", {"command": f"run -{number}"}, "no such option")
    between(guarded)
    verdicts = [fail(guarded, "exec", {"command": f"try -{n}"}, "no such option") for n in range(7)]
    assert "same_error" not in str(verdicts[:6])
    assert verdicts[6] == ("warn", "same_error", 6)


def test_one_call_alone_that_fails_is_a_repetition(guarded: Guarded):
    verdicts = {str(fail(guarded, "exec", {"command": "run"}, "no")) for _ in range(9)}
    assert "same_error" not in "".join(verdicts)


def test_calls_side_by_side_count_once(guarded: Guarded):
    for batch in range(6):
        calls = [{"command": f"run {batch} {n}"} for n in range(3)]
        verdicts = [said(guarded.before("exec", call, f"id-{n}")) for n, call in enumerate(calls)]
        assert verdicts == ["allow"] * 3
        for number, call in enumerate(calls):
            guarded.after("exec", call, f"id-{number}", error="no such option")
    assert said(guarded.before("exec", {"command": "more"})) == ("warn", "same_error", 6)


def test_a_call_that_was_cancelled_with_another_says_nothing(guarded: Guarded):
    for number in range(5):
        fail(guarded, "exec", {"command": f"run -{number}"}, "no such option")
    fail(guarded, "exec", {"command": "beside"}, "Sibling tool call errored")
    assert fail(guarded, "exec", {"command": "run -5"}, "no such option") == "allow"
    assert fail(guarded, "exec", {"command": "run -6"}, "no such option") == ("warn", "same_error", 6)


def test_errors_of_whatever_tools_are_warned_of(guarded: Guarded):
    verdicts = [fail(guarded, f"tool{n % 3}", {"n": n}, f"error {n}") for n in range(30)]
    assert verdicts[:10] == ["allow"] * 10
    assert verdicts[10:] == [("warn", "error_cascade", count) for count in range(10, 30)]
    guarded.call("read", {}, "text")
    assert fail(guarded, "tool", {}, "x") == "allow"


# Progress


LOW = {"enabled": True, "warningThreshold": 4, "criticalThreshold": 6}


def test_a_change_ends_what_was_counted(guarded: Guarded):
    guarded.configure(LOW, profile="extended")
    for number in range(20):
        if number % 3 == 2:
            guarded.call("edit", {"path": "x", "text": number}, "done")
        assert said(guarded.call("exec", {"command": "make test"}, "2 failed")) == "allow"


def test_a_change_that_was_none_ends_nothing(guarded: Guarded):
    guarded.configure(LOW, profile="extended")
    verdicts = []
    for number in range(6):
        guarded.call("write", {"path": "x", "content": number}, {"details": {"changed": False}})
        verdicts.append(said(guarded.call("exec", {"command": "make test"}, "2 failed")))
    assert verdicts[4] == ("warn", "generic_repeat", 4)


def test_a_change_that_failed_ends_nothing(guarded: Guarded):
    guarded.configure(LOW, profile="extended")
    verdicts = []
    for number in range(6):
        fail(guarded, "edit", {"path": "x", "text": number}, f"error {number}")
        verdicts.append(said(guarded.call("exec", {"command": "make test"}, "2 failed")))
    assert verdicts[4] == ("warn", "generic_repeat", 4)


def test_the_same_change_again_does_not_end_itself(guarded: Guarded):
    guarded.configure(LOW, profile="extended")
    verdicts = [said(guarded.call("exec", {"command": "touch x"}, "")) for _ in range(5)]
    assert verdicts[4] == ("warn", "generic_repeat", 4)


def test_the_same_two_changes_in_turn_are_a_loop_all_the_same(guarded: Guarded):
    guarded.configure(LOW, profile="extended")
    commands = ["rm -rf build", "mkdir build"] * 4
    verdicts = [said(guarded.call("exec", {"command": command}, "")) for command in commands]
    assert verdicts[5] == ("warn", "ping_pong", 5), "after the first of each, neither is new"
    assert verdicts[7] == ("block", "ping_pong", 7)


# What varies by itself


def test_outcomes_that_differ_only_by_a_clock(guarded: Guarded):
    guarded.configure(LOW, profile="extended")
    verdicts = [said(guarded.call("probe", {}, f"down since 2026-06-17T10:00:{n:02}Z")) for n in range(8)]
    assert verdicts[6] == ("block", "generic_repeat", 6)


def test_the_exact_outcome_stays_for_the_guard_after_a_compaction(guarded: Guarded):
    guarded.configure({**LOW, "warningThreshold": 50, "criticalThreshold": 60}, profile="extended")
    guarded.call("a")
    guarded.compaction(will_retry=True)
    for number in range(3):
        verdict = guarded.call("probe", {}, f"down since 2026-06-17T10:00:{number:02}Z")
        assert verdict.action is Action.ALLOW
    assert guarded.run().abort_detection_id is None


def test_how_long_a_poll_waits_is_no_part_of_it(guarded: Guarded):
    guarded.configure(LOW, profile="extended")
    verdicts = [said(guarded.call("command_status", {"id": 1, "timeout": n}, "running")) for n in range(5)]
    assert verdicts[4] == ("warn", "known_poll_no_progress", 4)


def test_a_missing_tool_whose_error_repeats_the_call(guarded: Guarded):
    guarded.configure({"enabled": True, "unknownToolThreshold": 3}, profile="extended")
    error = "Tool process(action=poll, timeout=60000) not found"
    verdicts = [fail(guarded, "process", {"n": n}, error) for n in range(4)]
    assert verdicts[3] == ("block", "unknown_tool_repeat", 3)


# All of it is off unless it is switched on


@pytest.mark.parametrize("name", ["cycle", "identicalMutation", "sameError"])
def test_each_has_a_switch_of_its_own(guarded: Guarded, name: str):
    guarded.configure({"enabled": True, **HIGH, "detectors": {name: True}})
    found = {verdict[1] for verdict in _everything(guarded) if verdict != "allow"}
    expected = {
        "cycle": {Detector.CYCLE},
        "identicalMutation": {Detector.IDENTICAL_MUTATION},
        "sameError": {Detector.SAME_ERROR, Detector.ERROR_CASCADE},
    }[name]
    assert found == {str(one) for one in expected}


def test_nothing_of_it_is_on_by_default(guarded: Guarded):
    guarded.configure({"enabled": True, **HIGH})
    assert set(_everything(guarded)) == {"allow"}
    assert guarded.query("select count(*) from calls where masked is not null or effect is not null") == [
        (0,)
    ]


def test_the_profile_can_be_switched_off_in_parts(guarded: Guarded):
    off = {"cycle": False, "identicalMutation": False, "sameError": False}
    guarded.configure({"enabled": True, **HIGH, "detectors": off}, profile="extended")
    assert set(_everything(guarded)) == {"allow"}


def _everything(guarded: Guarded) -> list[Any]:
    verdicts = go_round(guarded, "abc", 4)
    verdicts += [said(guarded.call("edit", {"path": "x"}, f"grown to {n}")) for n in range(9)]
    verdicts += [fail(guarded, "exec", {"command": f"run -{n}"}, "no such option") for n in range(13)]
    guarded.call("read", {}, "text")
    return verdicts + [fail(guarded, f"tool{n % 3}", {"n": n}, f"error {n}") for n in range(11)]


# Switches do what they are named for


@pytest.mark.parametrize(
    "other", [{}, {"postCompactionGuard": {"volatile": True}}, {"detectors": {"sameError": True}}]
)
def test_what_ends_a_streak_is_the_same_whatever_else_keeps_masked_outcomes(guard_with, other):
    loop = {"enabled": True, "warningThreshold": 4, "criticalThreshold": 6}
    detectors = {"progressReset": True, **other.get("detectors", {})}
    guard = guard_with(loop | other | {"detectors": detectors})
    for number in range(10):
        assert said(guard.call("read", {}, "same")) == "allow"
        copied = f"copied at 2026-01-01T00:00:0{number}Z"
        guard.call("bash", {"command": "cp a b"}, copied)
