import pytest
from support.windows import settings

from guardd.detect import generic_repeat as rule
from guardd.vocabulary import Action, Detector, Level

LOOP = {"warningThreshold": 2, "criticalThreshold": 4, "globalCircuitBreakerThreshold": 6}


@pytest.mark.parametrize(
    ("tokens", "level", "action", "counted", "threshold"),
    [
        ("a=1 a=1", Level.WARNING, Action.WARN, 2, 2),
        ("a=1 a=1 a=1", Level.WARNING, Action.WARN, 3, 2),
        ("a=1 a=1 a=1 a=1", Level.CRITICAL, Action.BLOCK, 4, 4),
        ("a=1 a=1 a=1 a=1 a=1", Level.CRITICAL, Action.BLOCK, 5, 4),
        ("a=1 a=2 a=3 a=4 a=5", Level.WARNING, Action.WARN, 5, 2),  # repeats alone never block
        ("a? a? a? a? a?", Level.WARNING, Action.WARN, 5, 2),
        ("a=9 a=1 b=1 a=1 a=1 a? a=1", Level.CRITICAL, Action.BLOCK, 4, 4),  # the streak, not the repeats
    ],
)
def test_its_thresholds(found, tokens, level, action, counted, threshold):
    detection = found(tokens, "a", rule, **LOOP)
    assert detection.detector is Detector.GENERIC_REPEAT
    assert (detection.level, detection.action) == (level, action)
    assert (detection.count, detection.threshold) == (counted, threshold)
    assert (detection.tool, detection.paired_tool) == ("a", None)


@pytest.mark.parametrize("tokens", ["", "a=1", "a2=1 a2=1 a2=1", "a=1 b=1 b=1"])
def test_below_the_warning_nothing_is_found(found, tokens):
    assert found(tokens, "a", rule, **LOOP) is None


def test_it_is_not_for_polls(found):
    assert found("a=1 " * 5, "a", rule, is_poll=True, **LOOP) is None


def test_its_switch(found):
    off = {"genericRepeat": False}
    assert found("a=1 " * 5, "a", detectors=off, **LOOP) is None
    assert not rule.is_on(settings(detectors=off))
    assert rule.is_on(settings())
    assert rule.threshold(settings(**LOOP)) == 4


@pytest.mark.parametrize(
    ("tokens", "action", "threshold"),
    [
        ("a=1 " * 9, Action.BLOCK, 4),  # a first block at any count
        ("a=1 " * 4 + "a! b=1", Action.BLOCK, 4),
        ("a=1 " * 5 + "a! b=1", Action.ABORT, 6),
        ("a! " + "a=2 a=1 " + "a=1 " * 5, Action.BLOCK, 4),  # that block is not among what is counted
    ],
)
def test_it_escalates_after_a_block(found, tokens, action, threshold):
    detection = found(tokens, "a", rule, **LOOP)
    assert (detection.action, detection.threshold) == (action, threshold)


def test_the_key_is_of_the_signature_and_never_of_an_outcome(found):
    keys = [
        found(tokens, name, rule, **LOOP).warning_key
        for tokens, name in (("a=1 a=1", "a"), ("a=2 a? a=3", "a"), ("a=1 " * 4, "a"), ("a2=1 a2=1", "a2"))
    ]
    assert keys[0] == keys[1] == keys[2] != keys[3]
