"""The one statement with window functions that returns the figures for all detectors."""

from sqlalchemy import CTE, Select, bindparam, or_, select, true

from guardd.detect import ping_pong, streak, unknown_tool_repeat
from guardd.detect.detection import Rule
from guardd.detect.figures import Figures
from guardd.detect.window import IN_WINDOW, breaks_so_far, newest
from guardd.store.schema import calls, detections
from guardd.vocabulary import Level

COUNTED = (unknown_tool_repeat, streak, ping_pong)
"""The modules whose expressions make the statement."""


def figures_statement() -> Select[tuple[object, ...]]:
    """One row, its columns in the order of `Figures`; none for an empty window.

    Binds `run`, `newest`, `low`, `tool` and `signature`, see `window`.
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
    return select(*(columns[name].label(name) for name in Figures._fields)).select_from(
        newest.join(counted, true()).outerjoin(detections, detections.c.id == newest.c.detection_id)
    )


def counted_statement(rule: Rule, level: Level) -> Select[tuple[int]]:
    """The seq of each call that a rule counts for a finding of that level, the newest first.

    Binds what `figures_statement` does, and `most`: at most so many.
    """
    walked = _walked()
    return (
        select(walked.c.seq)
        .where(rule.counted(walked, level))
        .order_by(walked.c.seq.desc())
        .limit(bindparam("most"))
    )


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
