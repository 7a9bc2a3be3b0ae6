import pytest
from support.windows import settings

from guardd.detect import unknown_tool_repeat as rule
from guardd.vocabulary import Action, Detector, Level

LOOP = {"unknownToolThreshold": 3, "globalCircuitBreakerThreshold": 40, "criticalThreshold": 20}


@pytest.mark.parametrize(
    ("tokens", "misses"),
    [
        ("", 0),
        ("a-gone", 1),
        ("a-gone a2-gone a-gone", 3),  # whatever the arguments
        ("a-gone a=1 a-gone a-gone", 2),  # another outcome ends it
        ("a-gone a? a-gone", 1),  # so does one that is not known
        ("a-gone a-gone a?", 0),
        ("a-gone b-gone a-gone", 1),  # and another tool, even if it misses the same
        ("a-gone a-lost a-lost", 2),  # and another missing tool
        ("a-lost a-gone", 1),
        ("b-gone", 0),
        ("a-gone a!gone a~gone", 3),  # blocked attempts are misses of what they were blocked for
        ("a-gone a! a-gone", 1),  # blocked for something else
        ("a!gone a!lost", 1),
    ],
)
def test_misses_in_a_row(count, tokens, misses):
    assert count(tokens, "a").unknown_streak == misses


def test_blocked_misses(count):
    assert count("a-gone a!gone a~gone a-gone", "a").unknown_blocked == 2
    assert count("a!gone b=1 a-gone", "a").unknown_blocked == 0


def test_below_the_threshold_nothing_is_found(found):
    assert found("a-gone a-gone", "a", rule, **LOOP) is None


@pytest.mark.parametrize("misses", [3, 4, 9])
def test_from_the_threshold_on_it_is_critical(found, misses):
    detection = found("a-gone " * misses, "a2", rule, **LOOP)
    assert detection.detector is Detector.UNKNOWN_TOOL_REPEAT
    assert (detection.level, detection.action) == (Level.CRITICAL, Action.BLOCK)
    assert (detection.count, detection.threshold) == (misses, 3)
    assert (detection.tool, detection.paired_tool) == ("a", None)


def test_it_never_warns(found):
    assert found("a-gone a-gone", "a", rule, **LOOP | {"warningThreshold": 1}) is None


@pytest.mark.parametrize(
    ("tokens", "action", "threshold"),
    [
        ("a-gone a-gone a-gone a-gone a-gone", Action.BLOCK, 3),  # a first block at any count
        ("a-gone a-gone a-gone a!gone", Action.BLOCK, 3),
        ("a-gone a-gone a-gone a!gone a2!gone", Action.ABORT, 5),
    ],
)
def test_it_escalates_after_a_block(found, tokens, action, threshold):
    loop = {"criticalThreshold": 4, "warningThreshold": 3, "globalCircuitBreakerThreshold": 5}
    detection = found(tokens, "a3", rule, **LOOP | loop)
    assert (detection.action, detection.threshold) == (action, threshold)
    assert detection.detector is Detector.UNKNOWN_TOOL_REPEAT


def test_the_key_is_of_the_tool_and_the_missing_name(found):
    keys = {
        found(tokens * 3, name, rule, **LOOP).warning_key
        for tokens, name in (("a-gone ", "a"), ("a2-gone ", "a3"), ("a-lost ", "a"), ("b-gone ", "b"))
    }
    assert keys == {
        "unknown_tool_repeat:a:gone",
        "unknown_tool_repeat:a:lost",
        "unknown_tool_repeat:b:gone",
    }


def test_no_switch_turns_it_off():
    off = {"genericRepeat": False, "knownPollNoProgress": False, "pingPong": False}
    assert rule.is_on(settings(detectors=off))
    assert rule.threshold(settings(unknownToolThreshold=4)) == 4
