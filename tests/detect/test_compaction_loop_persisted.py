import pytest
from support.windows import question

from guardd.detect.compaction_loop_persisted import judge
from guardd.detect.detection import Detection
from guardd.vocabulary import Action, Detector, Level


@pytest.mark.parametrize(("seen", "window_size"), [(0, 1), (1, 2), (2, 3), (1, 3)])
def test_below_the_window_nothing_is_found(seen, window_size):
    assert judge(question("a"), seen=seen, window_size=window_size) is None


@pytest.mark.parametrize(("seen", "window_size"), [(1, 1), (2, 2), (3, 3)])
def test_a_window_of_one_triple_aborts(seen, window_size):
    key = f"compaction_loop_persisted:{question('a').signature.hex()}"
    assert judge(question("a"), seen=seen, window_size=window_size) == Detection(
        Detector.COMPACTION_LOOP_PERSISTED, Level.CRITICAL, Action.ABORT, seen, window_size, "a", None, key
    )
