import pytest

from guardd.detect.compaction_loop_persisted import judge
from guardd.detect.detection import Detection
from guardd.vocabulary import Action, Detector, Level


@pytest.mark.parametrize(("seen", "window_size"), [(0, 1), (1, 2), (2, 3), (1, 3)])
def test_below_the_window_nothing_is_found(seen, window_size):
    assert judge("a", b"a", seen=seen, window_size=window_size) is None


@pytest.mark.parametrize(("seen", "window_size"), [(1, 1), (2, 2), (3, 3)])
def test_a_window_of_one_triple_aborts(seen, window_size):
    assert judge("a", b"a", seen=seen, window_size=window_size) == Detection(
        detector=Detector.COMPACTION_LOOP_PERSISTED,
        level=Level.CRITICAL,
        action=Action.ABORT,
        count=seen,
        threshold=window_size,
        tool="a",
        warning_key=f"compaction_loop_persisted:{b'a'.hex()}",
    )
