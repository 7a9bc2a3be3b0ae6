"""The post-compaction guard: the same loop again right after its context was compacted (openclaw issue 77474)."""

from guardd.detect.detection import Detection, Question
from guardd.vocabulary import Action, Detector, Level

DETECTOR = Detector.COMPACTION_LOOP_PERSISTED

MESSAGES = {
    Action.ABORT: "This run was stopped: right after its context was compacted, {tool} was called {count} times "
    "with the same arguments and gave the same outcome each time. The loop outlived the compaction.",
}


def judge(question: Question, *, seen: int, window_size: int) -> Detection | None:
    """Abort when one (tool, arguments, outcome) was seen `windowSize` times since the guard was armed.

    Args:
        question: the call whose outcome has come, as it was asked.
        seen: how often that triple was seen since the arming, this outcome included.
        window_size: the setting when the guard was armed, in outcomes.
    """
    if seen < window_size:
        return None
    return Detection(
        DETECTOR,
        Level.CRITICAL,
        Action.ABORT,
        seen,
        window_size,
        question.tool,
        None,
        f"{DETECTOR}:{question.signature.hex()}",
    )
