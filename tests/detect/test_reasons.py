import pytest
from support.detections import any_detection
from support.windows import question, settings

from guardd.detect.figures import Figures
from guardd.detect.reasons import THRESHOLDS, Configured, Evidence, explain, ranges
from guardd.vocabulary import Detector


@pytest.mark.parametrize(
    ("numbers", "text"),
    [
        ([], "none"),
        ([4], "4"),
        ([1, 2, 3, 7, 9, 10], "1-3, 7, 9-10"),
        (range(1, 10_001), "1-10000"),
        (range(0, 40, 2), "0, 2, 4, 6, 8, 10 … 28, 30, 32, 34, 36, 38"),
    ],
)
def test_numbers_in_short(numbers, text):
    assert ranges(numbers) == text


def test_every_detector_has_its_settings():
    assert set(THRESHOLDS) == {*Detector, None}


def configured(**loop):
    chosen = settings(**loop)
    names = {name for names in THRESHOLDS.values() for name in names}
    return Configured(chosen, {name: {"value": 3, "origin": "default"} for name in names})


def test_a_tool_cannot_break_out_of_its_sentence():
    found = any_detection(count=3, threshold=3)
    asked = question("a")
    evidence = Evidence(
        seq=4,
        question=type(asked)("x`\n", asked.signature, is_poll=False),
        figures=Figures(),
        detection=found,
    )
    assert explain(evidence, configured()).splitlines()[0] == "Call 4, `x��`, was blocked."


def test_what_is_switched_off_is_said():
    evidence = Evidence(seq=4, question=question("a"), figures=Figures(streak=3, repeats=4))
    text = explain(evidence, configured(detectors={"pingPong": False, "genericRepeat": False}))
    assert "ping_pong: off, by detectors.pingPong." in text
    assert "generic_repeat: off, by detectors.genericRepeat." in text
