"""Detections that stand for any, and what is compared of them."""

from typing import Any

from guardd.detect.detection import Detection
from guardd.vocabulary import Action, Detector, Level


def any_detection(**fields: Any) -> Detection:
    """A block of a repeated call, but for the fields given."""
    plain: dict[str, Any] = {
        "detector": Detector.GENERIC_REPEAT,
        "level": Level.CRITICAL,
        "action": Action.BLOCK,
        "count": 5,
        "threshold": 4,
        "tool": "read",
        "warning_key": "key",
    }
    return Detection(**plain | fields)


def in_plain_words(found: Detection) -> tuple[object, ...]:
    """What the model of the detectors says too."""
    return (
        found.detector,
        found.level,
        found.action.word,
        found.count,
        found.threshold,
        found.paired_tool,
    )
