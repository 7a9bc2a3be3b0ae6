"""Candidates tried on turns; the figures are worked out by hand."""

from functools import partial

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from guardd.config.trial import trial
from guardd.replay.engine import Engine
from guardd.replay.findings import Findings
from guardd.replay.past import Afterwards
from guardd.replay.trying import COUNTED, Candidate, effective, trying
from guardd.replay.turns import Call, Result, Turn

LOW, HIGH = Candidate(3, 5, 8), Candidate(4, 20, 30)


def config(candidate, *changes):
    return trial(None, [*(f"{key}={value}" for key, value in candidate.document().items()), *changes])


def loop(times, result="same"):
    return [Call("read", {"a": 1}, None, Result(result)) for _ in range(times)]


def judged(*turns, candidates=(HIGH, LOW), changes=()):
    with trying(candidates, lambda candidate: config(candidate, *changes)) as found:
        for turn in turns:
            found.judge(turn, {"file": "f", "turn": turn.id})
    return found


def test_a_loop_and_a_healthy_turn():
    healthy = Turn("h", [Call("read", {"n": number}) for number in range(5)])
    found = judged(Turn("t", loop(10)), healthy)
    assert (found.runs, found.quiet, found.calls) == (2, 1, 15)
    low, high = found.tried
    assert (low.candidate, high.candidate) == (LOW, HIGH)
    # Calls 4 and 5 are warned of, 6 to 8 blocked, 9 is aborted and 10 not made any more.
    assert low.calls == {"warned": 2, "blocked": 3, "aborted": 2}
    (run,) = low.concerned
    assert {step: one.found.seq for step, one in run.steps.items()} == {
        "warned": 4,
        "blocked": 6,
        "aborted": 9,
    }
    assert {one.afterwards for one in run.steps.values()} == {Afterwards.STUCK}
    assert high.calls == {"warned": 6, "blocked": 0}
    assert low.document() | {"concerned": []} == {
        "warningThreshold": 3,
        "criticalThreshold": 5,
        "globalCircuitBreakerThreshold": 8,
        "warned": {"runs": 1, "calls": 2, "progress": 0, "stuck": 1, "cutShort": 0},
        "blocked": {"runs": 1, "calls": 3, "progress": 0, "stuck": 1, "cutShort": 0},
        "aborted": {"runs": 1, "calls": 2, "progress": 0, "stuck": 1, "cutShort": 0},
        "concerned": [],
    }
    assert high.document()["concerned"] == [
        {
            "file": "f",
            "turn": "t",
            "warned": {
                "seq": 5,
                "detector": "generic_repeat",
                "toolName": "read",
                "count": 4,
                "afterwards": "stuck",
            },
            "blocked": None,
            "aborted": None,
        }
    ]


def test_a_warning_may_be_wrong_and_the_block_right():
    """Progress after the warning, at the fifth call, and then none any more."""
    (low,) = judged(Turn("t", [*loop(4), *loop(6, "other")]), candidates=[LOW]).tried
    assert low.runs("warned", Afterwards.PROGRESS) == 1
    assert low.runs("blocked", Afterwards.STUCK) == 1
    assert low.concerned[0].steps["blocked"].found.seq == 10


def test_an_abort_without_a_block_counts_as_one():
    changes = ["detectors.genericRepeat=false"]
    (low,) = judged(Turn("t", loop(10)), candidates=[LOW], changes=changes).tried
    assert set(low.concerned[0].steps) == {"blocked", "aborted"}
    assert low.calls == {"warned": 0, "blocked": 0, "aborted": 2}


def test_rules_with_settings_of_their_own_are_not_counted():
    turn = Turn("t", [Call("nope", {"n": number}, None, Result(1)) for number in range(9)])
    for call in turn.calls:
        call.outcome = type(call.outcome)("x")
    assert judged(turn, changes=["unknownToolThreshold=2"]).tried[0].concerned == []


def test_thresholds_are_raised_and_the_same_ones_tried_once():
    found = judged(Turn("t", loop(1)), candidates=[Candidate(3, 2, 1), Candidate(3, 4, 5)])
    assert [tried.candidate for tried in found.tried] == [Candidate(3, 4, 5)]
    assert effective(config(Candidate(3, 2, 1))) == Candidate(3, 4, 5)
    assert str(Candidate(3, 4, 5)) == "3/4/5"


@pytest.fixture(scope="module")
def kept():
    with trying([LOW, HIGH], config) as found, Engine(config(LOW)) as low, Engine(config(HIGH)) as high:
        yield found, (low, high)


CALLS = st.builds(
    partial(Call, "read"),
    st.integers(0, 3),
    st.none(),
    st.one_of(st.none(), st.builds(Result, st.integers(0, 1))),
)


@given(st.lists(CALLS, min_size=1, max_size=14))
@settings(max_examples=100, deadline=None)
def test_what_is_not_played_would_have_found_nothing(kept, steps):
    found, engines = kept
    turn = Turn("t", steps)
    for tried, engine in zip(found.tried, engines, strict=True):
        tried.calls.clear()
        findings = Findings("-")
        engine.play(turn, findings)
        actions = [one.action for one in findings.detections if one.detector in COUNTED]
        found.judge(turn, {"file": "f", "turn": "t"})
        assert tried.calls["warned"] == actions.count("warn")
        assert tried.calls["blocked"] == actions.count("block")
        assert bool(tried.calls["aborted"]) == ("abort" in actions)
