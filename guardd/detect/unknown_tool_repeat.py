"""Rule 1: the model keeps calling a tool that does not exist (detection.md; openclaw issues 62965, 67399)."""

from collections.abc import Mapping

from sqlalchemy import ColumnElement, FromClause, not_

from guardd.config import LoopSettings
from guardd.detect.detection import Detection, Question, critical
from guardd.detect.figures import Figures
from guardd.detect.window import TOOL, how_many, is_blocked, is_break, of_newest
from guardd.store.schema import calls
from guardd.vocabulary import Action, Detector, Level

DETECTOR = Detector.UNKNOWN_TOOL_REPEAT

MESSAGES = {
    Action.WARN: "The tool {tool} does not exist; this is miss number {count} in a row. "
    "Use one of the tools you were given.",
    Action.BLOCK: "Blocked: the tool {tool} does not exist, and you have called it {count} times in a row. "
    "Calling it again cannot work. Use one of the tools you were given, or say what you are missing.",
    Action.ABORT: "This run was stopped: the tool {tool} does not exist and was called {count} times in a row.",
}

LOOKS_AT = of_newest("misses")
MARKS: Mapping[str, ColumnElement[bool]] = {}
BREAKS = {
    "unknown_breaks": is_break(
        not_(of_newest("misses"))
        | (calls.c.tool != TOOL)
        | calls.c.missing_tool.is_(None)
        | (calls.c.missing_tool != of_newest("missing_tool"))
    )
}


def counts(rows: FromClause) -> Mapping[str, ColumnElement[int]]:
    """The misses in a row, newest backwards, that all name the same missing tool."""
    unbroken = counted(rows, Level.CRITICAL)
    return {
        "unknown_streak": how_many(unbroken),
        "unknown_blocked": how_many(unbroken, is_blocked(rows)),
    }


def counted(rows: FromClause, _level: Level) -> ColumnElement[bool]:
    """Whether a row is one of the misses."""
    return rows.c.unknown_breaks == 0


def threshold(settings: LoopSettings) -> int:
    """The number of misses that is critical."""
    return settings.unknown_tool_threshold


def is_on(_settings: LoopSettings) -> bool:
    """Always: no switch of `detectors` turns this rule off."""
    return True


def judge(question: Question, figures: Figures, settings: LoopSettings) -> Detection | None:
    """Critical when the tool in question was missing that often in a row."""
    if figures.unknown_streak < settings.unknown_tool_threshold:
        return None
    return critical(
        DETECTOR,
        question,
        settings,
        count=figures.unknown_streak,
        threshold=settings.unknown_tool_threshold,
        warning_key=f"{DETECTOR}:{question.tool}:{figures.newest_missing_tool}",
        follows_block=figures.unknown_blocked > 0,
    )
