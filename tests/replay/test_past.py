"""What a turn shows of itself: a bound for what can be counted in it, and what came after a place."""

from contextlib import ExitStack

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from guardd.config.trial import trial
from guardd.replay.engine import Engine
from guardd.replay.findings import Finding, Findings
from guardd.replay.past import Afterwards, Past
from guardd.replay.recorded import RecordedFingerprinter
from guardd.replay.trying import COUNTED
from guardd.replay.turns import Call, Compaction, Failed, Fingerprints, Reset, Result, Turn

FINGERPRINTER = RecordedFingerprinter(b"key", sending_tools=(), poll_tools=())


def calls(words):
    """Calls in short: `a1` is the call `a` with the outcome 1, `a?` has none, `a!` was blocked."""
    for word in words.split():
        outcome = None if word[1] in "?!" else Result(word[1])
        yield Call(word[0], {}, None, outcome, stopped=word[1] == "!")


def past(words, status=None, history=30):
    return Past(Turn("t", list(calls(words)), status=status), FINGERPRINTER, history)


def found(seq, detector="generic_repeat"):
    return Finding("t", seq, "warn", detector, "warning", 3, 3, "a", None, notify=True, message="")


@pytest.mark.parametrize(
    ("words", "most"),
    [
        ("a1", 0),
        ("a1 a1", 1),
        ("a1 b1", 2),
        ("a1 a2 a? a!", 3),
        ("a1 b1 a1 b1 c1", 4),
        ("a1 b1 b1 a1 c1 a1", 3),
    ],
)
def test_how_much_can_be_counted(words, most):
    assert past(words).most == most


@pytest.mark.parametrize(("history", "most"), [(2, 2), (6, 2), (7, 3), (30, 3)])
def test_only_what_is_in_the_window_can_be_counted(history, most):
    assert past("a1 a1 b1 b1 c1 c1 a1 a1", history=history).most == most


CALLS = st.builds(
    Call,
    tool=st.sampled_from(["read", "process", "command_status", "nope"]),
    args=st.sampled_from([{}, {"action": "poll"}]),
    outcome=st.sampled_from([Result(1), Result(2), Failed("tool nope not found"), Failed("x"), None]),
)
STEPS = st.one_of(CALLS, CALLS, CALLS, CALLS, CALLS, CALLS, st.just(Compaction(armed=True)), st.just(Reset()))
PATTERNS = st.builds(
    lambda one, times, rest: one * times + rest,
    st.lists(CALLS, min_size=1, max_size=3),
    st.integers(1, 8),
    st.lists(STEPS, max_size=10),
)


@pytest.fixture(scope="module")
def engines():
    low = ["warningThreshold=2", "criticalThreshold=3", "globalCircuitBreakerThreshold=4"]
    changes = [(30, low), (30, [*low, "unknownToolThreshold=2"]), (3, [*low, "historySize=3"])]
    with ExitStack() as stack:
        yield [(history, stack.enter_context(Engine(trial(None, change)))) for history, change in changes]


@given(PATTERNS)
@settings(max_examples=200, deadline=None)
def test_no_rule_counts_more_but_in_retries_of_what_it_has_blocked(engines, steps):
    """So a turn below every warning threshold need not be played: the first finding would have to be at it."""
    turn = Turn("t", steps)
    for history, engine in engines:
        findings = Findings("-")
        engine.play(turn, findings)
        counted = [finding for finding in findings.detections if finding.detector in COUNTED]
        if counted:
            assert counted[0].counted <= Past(turn, FINGERPRINTER, history).most


@pytest.mark.parametrize(
    ("words", "status", "seq", "afterwards"),
    [
        ("a1 a1 a1 a1", None, 3, Afterwards.STUCK),
        ("a1 a1 a1 a2 a1", None, 3, Afterwards.PROGRESS),
        ("a1 a1 a2", None, 3, Afterwards.PROGRESS),  # the outcome of the call itself
        ("a2 a1 a1 a1", None, 3, Afterwards.STUCK),  # what was before does not matter
        ("a1 a1 a1 b1", None, 3, Afterwards.PROGRESS),
        ("a1 a1 a1 b1", "completed", 3, Afterwards.PROGRESS),
        ("a1 a1 a1 b1", "failed", 3, Afterwards.STUCK),
        ("a1 a1 a1 b1", "aborted", 3, Afterwards.STUCK),
        ("a1 a1 a1 a2 b1", "failed", 3, Afterwards.PROGRESS),
        ("a1 a1 a1 b1 a1", "completed", 3, Afterwards.STUCK),  # it went on, and came back
        ("a1 a1 a1 a! a!", None, 3, Afterwards.CUT_SHORT),
        ("a1 a1 a1 a! b1", "completed", 3, Afterwards.PROGRESS),
        ("a? a? a? a1", None, 3, Afterwards.STUCK),
        ("a? a? a? a1 a2", None, 3, Afterwards.PROGRESS),
    ],
)
def test_what_came_afterwards(words, status, seq, afterwards):
    assert past(words, status).afterwards(found(seq)) is afterwards


def test_an_alternation_is_about_both_of_its_calls():
    words = "a1 b1 a1 b1 a1"
    assert past(words).afterwards(found(4, "ping_pong")) is Afterwards.STUCK
    assert past(words).afterwards(found(4)) is Afterwards.PROGRESS
    assert past("a1 b1 a1 b1 a2").afterwards(found(4, "ping_pong")) is Afterwards.PROGRESS


def test_recorded_numbers_and_fingerprints():
    prints = [Fingerprints("a" * 32, letter * 32 if letter else None, False, None, False) for letter in "bbc"]
    turn = Turn(
        "t", [Call("x", seq=seq, fingerprints=one) for seq, one in zip((7, 8, 9), prints, strict=True)]
    )
    recorded = Past(turn, FINGERPRINTER, 30)
    assert recorded.most == 2
    assert recorded.calls_from(found(8)) == 2
    assert recorded.afterwards(found(8)) is Afterwards.PROGRESS
