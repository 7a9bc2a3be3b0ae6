"""An operator stops a run by hand (protocol.md, `run.abort`)."""

from guardd.detect.detection import Detection
from guardd.vocabulary import Action, Detector, Level

DETECTOR = Detector.OPERATOR

MESSAGES = {Action.ABORT: "This run was stopped by an operator{reason}."}


def abort(reason: str | None) -> Detection:
    """The detection that every later call of the run is answered with; it counts nothing."""
    return Detection(
        detector=DETECTOR,
        level=Level.CRITICAL,
        action=Action.ABORT,
        count=0,
        threshold=0,
        tool="",
        warning_key=DETECTOR,
        reason=reason,
    )
