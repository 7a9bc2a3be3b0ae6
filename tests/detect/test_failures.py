"""The words and keys of what goes by failures; how they are counted is in `test_across`."""

import pytest
from support.windows import question, settings

from guardd.detect import failures, generic_repeat, global_circuit_breaker, ping_pong, rules
from guardd.detect.figures import Across, Figures
from guardd.vocabulary import Action, Detector

LOOP = {"warningThreshold": 3, "criticalThreshold": 5, "globalCircuitBreakerThreshold": 8}
ASKED = question("a")


def failing(count, blocked=0, **figures):
    return Figures(across=Across(failures=count, failures_blocked=blocked), **figures)


def test_a_key_of_its_own_whatever_the_arguments():
    assert failures.is_warning_key(failures.warning_key("exec"))
    found = generic_repeat.judge(ASKED, Figures(streak=5), settings(**LOOP))
    assert not failures.is_warning_key(found.warning_key)


@pytest.mark.parametrize(
    ("count", "detector", "action"),
    [
        (4, None, None),
        (5, Detector.GENERIC_REPEAT, Action.BLOCK),
        (7, Detector.GENERIC_REPEAT, Action.BLOCK),
        (8, Detector.GLOBAL_CIRCUIT_BREAKER, Action.ABORT),
    ],
)
def test_they_count_as_calls_without_progress_do(count, detector, action):
    found = rules.judge(ASKED, failing(count), settings(**LOOP))
    assert (found and (found.detector, found.action, found.count)) == (detector and (detector, action, count))
    assert found is None or found.warning_key == failures.warning_key("a")


def test_none_of_them_warns():
    assert rules.judge(ASKED, failing(4), settings(**LOOP)) is None


def test_the_streak_counts_where_it_is_as_long():
    found = rules.judge(ASKED, failing(5, streak=5), settings(**LOOP))
    assert found.warning_key == f"generic_repeat:{ASKED.signature.hex()}"


def test_a_rule_that_is_switched_off_stays_so():
    off = settings(**LOOP, detectors={"genericRepeat": False})
    assert rules.judge(ASKED, failing(7), off) is None
    assert global_circuit_breaker.judge(ASKED, failing(8), off).count == 8


def test_a_warning_of_an_alternation_does_not_hide_what_was_blocked():
    alternating = {"tail": 3, "tail_doubts": 1, "newest_signature": b"other", "newest_tool": "a"}
    chosen = settings(**LOOP)
    warned = rules.judge(ASKED, failing(6, **alternating), chosen)
    assert (warned.detector, warned.action) == (ping_pong.DETECTOR, Action.WARN)
    assert rules.judge(ASKED, failing(6, blocked=1, **alternating), chosen).action is Action.BLOCK
