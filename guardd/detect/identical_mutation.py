"""Beyond the documented rules: the same edit again and again, whatever comes of it.

An edit that is made twice makes a file grow, so its outcomes differ, and no streak without progress is seen.
"""

from sqlalchemy import ColumnElement, func, select

from guardd.config import LoopSettings
from guardd.detect.detection import Detection, Question, critical, warning
from guardd.detect.figures import Figures
from guardd.detect.recent import recent
from guardd.detect.window import LOW, SIGNATURE, is_blocked
from guardd.vocabulary import Action, Detector

DETECTOR = Detector.IDENTICAL_MUTATION

MESSAGES = {
    Action.WARN: "You have made the same edit with {tool} {count} times in a row. Look at what the file holds now "
    "before you change it again.",
    Action.BLOCK: "Blocked: the same edit with {tool} was made {count} times in a row. Do not make it again: look at "
    "what the file holds now, and decide on another change, or report what keeps you.",
    Action.ABORT: "This run was stopped: the same edit with {tool} was made {count} times in a row.",
}

_before = (
    select(func.coalesce(func.max(recent.c.seq), LOW))
    .where(recent.c.signature != SIGNATURE)
    .scalar_subquery()
)
COUNTED: ColumnElement[bool] = recent.c.seq > _before
"""Whether a row is one of the newest calls, all of which are the one in question."""

FIGURES = {
    "mutations": select(func.count()).select_from(recent).where(COUNTED).scalar_subquery(),
    "mutations_blocked": select(func.count())
    .select_from(recent)
    .where(COUNTED, is_blocked(recent))
    .scalar_subquery(),
}


def threshold(settings: LoopSettings) -> int:
    """The times in a row that are critical."""
    return settings.mutation_critical


def is_on(settings: LoopSettings) -> bool:
    """As `detectors.identicalMutation` says."""
    return settings.identical_mutation


def judge(question: Question, figures: Figures, settings: LoopSettings) -> Detection | None:
    """Judge calls of an editing tool in a row with equal arguments, the one in question included."""
    count = figures.further.mutations + 1
    if not question.edits or not is_on(settings) or count < settings.mutation_warning:
        return None
    warning_key = f"{DETECTOR}:{question.signature.hex()}"
    if count < settings.mutation_critical:
        return warning(
            DETECTOR, question, count=count, threshold=settings.mutation_warning, warning_key=warning_key
        )
    return critical(
        DETECTOR,
        question,
        settings,
        count=count,
        threshold=settings.mutation_critical,
        warning_key=warning_key,
        follows_block=figures.further.mutations_blocked > 0,
    )
