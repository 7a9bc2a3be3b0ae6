"""Profile `openclaw-2026.9`: a few calls of one tool again and again, with one outcome that is no progress.

That is an error, or a write that changes nothing. A warning only, which comes before the repeats of rule 5.
"""

from sqlalchemy import ColumnElement, and_, case, func, or_, select

from guardd.config import LoopSettings
from guardd.detect import generic_repeat
from guardd.detect.detection import Detection, Question, warning
from guardd.detect.figures import Figures
from guardd.detect.stretch import stretch
from guardd.detect.window import LOW, SIGNATURE
from guardd.vocabulary import Action, CallEffect, CallState, Detector

DETECTOR = Detector.ARGUMENT_CHURN

MESSAGES = {
    Action.WARN: "Your last {count} calls of {tool} were the same few over and over, and nothing came of them but one "
    "and the same outcome. Trying them in turn will not change it: take another approach, or report what keeps you.",
}

FEWEST_KINDS = 2
"""Different arguments, at least: one alone is a repetition."""
FEWEST_OF_A_KIND = 3
"""Calls with the same arguments, at least."""

_is_progress = and_(
    stretch.c.state != CallState.ERROR.value, func.coalesce(stretch.c.effect, 0) != CallEffect.UNCHANGED.value
)
_known = (
    select(
        stretch.c.seq,
        stretch.c.signature,
        stretch.c.outcome,
        _is_progress.label("is_progress"),
        func.first_value(stretch.c.outcome)
        .over(partition_by=stretch.c.signature, order_by=stretch.c.seq.desc())
        .label("newest_outcome"),
    )
    .where(stretch.c.outcome.is_not(None))
    .cte("known")
)
_before = (
    select(func.coalesce(func.max(_known.c.seq), LOW))
    .where(or_(_known.c.is_progress, _known.c.outcome != _known.c.newest_outcome))
    .scalar_subquery()
)
_kinds = (
    select(
        _known.c.signature,
        func.count().label("calls"),
        func.min(_known.c.outcome).label("least"),
        func.max(_known.c.outcome).label("most"),
    )
    .where(_known.c.seq > _before)
    .group_by(_known.c.signature)
    .subquery("kinds")
)
_is_churn = and_(
    func.count() >= FEWEST_KINDS,
    func.min(_kinds.c.calls) >= FEWEST_OF_A_KIND,
    func.min(_kinds.c.least) == func.max(_kinds.c.most),
    func.max(_kinds.c.signature == SIGNATURE),
)

COUNTED: ColumnElement[bool] = and_(stretch.c.seq > _before, stretch.c.outcome.is_not(None))
"""Whether a row is one of those calls."""

FIGURES = {
    "churned": select(case((_is_churn, func.sum(_kinds.c.calls)), else_=0))
    .select_from(_kinds)
    .scalar_subquery(),
}


def threshold(settings: LoopSettings) -> int:
    """The calls that are warned of."""
    return settings.warning_threshold


def is_on(_settings: LoopSettings) -> bool:
    """Always: without the profile nothing is counted for it."""
    return True


def judge(question: Question, figures: Figures, settings: LoopSettings) -> Detection | None:
    """Warn of it, unless rule 5 finds what is critical."""
    count = figures.across.churned
    if count < settings.warning_threshold or generic_repeat.is_critical(question, figures, settings):
        return None
    return warning(
        DETECTOR,
        question,
        count=count,
        threshold=settings.warning_threshold,
        warning_key=f"{DETECTOR}:{question.tool}",
    )
