"""Rule 3: polling something that does not move (detection.md; openclaw issue 16808)."""

from sqlalchemy import ColumnElement, FromClause

from guardd.config import LoopSettings
from guardd.detect import streak
from guardd.detect.detection import Detection, Question, critical, warning
from guardd.detect.figures import Figures
from guardd.vocabulary import Action, Detector, Level

DETECTOR = Detector.KNOWN_POLL_NO_PROGRESS

MESSAGES = {
    Action.WARN: "You have polled {tool} {count} times and nothing has changed. Wait longer between polls, check "
    "whether what you wait for is still alive, or go on with something else.",
    Action.BLOCK: "Blocked: {tool} was polled {count} times and nothing has changed. What you wait for seems stuck: "
    "stop polling it; end it, start it anew, or report that it hangs.",
    Action.ABORT: "This run was stopped: {tool} was polled {count} times without any change.",
}


def counted(rows: FromClause, _level: Level) -> ColumnElement[bool]:
    """Whether a row is one of the streak."""
    return streak.in_streak(rows)


def threshold(settings: LoopSettings) -> int:
    """The streak that is critical."""
    return settings.critical_threshold


def is_on(settings: LoopSettings) -> bool:
    """As `detectors.knownPollNoProgress` says."""
    return settings.known_poll_no_progress


def judge(question: Question, figures: Figures, settings: LoopSettings) -> Detection | None:
    """Judge a poll call by its no-progress streak alone: repeating it is its nature."""
    if not question.is_poll or not is_on(settings) or figures.streak < settings.warning_threshold:
        return None
    warning_key = f"{DETECTOR}:{question.signature.hex()}"
    if figures.streak < settings.critical_threshold:
        return warning(
            DETECTOR,
            question,
            count=figures.streak,
            threshold=settings.warning_threshold,
            warning_key=warning_key,
        )
    return critical(
        DETECTOR,
        question,
        settings,
        count=figures.streak,
        threshold=settings.critical_threshold,
        warning_key=warning_key,
        follows_block=figures.streak_blocked > 0,
    )
