"""The order of the rules, what follows a block, and what is said of a call that has run already."""

from dataclasses import replace

import pytest
from support.detections import any_detection
from support.windows import question, settings

from guardd.detect import rules
from guardd.detect.detection import Detection
from guardd.detect.figures import Figures
from guardd.detect.rules import RULES, after_the_fact, judge
from guardd.vocabulary import Action, CallState, Detector, Level

LOW = {
    "warningThreshold": 1,
    "criticalThreshold": 2,
    "unknownToolThreshold": 1,
    "globalCircuitBreakerThreshold": 3,
}
ALL_MATCH = Figures(
    newest_tool="b",
    newest_signature=b"b",
    newest_missing_tool="gone",
    unknown_streak=9,
    streak=9,
    repeats=9,
    tail=9,
)
OFF = {"genericRepeat": False, "knownPollNoProgress": False, "pingPong": False}


def detector_of(figures, *, is_poll=False, **loop):
    detection = judge(question("a", is_poll=is_poll), figures, settings(**LOW | loop))
    return None if detection is None else detection.detector


# Their order


def test_the_rules_come_in_the_order_of_the_page():
    assert [rule.DETECTOR for rule in RULES] == [
        Detector.UNKNOWN_TOOL_REPEAT,
        Detector.GLOBAL_CIRCUIT_BREAKER,
        Detector.KNOWN_POLL_NO_PROGRESS,
        Detector.PING_PONG,
        Detector.GENERIC_REPEAT,
    ]


def test_the_first_that_matches_wins():
    figures = ALL_MATCH
    assert detector_of(figures, is_poll=True) is Detector.UNKNOWN_TOOL_REPEAT
    figures = figures._replace(unknown_streak=0)
    assert detector_of(figures, is_poll=True) is Detector.GLOBAL_CIRCUIT_BREAKER
    figures = figures._replace(streak=2)
    assert detector_of(figures, is_poll=True) is Detector.KNOWN_POLL_NO_PROGRESS
    assert detector_of(figures) is Detector.PING_PONG
    figures = figures._replace(tail=0)
    assert detector_of(figures) is Detector.GENERIC_REPEAT
    figures = figures._replace(streak=0)
    assert detector_of(figures) is Detector.GENERIC_REPEAT
    figures = figures._replace(repeats=0)
    assert detector_of(figures) is None


def test_a_warning_of_an_earlier_rule_hides_a_critical_of_a_later_one(found):
    detection = found("b=1 b=1 b=1 b=1 a=1 b=1 a=2", "b", warningThreshold=3, criticalThreshold=4)
    assert (detection.detector, detection.action) == (Detector.PING_PONG, Action.WARN)


def test_a_detector_that_is_off_hides_nothing():
    figures = ALL_MATCH._replace(unknown_streak=0, streak=2)
    assert detector_of(figures, detectors={"pingPong": False}) is Detector.GENERIC_REPEAT
    assert detector_of(figures, detectors=OFF) is None
    assert detector_of(figures, is_poll=True, detectors=OFF) is None


def test_two_rules_have_no_switch():
    assert detector_of(ALL_MATCH, detectors=OFF) is Detector.UNKNOWN_TOOL_REPEAT
    assert detector_of(ALL_MATCH._replace(unknown_streak=0), detectors=OFF) is Detector.GLOBAL_CIRCUIT_BREAKER


@pytest.mark.parametrize("enabled", [None, False])
def test_unless_it_is_enabled_nothing_is_found(enabled):
    loop = replace(settings(**LOW), enabled=enabled)
    assert judge(question("a"), ALL_MATCH, loop) is None
    retry = Figures(
        newest_signature=question("a").signature, newest_state=1, newest_detector="ping_pong", newest_count=9
    )
    assert judge(question("a"), retry, loop) is None
    assert judge(question("a"), retry, settings(**LOW)) is not None


# A straight retry


def after_block(detector=Detector.GENERIC_REPEAT, count=4, state=CallState.BLOCKED, **figures):
    """Figures where the newest call is a blocked attempt at the call in question."""
    return Figures(
        newest_tool="a",
        newest_signature=question("a").signature,
        newest_state=state,
        newest_detector=detector,
        newest_count=count,
        newest_paired_tool="b" if detector is Detector.PING_PONG else None,
        newest_warning_key="key of the block",
    )._replace(**figures)


LOOP = {
    "warningThreshold": 2,
    "criticalThreshold": 4,
    "unknownToolThreshold": 3,
    "globalCircuitBreakerThreshold": 8,
}


def retried(figures, name="a", **loop):
    return judge(question(name), figures, settings(**LOOP | loop))


@pytest.mark.parametrize("state", [CallState.BLOCKED, CallState.BLOCKED_REPORTED])
@pytest.mark.parametrize(
    ("detector", "threshold"),
    [
        (Detector.UNKNOWN_TOOL_REPEAT, 3),
        (Detector.KNOWN_POLL_NO_PROGRESS, 4),
        (Detector.PING_PONG, 4),
        (Detector.GENERIC_REPEAT, 4),
    ],
)
def test_a_straight_retry_gets_the_verdict_again_one_higher(state, detector, threshold):
    assert retried(after_block(detector, 4, state)) == Detection(
        detector=detector,
        level=Level.CRITICAL,
        action=Action.BLOCK,
        count=5,
        threshold=threshold,
        tool="a",
        paired_tool="b" if detector is Detector.PING_PONG else None,
        warning_key="key of the block",
    )


def test_it_comes_before_all_rules():
    figures = after_block(Detector.PING_PONG, unknown_streak=9, streak=9, repeats=9)
    assert retried(figures).detector is Detector.PING_PONG


@pytest.mark.parametrize("state", [None, CallState.PENDING, CallState.OK, CallState.ERROR])
def test_only_after_a_blocked_attempt(state):
    assert retried(after_block(state=state)) is None


def test_only_of_the_same_signature():
    assert retried(after_block(), name="a2") is None
    assert retried(after_block(), name="b") is None


@pytest.mark.parametrize(
    ("count", "action", "threshold"), [(6, Action.BLOCK, 4), (7, Action.ABORT, 8), (20, Action.ABORT, 8)]
)
def test_it_escalates(count, action, threshold):
    detection = retried(after_block(count=count))
    assert (detection.action, detection.threshold, detection.count) == (action, threshold, count + 1)
    assert detection.detector is Detector.GENERIC_REPEAT


@pytest.mark.parametrize(("critical", "is_found"), [(4, True), (5, True), (6, False), (30, False)])
def test_it_holds_as_long_as_the_threshold_as_it_is_now_is_reached(critical, is_found):
    detection = retried(after_block(count=4), criticalThreshold=critical, globalCircuitBreakerThreshold=40)
    assert (detection is not None) is is_found
    if detection is not None:
        assert detection.threshold == critical


@pytest.mark.parametrize(
    ("detector", "switch"),
    [
        (Detector.KNOWN_POLL_NO_PROGRESS, "knownPollNoProgress"),
        (Detector.PING_PONG, "pingPong"),
        (Detector.GENERIC_REPEAT, "genericRepeat"),
    ],
)
def test_it_holds_as_long_as_the_detector_is_on(detector, switch):
    figures = after_block(detector)
    assert retried(figures, detectors=OFF | {switch: True}) is not None
    assert retried(figures, detectors={switch: False}) is None


def test_an_unknown_tool_is_never_switched_off():
    assert retried(after_block(Detector.UNKNOWN_TOOL_REPEAT), detectors=OFF) is not None


def test_otherwise_the_rules_apply():
    figures = after_block(streak=5, streak_blocked=1, repeats=5)
    detection = retried(figures, criticalThreshold=6, warningThreshold=2)
    assert (detection.action, detection.count) == (Action.WARN, 5)
    assert retried(figures._replace(newest_count=1), globalCircuitBreakerThreshold=5).detector is (
        Detector.GLOBAL_CIRCUIT_BREAKER
    )


def test_a_result_that_changed_elsewhere_does_not_lift_the_block(found):
    assert found("a=1 a=1 a=1 a=1 a2=2 a!", "a", **LOOP).count == 8  # `a!` was blocked at 7


def test_after_other_work_the_rules_apply(found):
    detection = found("a=1 a=1 a=1 a! b=1", "a", **LOOP)
    assert (detection.detector, detection.action, detection.count) == ("generic_repeat", Action.BLOCK, 4)
    assert found("a=1 a=1 a=1 a! a=2 b=1", "a", **LOOP).action is Action.WARN


# After the fact


@pytest.mark.parametrize(
    ("count", "action", "threshold"),
    [(5, Action.WARN, 4), (7, Action.WARN, 4), (8, Action.ABORT, 8), (9, Action.ABORT, 8)],
)
def test_what_cannot_be_blocked_any_more(count, action, threshold):
    found = any_detection(count=count)
    said = after_the_fact(found, settings(**LOOP))
    assert said == replace(found, action=action, threshold=threshold)
    assert said.level is Level.CRITICAL


@pytest.mark.parametrize("action", [Action.WARN, Action.ABORT])
def test_what_is_said_all_the_same(action):
    found = any_detection(action=action, count=100)
    assert after_the_fact(found, settings(**LOOP)) is found


def test_each_rule_offers_what_the_others_do():
    for rule in rules.RULES:
        assert rule.threshold(settings(**LOOP)) >= 1
        assert rule.is_on(settings(**LOOP))
        assert rule.MESSAGES
