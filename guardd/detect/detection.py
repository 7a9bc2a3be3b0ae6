"""What a detector is asked, and what it finds."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import msgspec
from sqlalchemy import ColumnElement, FromClause

from guardd.config import LoopSettings
from guardd.detect.figures import Figures
from guardd.vocabulary import Action, Detector, Level


class Question(msgspec.Struct, frozen=True, gc=False):
    """The call in question.

    Attributes:
        tool: its name.
        signature: the keyed hash of its tool and arguments.
        is_poll: it waits for something by asking again, so that repeating it is its nature.
        edits: it edits, by the tools that are known and those that the configuration adds.
    """

    tool: str
    signature: bytes
    is_poll: bool
    edits: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Detection:
    """A rule that matched.

    Attributes:
        detector: the rule.
        level: how sure it is.
        action: what it asks for.
        count: how many it counted, in calls (misses of an unknown tool, members of an alternation …).
        threshold: the setting that this count reached; 0 where an operator decided.
        tool: of the call in question.
        paired_tool: the other side of an alternation.
        warning_key: what makes two warnings the same one; never made from an outcome.
        reason: an operator's, for stopping the run.
    """

    detector: Detector
    level: Level
    action: Action
    count: int
    threshold: int
    tool: str
    paired_tool: str | None = None
    warning_key: str
    reason: str | None = None


class Rule(Protocol):
    """What the module of each detector that judges before a call offers."""

    @property
    def DETECTOR(self) -> Detector:  # noqa: N802  it is a module's constant
        """Its name."""

    @property
    def MESSAGES(self) -> Mapping[Action, str]:  # noqa: N802
        """What is said to the model, by action."""

    def threshold(self, settings: LoopSettings, /) -> int:
        """The count that is critical."""

    def is_on(self, settings: LoopSettings, /) -> bool:
        """Whether the configuration has it switched on."""

    def judge(self, question: Question, figures: Figures, settings: LoopSettings) -> Detection | None:
        """What the rule finds."""


class RollingRule(Rule, Protocol):
    """What the documented ones offer besides, whose expressions make one statement."""

    def counted(self, rows: FromClause, level: Level, /) -> ColumnElement[bool]:
        """Whether a row of the window is one of those that a finding of that level counts."""


class Counted(Protocol):
    """What is counted over `recent` or `stretch`, whose expressions make another each."""

    @property
    def FIGURES(self) -> Mapping[str, ColumnElement[Any]]:  # noqa: N802
        """Its part of `Further` or `Across`."""

    @property
    def COUNTED(self) -> ColumnElement[bool]:  # noqa: N802
        """Whether a row of it is one of those that it counts."""


def warning(
    detector: Detector,
    question: Question,
    *,
    count: int,
    threshold: int,
    warning_key: str,
    paired_tool: str | None = None,
) -> Detection:
    """A finding that lets the call through with a word of warning."""
    return Detection(
        detector=detector,
        level=Level.WARNING,
        action=Action.WARN,
        count=count,
        threshold=threshold,
        tool=question.tool,
        paired_tool=paired_tool,
        warning_key=warning_key,
    )


def critical(
    detector: Detector,
    question: Question,
    settings: LoopSettings,
    *,
    count: int,
    threshold: int,
    warning_key: str,
    follows_block: bool,
    paired_tool: str | None = None,
) -> Detection:
    """A finding that blocks the call, or ends the run when the model goes on after a block.

    detection.md, "What follows a block": a repetition after a block whose count reaches the circuit breaker's
    threshold aborts under its own detector's name; a first block is a block at any count.
    """
    action = Action.BLOCK
    if follows_block and count >= settings.global_circuit_breaker_threshold:
        action, threshold = Action.ABORT, settings.global_circuit_breaker_threshold
    return Detection(
        detector=detector,
        level=Level.CRITICAL,
        action=action,
        count=count,
        threshold=threshold,
        tool=question.tool,
        paired_tool=paired_tool,
        warning_key=warning_key,
    )
