"""The statements with window functions that return the figures: one for the documented rules, one each for others."""

from collections.abc import Iterable
from typing import cast

from sqlalchemy import CTE, Select, bindparam, or_, select, true

from guardd.detect import (
    argument_churn,
    cycle,
    error_cascade,
    failures,
    identical_mutation,
    ping_pong,
    same_error,
    streak,
    unknown_tool_repeat,
)
from guardd.detect.detection import Counted, RollingRule, Rule
from guardd.detect.figures import Across, Figures, Further
from guardd.detect.recent import recent
from guardd.detect.stretch import stretch
from guardd.detect.window import IN_WINDOW, breaks_so_far, newest
from guardd.store.schema import calls, detections
from guardd.vocabulary import Level

COUNTED = (unknown_tool_repeat, streak, ping_pong)
"""The modules whose expressions make the statement."""

FIELDS = Figures._fields[:-2]
"""What the statement gives of them; the rest is that of `further_statement` and `across_statement`."""

FURTHER: tuple[Counted, ...] = (cycle, identical_mutation, same_error, error_cascade)
"""Those of the rules beyond the documented ones."""

ACROSS: tuple[Counted, ...] = (failures, argument_churn)
"""Those of the rules of OpenClaw 2026.9."""


def figures_statement() -> Select[tuple[object, ...]]:
    """One row, its columns in the order of `FIELDS`; none for an empty window.

    Binds `run`, `newest`, `low`, `tool`, `signature` and `masks`, see `window`.
    """
    walked = _walked()
    counted = select(
        *(expression.label(name) for part in COUNTED for name, expression in part.counts(walked).items())
    ).cte("counted")
    columns = {
        "newest_tool": newest.c.tool,
        "newest_signature": newest.c.signature,
        "newest_missing_tool": newest.c.missing_tool,
        "newest_state": newest.c.state,
        "newest_detector": detections.c.detector,
        "newest_count": detections.c.count,
        "newest_paired_tool": detections.c.paired_tool,
        "newest_warning_key": detections.c.warning_key,
        **dict(counted.c.items()),
    }
    return select(*(columns[name].label(name) for name in FIELDS)).select_from(
        newest.join(counted, true()).outerjoin(detections, detections.c.id == newest.c.detection_id)
    )


def further_statement() -> Select[tuple[object, ...]]:
    """One row of the figures for the rules beyond the documented ones, its columns those of `Further`.

    Binds what `figures_statement` does, and `polls`, see `recent`.
    """
    return _counted(FURTHER, Further._fields)


def across_statement() -> Select[tuple[object, ...]]:
    """One row of the figures for the rules of OpenClaw 2026.9, its columns those of `Across`.

    Binds what `figures_statement` does.
    """
    return _counted(ACROSS, Across._fields)


def _counted(parts: Iterable[Counted], fields: Iterable[str]) -> Select[tuple[object, ...]]:
    columns = {name: figure for part in parts for name, figure in part.FIGURES.items()}
    return select(*(columns[name].label(name) for name in fields))


def counted_statement(rule: Rule | Counted, level: Level) -> Select[tuple[int]]:
    """The seq of each call that is counted for a finding of that level, the newest first.

    Binds what `figures_statement` does, for a rule of `RULES` alone; for others what `further_statement` does; and
    `most`: at most so many.

    Args:
        rule: the rule, or `failures` where a rule went by them.
        level: of the finding.
    """
    if rule in FURTHER:
        rows, is_counted = recent, rule.COUNTED
    elif rule in ACROSS:
        rows, is_counted = stretch, rule.COUNTED
    else:
        rows = _walked()
        is_counted = cast("RollingRule", rule).counted(rows, level)
    return select(rows.c.seq).where(is_counted).order_by(rows.c.seq.desc()).limit(bindparam("most"))


def _walked() -> CTE:
    """The window's rows, with what the rules say of each, and of all that are newer."""
    marks = {name: mark for part in COUNTED for name, mark in part.MARKS.items()}
    breaks = {name: is_break for part in COUNTED for name, is_break in part.BREAKS.items()}
    # Marked by themselves first: the rows that SQLite keeps for the sums are then a third as large.
    marked = (
        select(
            calls.c.seq,
            calls.c.state,
            *(expression.label(name) for name, expression in (marks | breaks).items()),
        )
        .where(IN_WINDOW, or_(*(part.LOOKS_AT for part in COUNTED)))
        .subquery("marked")
    )
    return select(
        marked.c.seq,
        marked.c.state,
        *(marked.c[name] for name in marks),
        *(breaks_so_far(marked, name).label(name) for name in breaks),
    ).cte("walked")
