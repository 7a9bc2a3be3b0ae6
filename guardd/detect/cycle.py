"""Beyond the documented rules: three to eight calls in turn, again and again, with the same outcomes."""

import hashlib
from collections.abc import Mapping
from typing import Any

from sqlalchemy import ColumnElement, Select, and_, func, or_, select, true

from guardd.config import LoopSettings
from guardd.detect.detection import Detection, Question, critical, warning
from guardd.detect.figures import Figures
from guardd.detect.recent import recent
from guardd.detect.window import SIGNATURE, is_blocked
from guardd.vocabulary import Action, Detector

DETECTOR = Detector.CYCLE

MESSAGES = {
    Action.WARN: "You are going round in circles: you have made the same calls in the same order, with the same "
    "outcomes, {count} times, and {tool} would go on with it. Another round cannot bring anything new: change "
    "something, or report what you have found.",
    Action.BLOCK: "Blocked: the same calls in the same order, with the same outcomes, have gone round {count} times, "
    "and {tool} would go on with it. Use what you know already, try something different, or report what keeps you.",
    Action.ABORT: "This run was stopped: the same calls in the same order, {tool} among them, went round {count} "
    "times.",
}

SHORTEST, LONGEST = 3, 8
"""Calls of a round. Two in turn are `ping_pong`'s."""
FEWEST_DIFFERENT = 3
"""Calls of a round that differ, at least."""

_newer = select(recent).where(recent.c.is_poll == 0).cte("newer")
_older = _newer.alias("older")
_begun = _newer.alias("begun")
_periods = (
    select((_begun.c.back + 1).label("period"))
    .where(_begun.c.back.between(SHORTEST - 1, LONGEST - 1), _begun.c.signature == SIGNATURE)
    .subquery("periods")
)
"""Those that the call in question may go on with: it was also made so many calls earlier."""


def _lengths() -> Select[tuple[int, ...]]:
    """For each of the periods: how many of the newest calls are like the one a period earlier, which they must all be.

    A blocked attempt has no outcome, and is one more of what it was blocked for.
    """
    is_like = and_(
        _newer.c.signature == _older.c.signature,
        or_(is_blocked(_newer), is_blocked(_older), _newer.c.outcome == _older.c.outcome),
    )
    return (
        select(
            _periods.c.period,
            func.min(_newer.c.back).filter(func.coalesce(is_like, 0) == 0).label("alike"),
        )
        .select_from(
            _periods.join(_newer, true()).outerjoin(
                _older, _older.c.back == _newer.c.back + _periods.c.period
            )
        )
        .group_by(_periods.c.period)
    )


def _cycle() -> Mapping[str, ColumnElement[Any]]:
    """The cycle that the call in question goes on with: the one with most rounds, of those the shortest."""
    lengths = _lengths().subquery("lengths")
    member = _newer.alias("member")
    in_round = member.c.back < lengths.c.period
    different = (
        select(func.count(func.distinct(member.c.signature)))
        .where(in_round)
        .correlate(lengths)
        .scalar_subquery()
    )
    blocked = (
        select(func.count())
        .where(member.c.back < lengths.c.alike + lengths.c.period, is_blocked(member))
        .correlate(lengths)
        .scalar_subquery()
    )
    members = (
        select(func.group_concat(func.hex(member.c.signature)))
        .where(in_round)
        .correlate(lengths)
        .scalar_subquery()
    )
    rounds = (lengths.c.alike + lengths.c.period + 1) // lengths.c.period
    found = (
        select(
            lengths.c.period,
            rounds.label("rounds"),
            blocked.label("blocked"),
            members.label("members"),
        )
        .where(lengths.c.alike > 0, different >= FEWEST_DIFFERENT)
        .order_by(rounds.desc(), lengths.c.period)
        .limit(1)
        .cte("cycle")
        .prefix_with("materialized")
    )
    return {
        "cycle_period": select(found.c.period).scalar_subquery(),
        "cycle_rounds": select(found.c.rounds).scalar_subquery(),
        "cycle_blocked": select(found.c.blocked).scalar_subquery(),
        "cycle_members": select(found.c.members).scalar_subquery(),
    }


FIGURES = _cycle()

COUNTED: ColumnElement[bool] = (recent.c.is_poll == 0) & (
    recent.c.back < FIGURES["cycle_rounds"] * FIGURES["cycle_period"] - 1
)
"""Whether a row is one of the whole rounds that end with the call in question."""


def threshold(settings: LoopSettings) -> int:
    """The rounds that are critical."""
    return settings.cycle_critical


def is_on(settings: LoopSettings) -> bool:
    """As `detectors.cycle` says."""
    return settings.cycle


def judge(question: Question, figures: Figures, settings: LoopSettings) -> Detection | None:
    """Judge the cycle that the call in question would go on with, itself included; polls take no part."""
    rounds = figures.further.cycle_rounds or 0
    if question.is_poll or not is_on(settings) or rounds < settings.cycle_warning:
        return None
    members = ",".join(sorted((figures.further.cycle_members or "").split(",")))
    warning_key = f"{DETECTOR}:{hashlib.sha256(members.encode()).hexdigest()[:32]}"
    if rounds < settings.cycle_critical:
        return warning(
            DETECTOR, question, count=rounds, threshold=settings.cycle_warning, warning_key=warning_key
        )
    return critical(
        DETECTOR,
        question,
        settings,
        count=rounds,
        threshold=settings.cycle_critical,
        warning_key=warning_key,
        follows_block=bool(figures.further.cycle_blocked),
    )
