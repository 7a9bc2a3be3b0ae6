import pytest
from support.windows import settings

from guardd.detect import known_poll_no_progress as rule
from guardd.vocabulary import Action, Detector, Level

LOOP = {"warningThreshold": 2, "criticalThreshold": 4, "globalCircuitBreakerThreshold": 6}


@pytest.mark.parametrize(
    ("streak", "level", "action", "threshold"),
    [
        (2, Level.WARNING, Action.WARN, 2),
        (3, Level.WARNING, Action.WARN, 2),
        (4, Level.CRITICAL, Action.BLOCK, 4),
        (7, Level.CRITICAL, Action.BLOCK, 4),
    ],
)
def test_its_thresholds(found, streak, level, action, threshold):
    detection = found("a=1 " * streak, "a", rule, is_poll=True, **LOOP)
    assert detection.detector is Detector.KNOWN_POLL_NO_PROGRESS
    assert (detection.level, detection.action) == (level, action)
    assert (detection.count, detection.threshold) == (streak, threshold)
    assert detection.paired_tool is None


@pytest.mark.parametrize("tokens", ["", "a=1", "a=1 a=2 a=1", "a? a? a? a? a?"])
def test_without_a_streak_nothing_is_found(found, tokens):
    assert found(tokens, "a", rule, is_poll=True, **LOOP) is None


def test_it_is_for_polls_only(found):
    assert found("a=1 " * 5, "a", rule, is_poll=False, **LOOP) is None


def test_its_switch(found):
    off = {"knownPollNoProgress": False}
    assert found("a=1 " * 5, "a", rule, is_poll=True, detectors=off, **LOOP) is None
    assert found("a=1 " * 5, "a", is_poll=True, detectors=off, **LOOP) is None  # nor is it a generic repeat
    assert not rule.is_on(settings(detectors=off))
    assert rule.is_on(settings())
    assert rule.threshold(settings(**LOOP)) == 4


@pytest.mark.parametrize(
    ("tokens", "action", "threshold"),
    [("a=1 " * 5 + "a! b=1", Action.ABORT, 6), ("a=1 " * 4 + "a! b=1", Action.BLOCK, 4)],
)
def test_it_escalates_after_a_block(found, tokens, action, threshold):
    detection = found(tokens, "a", rule, is_poll=True, **LOOP)
    assert (detection.action, detection.threshold) == (action, threshold)


def test_a_warning_that_counts_a_blocked_attempt_is_still_one(found):
    assert found("a=1 a!", "a", rule, is_poll=True, **LOOP).action is Action.WARN


def test_the_key_is_of_the_signature(found):
    keys = [
        found(tokens * 2, name, rule, is_poll=True, **LOOP).warning_key
        for tokens, name in (("a=1 ", "a"), ("a=2 ", "a"), ("a2=1 ", "a2"))
    ]
    assert keys[0] == keys[1] != keys[2]
