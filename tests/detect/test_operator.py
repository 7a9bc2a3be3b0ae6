import pytest

from guardd.detect.detection import Detection
from guardd.detect.operator import abort
from guardd.vocabulary import Action, Detector, Level


@pytest.mark.parametrize("reason", [None, "it costs too much"])
def test_an_operator_counts_nothing(reason):
    assert abort(reason) == Detection(
        detector=Detector.OPERATOR,
        level=Level.CRITICAL,
        action=Action.ABORT,
        count=0,
        threshold=0,
        tool="",
        warning_key="operator",
        reason=reason,
    )
