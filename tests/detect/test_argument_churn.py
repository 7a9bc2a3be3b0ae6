"""Where the warning stands among the others; how it is counted is in `test_across`."""

import pytest
from support.windows import question, settings

from guardd.detect import argument_churn, rules
from guardd.detect.figures import Across, Figures
from guardd.vocabulary import Action, Detector

LOOP = {"warningThreshold": 3, "criticalThreshold": 5, "globalCircuitBreakerThreshold": 8}


def found(churned, *, is_poll=False, **figures):
    asked = question("a", is_poll=is_poll)
    return rules.judge(asked, Figures(across=Across(churned=churned), **figures), settings(**LOOP))


def test_a_warning_however_often():
    assert found(2) is None
    for count in (3, 5, 30):
        warning = found(count)
        assert (warning.detector, warning.action, warning.count, warning.threshold) == (
            Detector.ARGUMENT_CHURN,
            Action.WARN,
            count,
            3,
        )
        assert warning.warning_key == "argument_churn:a"


@pytest.mark.parametrize(
    ("figures", "detector"),
    [
        ({"repeats": 9}, Detector.ARGUMENT_CHURN),
        ({"repeats": 9, "streak": 4}, Detector.ARGUMENT_CHURN),
        ({"repeats": 9, "streak": 5}, Detector.GENERIC_REPEAT),
        ({"streak": 8}, Detector.GLOBAL_CIRCUIT_BREAKER),
        ({"is_poll": True}, Detector.ARGUMENT_CHURN),
        ({"is_poll": True, "streak": 3}, Detector.KNOWN_POLL_NO_PROGRESS),
        ({"tail": 3, "newest_signature": b"other"}, Detector.PING_PONG),
    ],
)
def test_its_place(figures, detector):
    assert found(6, **figures).detector is detector


def test_nothing_switches_it_but_the_profile():
    assert argument_churn.is_on(settings(detectors={"genericRepeat": False}))
    assert argument_churn.threshold(settings(**LOOP)) == 3
