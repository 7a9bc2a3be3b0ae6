import pytest
from support.windows import question, settings

from guardd.detect.detection import Detection, critical, warning
from guardd.vocabulary import Action, Detector, Level

LOOP = settings(warningThreshold=2, criticalThreshold=4, globalCircuitBreakerThreshold=8)


def test_a_warning():
    assert warning(
        Detector.PING_PONG, question("a"), count=3, threshold=2, warning_key="k", paired_tool="b"
    ) == Detection(
        detector=Detector.PING_PONG,
        level=Level.WARNING,
        action=Action.WARN,
        count=3,
        threshold=2,
        tool="a",
        paired_tool="b",
        warning_key="k",
    )


@pytest.mark.parametrize(
    ("count", "follows_block", "action", "threshold"),
    [
        (4, False, Action.BLOCK, 4),
        (100, False, Action.BLOCK, 4),
        (7, True, Action.BLOCK, 4),
        (8, True, Action.ABORT, 8),
        (9, True, Action.ABORT, 8),
    ],
)
def test_a_critical_finding(count, follows_block, action, threshold):
    assert critical(
        Detector.GENERIC_REPEAT,
        question("a"),
        LOOP,
        count=count,
        threshold=4,
        warning_key="k",
        follows_block=follows_block,
    ) == Detection(
        detector=Detector.GENERIC_REPEAT,
        level=Level.CRITICAL,
        action=action,
        count=count,
        threshold=threshold,
        tool="a",
        warning_key="k",
    )
