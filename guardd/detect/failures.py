"""Profile `openclaw-2026.9`: commands in a row that fail alike are calls without progress, whatever they were.

Rules 2 and 5 then go by this count where it is larger than the streak; none of them warns by it. Another tool's call
ends it, and so does an outcome that is no such failure. The call in question may begin it with failures of its own;
behind those of other commands, its own end it. A blocked attempt counts as one more if a failure is behind it.
"""

from sqlalchemy import ColumnElement, and_, func, or_, select

from guardd.detect.stretch import stretch
from guardd.detect.window import LOW, SIGNATURE, is_blocked
from guardd.vocabulary import Action

MESSAGES = {
    Action.WARN: "{tool} has failed in the same way {count} times in a row, whatever was run. Another command will not "
    "help: find out why they fail, take another approach, or report what keeps you.",
    Action.BLOCK: "Blocked: {tool} has failed in the same way {count} times in a row, whatever was run. Do not try "
    "further commands: find out why they fail, take another approach, or report what keeps you.",
    Action.ABORT: "This run was stopped: {tool} failed in the same way {count} times in a row, whatever was run.",
}
"""In place of those of the rule that goes by this count."""

_newest = stretch.alias("newest_outcome")
_failure = (
    select(_newest.c.failure)
    .where(_newest.c.outcome.is_not(None))
    .order_by(_newest.c.seq.desc())
    .limit(1)
    .scalar_subquery()
)
_other = stretch.alias("other_failure")
_newest_of_others = (
    select(func.max(_other.c.seq))
    .where(_other.c.failure.is_not(None), _other.c.signature != SIGNATURE)
    .scalar_subquery()
)
_ends = or_(
    and_(stretch.c.outcome.is_not(None), stretch.c.failure.is_distinct_from(_failure)),
    and_(
        stretch.c.failure.is_not(None),
        stretch.c.signature == SIGNATURE,
        stretch.c.seq < _newest_of_others,
    ),
)
_before = select(func.coalesce(func.max(stretch.c.seq), LOW)).where(_ends).scalar_subquery()
_oldest = (
    select(func.min(stretch.c.seq))
    .where(stretch.c.seq > _before, stretch.c.failure.is_not(None))
    .scalar_subquery()
)

COUNTED: ColumnElement[bool] = and_(
    stretch.c.seq >= _oldest, or_(stretch.c.failure.is_not(None), is_blocked(stretch))
)
"""Whether a row is one of those failures, or an attempt that was blocked among them."""

FIGURES = {
    "failures": select(func.count()).select_from(stretch).where(COUNTED).scalar_subquery(),
    "failures_blocked": select(func.count())
    .select_from(stretch)
    .where(COUNTED, is_blocked(stretch))
    .scalar_subquery(),
}

_KEY = "failures:"


def warning_key(tool: str) -> str:
    """The warning key of what goes by this count."""
    return f"{_KEY}{tool}"


def is_warning_key(key: str) -> bool:
    """Whether a finding with that warning key went by this count."""
    return key.startswith(_KEY)
