"""Beyond the documented rules: errors in a row, of whatever tools. A warning only: a fifth of such runs recovers."""

from sqlalchemy import ColumnElement, and_, func, select

from guardd.config import LoopSettings
from guardd.detect.detection import Detection, Question, warning
from guardd.detect.figures import Figures
from guardd.detect.recent import counts, recent
from guardd.detect.window import LOW
from guardd.vocabulary import Action, CallState, Detector

DETECTOR = Detector.ERROR_CASCADE

MESSAGES = {
    Action.WARN: "Your last {count} calls have all failed. Before you go on with {tool}, read what the errors say: "
    "something that they have in common may be wrong.",
}

_before = (
    select(func.coalesce(func.max(recent.c.seq), LOW))
    .where(counts, recent.c.state == CallState.OK.value)
    .scalar_subquery()
)
COUNTED: ColumnElement[bool] = and_(recent.c.seq > _before, counts, recent.c.state == CallState.ERROR.value)
"""Whether a row is one of the errors since the last success."""

FIGURES = {
    "errors": select(func.count(func.distinct(recent.c.batch))).where(COUNTED).scalar_subquery(),
}


def threshold(settings: LoopSettings) -> int:
    """The errors in a row that are warned of."""
    return settings.cascade_warning


def is_on(settings: LoopSettings) -> bool:
    """As `detectors.sameError` says."""
    return settings.same_error


def judge(question: Question, figures: Figures, settings: LoopSettings) -> Detection | None:
    """Warn of errors in a row; calls that ran side by side count once."""
    if not is_on(settings) or figures.further.errors < settings.cascade_warning:
        return None
    return warning(
        DETECTOR,
        question,
        count=figures.further.errors,
        threshold=settings.cascade_warning,
        warning_key=str(DETECTOR),
    )
