import pytest
from support.windows import settings

from guardd.detect import ping_pong as rule
from guardd.vocabulary import Action, Detector, Level

LOOP = {"warningThreshold": 4, "criticalThreshold": 6, "globalCircuitBreakerThreshold": 8}


def alternation(length, last="a=1", other="b=1"):
    """So many calls in turn."""
    return " ".join([(last, other)[n % 2] for n in range(length)][::-1])


@pytest.mark.parametrize(
    ("tokens", "name", "tail"),
    [
        ("b=1 a=1", "b", 2),
        ("a=1 b=1 a=1", "b", 3),
        ("b=1 b=1 a=1", "b", 2),  # it ends where the calls no longer alternate
        ("a=1 a=1 b=1 a=1", "b", 3),
        ("c=1 a=1 b=1 a=1", "b", 3),
        ("b=1 c=1 a=1", "b", 0),  # the other side is c
        ("b=1 a=1", "c", 0),
        ("b=1 a=1 a=1", "b", 0),
        ("b=1 a=1 b=1", "b", 0),
        ("a2=1 a=1", "a2", 2),  # a tool with other arguments is another call
    ],
)
def test_tails(count, tokens, name, tail):
    assert count(tokens, name).tail == tail


@pytest.mark.parametrize(
    ("tokens", "doubts"),
    [
        ("b=1 a=1 b=1 a=1", 0),
        ("b=1 a=2 b=1 a=2", 0),  # the sides may differ
        ("b=1 a=1 b=2 a=1", 1),
        ("b=1 a=1 b=2 a=3", 2),
        ("b=1 a? b=1 a=1", 1),  # an outcome that is not known is no proof
        ("b? a? b? a?", 4),
        ("b! a=1 b~ a=1", 0),  # a blocked attempt is proven
        ("b=9 b=1 a=1 b=1 a=1", 0),  # what stands before the tail proves nothing
        ("b=9 c=1 b! a=1 b~ a=1", 0),
        ("b=9 c=1 b? a=1 b? a=1", 2),
    ],
)
def test_proof(count, tokens, doubts):
    assert count(tokens, "b").tail_doubts == doubts


def test_blocked_attempts_in_it(count):
    assert count("b! a~ b=1 a=1", "b").tail_blocked == 2
    assert count("b! c=1 b=1 a=1", "b").tail_blocked == 0


@pytest.mark.parametrize(
    ("length", "level", "action", "threshold"),
    [
        (3, Level.WARNING, Action.WARN, 4),
        (4, Level.WARNING, Action.WARN, 4),
        (5, Level.CRITICAL, Action.BLOCK, 6),
        (9, Level.CRITICAL, Action.BLOCK, 6),
    ],
)
def test_its_thresholds_count_the_call_in_question(found, length, level, action, threshold):
    detection = found(alternation(length), "b", rule, **LOOP)
    assert detection.detector is Detector.PING_PONG
    assert (detection.level, detection.action) == (level, action)
    assert (detection.count, detection.threshold) == (length + 1, threshold)
    assert (detection.tool, detection.paired_tool) == ("b", "a")


def test_below_the_warning_nothing_is_found(found):
    assert found(alternation(2), "b", rule, **LOOP) is None


def test_a_tail_has_at_least_two_calls(found):
    loop = {"warningThreshold": 1, "criticalThreshold": 2}
    assert found("a=1", "b", rule, **loop) is None
    assert found("b=1 a=1", "b", rule, **loop).count == 3


@pytest.mark.parametrize("tokens", ["", "b=1", "b=1 b=1 b=1 b=1 b=1"])
def test_the_newest_call_must_be_another(found, tokens):
    assert found(tokens, "b", rule, **LOOP) is None


def test_the_call_in_question_must_be_the_other_side(found):
    assert found(alternation(8), "a", rule, **LOOP) is None
    assert found(alternation(8), "c", rule, **LOOP) is None


@pytest.mark.parametrize("doubtful", ["b=2", "b?"])
def test_without_proof_it_warns_at_any_count(found, doubtful):
    detection = found(f"b=1 a=1 {doubtful} {alternation(7)}", "b", rule, **LOOP)
    assert (detection.level, detection.action) == (Level.WARNING, Action.WARN)
    assert (detection.count, detection.threshold) == (11, 4)


def test_its_switch(found):
    off = {"pingPong": False}
    assert found(alternation(9), "b", rule, detectors=off, **LOOP) is None
    assert not rule.is_on(settings(detectors=off))
    assert rule.is_on(settings())
    assert rule.threshold(settings(**LOOP)) == 6


@pytest.mark.parametrize(
    ("tokens", "action", "threshold"),
    [
        (alternation(9), Action.BLOCK, 6),  # a first block at any count
        (f"b! {alternation(5)}", Action.BLOCK, 6),
        (f"a=1 b! {alternation(5)}", Action.ABORT, 8),
    ],
)
def test_it_escalates_after_a_block(found, tokens, action, threshold):
    detection = found(tokens, "b", rule, **LOOP)
    assert (detection.action, detection.threshold) == (action, threshold)
    assert detection.detector is Detector.PING_PONG


SHORT = {"warningThreshold": 3, "criticalThreshold": 4, "globalCircuitBreakerThreshold": 30}


def test_a_warning_does_not_hide_a_loop_that_was_blocked(found):
    tokens = "b=1 b=1 b=1 b! a=1 b! a=2"
    detection = found(tokens, "b", **SHORT)
    assert (detection.detector, detection.action, detection.count) == ("generic_repeat", Action.BLOCK, 5)


@pytest.mark.parametrize(
    ("tokens", "rest"),
    [
        ("b=1 b=1 b=1 b=1 a=1 b=1 a=2", {}),  # nothing of it was blocked
        ("b=1 b! a=1 b! a=2", {}),  # the streak is not critical
        ("b=1 b=1 b=1 b! a=1 b! a=2", {"detectors": {"genericRepeat": False}}),
        ("b=1 b=1 b=1 b! a=1 b! a=2", {"is_poll": True, "detectors": {"knownPollNoProgress": False}}),
    ],
)
def test_otherwise_the_warning_comes_first(found, tokens, rest):
    detection = found(tokens, "b", **SHORT | rest)
    assert (detection.detector, detection.action) == ("ping_pong", Action.WARN)


def test_a_critical_alternation_comes_first_in_any_case(found):
    detection = found("b=1 b=1 b=1 b! a=1 b! a=1", "b", **SHORT)
    assert (detection.detector, detection.action) == ("ping_pong", Action.BLOCK)


def test_the_key_is_of_the_pair_in_no_order(found):
    keys = [
        found(tokens, name, rule, **LOOP).warning_key
        for tokens, name in (
            (alternation(4), "b"),
            (alternation(4, "b=1", "a=1"), "a"),
            (alternation(4, "a?", "b=2"), "b"),
            (alternation(4, "a2=1", "b=1"), "b"),
        )
    ]
    assert keys[0] == keys[1] == keys[2] != keys[3]
