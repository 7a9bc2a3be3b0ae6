"""Rule 2: however the other switches stand, a call without progress for this long ends the run (detection.md)."""

from sqlalchemy import ColumnElement, FromClause

from guardd.config import LoopSettings
from guardd.detect import failures, streak
from guardd.detect.detection import Detection, Question
from guardd.detect.figures import Figures
from guardd.vocabulary import Action, Detector, Level

DETECTOR = Detector.GLOBAL_CIRCUIT_BREAKER

MESSAGES = {
    Action.ABORT: "This run was stopped: {tool} was called {count} times with the same arguments and gave the same "
    "outcome each time.",
}


def counted(rows: FromClause, _level: Level) -> ColumnElement[bool]:
    """Whether a row is one of the streak."""
    return streak.in_streak(rows)


def threshold(settings: LoopSettings) -> int:
    """The streak that ends the run."""
    return settings.global_circuit_breaker_threshold


def is_on(_settings: LoopSettings) -> bool:
    """Always: no switch of `detectors` turns the breaker off."""
    return True


def judge(question: Question, figures: Figures, settings: LoopSettings) -> Detection | None:
    """Abort when the no-progress streak reaches the breaker's threshold."""
    if figures.no_progress < settings.global_circuit_breaker_threshold:
        return None
    warning_key = f"{DETECTOR}:{question.signature.hex()}"
    return Detection(
        detector=DETECTOR,
        level=Level.CRITICAL,
        action=Action.ABORT,
        count=figures.no_progress,
        threshold=settings.global_circuit_breaker_threshold,
        tool=question.tool,
        warning_key=failures.warning_key(question.tool) if figures.fails_across else warning_key,
    )
