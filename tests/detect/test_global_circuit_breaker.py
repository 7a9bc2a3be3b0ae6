import pytest
from support.windows import settings

from guardd.detect import global_circuit_breaker as rule
from guardd.vocabulary import Action, Detector, Level

LOOP = {"warningThreshold": 2, "criticalThreshold": 3, "globalCircuitBreakerThreshold": 5}


@pytest.mark.parametrize(("streak", "is_found"), [(0, False), (4, False), (5, True), (6, True)])
def test_its_threshold(found, streak, is_found):
    detection = found("a=1 " * streak, "a", rule, **LOOP)
    assert (detection is not None) is is_found


@pytest.mark.parametrize("is_poll", [True, False])
def test_it_aborts_at_once(found, is_poll):
    detection = found("a=1 " * 6, "a", rule, is_poll=is_poll, **LOOP)
    assert detection.detector is Detector.GLOBAL_CIRCUIT_BREAKER
    assert (detection.level, detection.action) == (Level.CRITICAL, Action.ABORT)
    assert (detection.count, detection.threshold) == (6, 5)
    assert (detection.tool, detection.paired_tool) == ("a", None)


def test_blocked_attempts_count(found):
    assert found("a=1 a=1 a=1 b=1 a! b=1 a~ b=1", "a", rule, **LOOP).count == 5


def test_no_switch_turns_it_off(found):
    off = {"genericRepeat": False, "knownPollNoProgress": False, "pingPong": False}
    assert rule.is_on(settings(detectors=off))
    assert found("a=1 " * 5, "a", detectors=off, **LOOP).detector is Detector.GLOBAL_CIRCUIT_BREAKER
    assert rule.threshold(settings(**LOOP)) == 5


def test_the_key_is_of_the_signature(found):
    keys = [
        found(tokens * 5, name, rule, **LOOP).warning_key
        for tokens, name in (("a=1 ", "a"), ("a=2 ", "a"), ("a2=1 ", "a2"))
    ]
    assert keys[0] == keys[1] != keys[2]
