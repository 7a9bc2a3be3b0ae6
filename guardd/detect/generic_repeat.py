"""Rule 5: the same call again and again (detection.md; openclaw issue 34574)."""

from sqlalchemy import ColumnElement, FromClause

from guardd.config import LoopSettings
from guardd.detect import failures, streak
from guardd.detect.detection import Detection, Question, critical, warning
from guardd.detect.figures import Figures
from guardd.vocabulary import Action, Detector, Level

DETECTOR = Detector.GENERIC_REPEAT

MESSAGES = {
    Action.WARN: "You have called {tool} {count} times with the same arguments. If the outcome does not change, "
    "another call will not change it: vary the arguments, use another tool, or report what you have found.",
    Action.BLOCK: "Blocked: {tool} was called {count} times with the same arguments and gave the same outcome each "
    "time. Do not retry it. Use what you know already, try something different, or report what keeps you.",
    Action.ABORT: "This run was stopped: {tool} was called {count} times with the same arguments and outcome.",
}


def counted(rows: FromClause, level: Level) -> ColumnElement[bool]:
    """Whether a row is one of the streak or, for a warning, of the repeats."""
    return streak.in_streak(rows) if level is Level.CRITICAL else streak.is_repeat(rows)


def threshold(settings: LoopSettings) -> int:
    """The streak that is critical."""
    return settings.critical_threshold


def is_on(settings: LoopSettings) -> bool:
    """As `detectors.genericRepeat` says."""
    return settings.generic_repeat


def is_critical(question: Question, figures: Figures, settings: LoopSettings) -> bool:
    """Whether calls without progress are so many that the call in question is blocked."""
    return is_on(settings) and not question.is_poll and figures.no_progress >= settings.critical_threshold


def judge(question: Question, figures: Figures, settings: LoopSettings) -> Detection | None:
    """Critical by the no-progress streak; else a warning by repeats alone, whatever their outcomes."""
    if question.is_poll or not is_on(settings):
        return None
    warning_key = f"{DETECTOR}:{question.signature.hex()}"
    if is_critical(question, figures, settings):
        return critical(
            DETECTOR,
            question,
            settings,
            count=figures.no_progress,
            threshold=settings.critical_threshold,
            warning_key=failures.warning_key(question.tool) if figures.fails_across else warning_key,
            follows_block=figures.no_progress_blocked > 0,
        )
    if figures.repeats >= settings.warning_threshold:
        return warning(
            DETECTOR,
            question,
            count=figures.repeats,
            threshold=settings.warning_threshold,
            warning_key=warning_key,
        )
    return None
