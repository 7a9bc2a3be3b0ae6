"""The post-compaction guard: the same loop again right after its context was compacted (openclaw issue 77474)."""

from guardd.detect.detection import Detection
from guardd.vocabulary import Action, Detector, Level

DETECTOR = Detector.COMPACTION_LOOP_PERSISTED

MESSAGES = {
    Action.ABORT: "This run was stopped: right after its context was compacted, {tool} was called {count} times "
    "with the same arguments and gave the same outcome each time. The loop outlived the compaction.",
}


def judge(tool: str, signature: bytes, *, seen: int, window_size: int) -> Detection | None:
    """Abort when one (tool, arguments, outcome) was seen `windowSize` times since the guard was armed.

    Args:
        tool: of the call whose outcome has come.
        signature: of that call, as it was asked.
        seen: how often that triple was seen since the arming, this outcome included.
        window_size: the setting when the guard was armed, in outcomes.
    """
    if seen < window_size:
        return None
    return Detection(
        detector=DETECTOR,
        level=Level.CRITICAL,
        action=Action.ABORT,
        count=seen,
        threshold=window_size,
        tool=tool,
        warning_key=f"{DETECTOR}:{signature.hex()}",
    )
