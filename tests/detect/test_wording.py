import pytest
from support.detections import any_detection

from guardd.detect import failures
from guardd.detect.wording import many, what_is_counted
from guardd.vocabulary import Detector, Level


@pytest.mark.parametrize("detector", [one for one in Detector if one is not Detector.OPERATOR])
def test_whatever_is_counted_has_its_words(detector):
    found = any_detection(detector=detector, count=7, tool="read", paired_tool="write")
    assert what_is_counted(found).startswith("7 ")


@pytest.mark.parametrize(
    ("level", "key", "said"),
    [
        (Level.WARNING, "key", "with the same arguments, whatever came of them"),
        (Level.CRITICAL, "key", "with the same arguments and the same outcome each time"),
        (
            Level.CRITICAL,
            failures.warning_key("read"),
            "of `read` in a row that failed alike, whatever was run",
        ),
    ],
)
def test_what_repeats_is_of(level, key, said):
    assert what_is_counted(any_detection(level=level, warning_key=key)).startswith(f"5 calls {said}")


def test_one_and_many():
    assert (many(1, "miss", "misses"), many(2, "miss", "misses"), many(0, "miss", "misses")) == (
        "1 miss",
        "2 misses",
        "0 misses",
    )
