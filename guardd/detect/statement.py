"""The one statement with window functions that returns the figures for all detectors."""

from sqlalchemy import CTE, ColumnElement, Select, bindparam, select, true

from guardd.detect import ping_pong, streak, unknown_tool_repeat
from guardd.detect.detection import Rule
from guardd.detect.figures import Figures
from guardd.detect.window import IN_WINDOW, newest
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
    walked = _walked(calls.c.seq)
    return (
        select(walked.c.seq)
        .where(rule.counted(walked, level))
        .order_by(walked.c.seq.desc())
        .limit(bindparam("most"))
    )


def _walked(*columns: ColumnElement[object]) -> CTE:
    """The window's rows, with what the rules say of each."""
    return (
        select(
            *columns,
            calls.c.state,
            *(expression.label(name) for part in COUNTED for name, expression in part.ROW.items()),
        )
        .where(IN_WINDOW)
        .cte("walked")
    )
