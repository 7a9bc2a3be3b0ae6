"""Beyond the documented rules: a call in ever new variants, all of which fail alike."""

from sqlalchemy import ColumnElement, and_, func, not_, or_, select

from guardd.config import LoopSettings
from guardd.detect.detection import Detection, Question, critical, warning
from guardd.detect.figures import Figures
from guardd.detect.recent import counts, recent
from guardd.detect.window import LOW, SIGNATURE, TOOL, is_blocked
from guardd.vocabulary import Action, CallEffect, CallState, Detector

DETECTOR = Detector.SAME_ERROR

MESSAGES = {
    Action.WARN: "Each of the last {count} calls of {tool} has failed with the same error, whatever you changed. The "
    "error is not in what you vary: read it, and look for its cause elsewhere.",
    Action.BLOCK: "Blocked: {tool} has failed {count} times in a row with the same error, whatever was changed. "
    "Another variant will fail too: find the error's cause, take another approach, or report what keeps you.",
    Action.ABORT: "This run was stopped: {tool} failed {count} times in a row with the same error.",
}

FEWEST_VARIANTS = 2
"""Different arguments, at least, among the calls that failed and the one in question: one alone is a repetition."""

_failed = recent.c.state == CallState.ERROR.value
_newest = recent.alias("newest_error")
_error = (
    select(_newest.c.error)
    .where(
        _newest.c.state == CallState.ERROR.value,
        func.coalesce(_newest.c.effect, 0) != CallEffect.CANCELLED.value,
    )
    .order_by(_newest.c.seq.desc())
    .limit(1)
    .scalar_subquery()
)
# What is still running says nothing yet; a blocked attempt has no error, and is one more of what it was blocked for.
_goes_on = and_(
    recent.c.tool == TOOL,
    or_(
        and_(_failed, recent.c.error == _error),
        is_blocked(recent),
        recent.c.state == CallState.PENDING.value,
    ),
)
_before = select(func.coalesce(func.max(recent.c.seq), LOW)).where(counts, not_(_goes_on)).scalar_subquery()

COUNTED: ColumnElement[bool] = and_(recent.c.seq > _before, counts, or_(_failed, is_blocked(recent)))
"""Whether a row is one of the newest calls, all of the tool in question, that failed alike."""

_variants = (
    select(func.count(func.distinct(recent.c.signature)))
    .where(COUNTED, recent.c.signature != SIGNATURE)
    .scalar_subquery()
)
FIGURES = {
    "same_errors": select(func.count(func.distinct(recent.c.batch))).where(COUNTED).scalar_subquery(),
    "same_errors_blocked": select(func.count())
    .select_from(recent)
    .where(COUNTED, is_blocked(recent))
    .scalar_subquery(),
    "error_variants": _variants + 1,
}


def threshold(settings: LoopSettings) -> int:
    """The failures that are critical."""
    return settings.same_error_critical


def is_on(settings: LoopSettings) -> bool:
    """As `detectors.sameError` says."""
    return settings.same_error


def judge(question: Question, figures: Figures, settings: LoopSettings) -> Detection | None:
    """Judge the failures in a row of the tool in question; calls that ran side by side count once."""
    count = figures.further.same_errors
    if (
        not is_on(settings)
        or count < settings.same_error_warning
        or figures.further.error_variants < FEWEST_VARIANTS
    ):
        return None
    warning_key = f"{DETECTOR}:{question.tool}"
    if count < settings.same_error_critical:
        return warning(
            DETECTOR, question, count=count, threshold=settings.same_error_warning, warning_key=warning_key
        )
    return critical(
        DETECTOR,
        question,
        settings,
        count=count,
        threshold=settings.same_error_critical,
        warning_key=warning_key,
        follows_block=figures.further.same_errors_blocked > 0,
    )
