"""What a replay found in one transcript."""

from collections import Counter
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from guardd.replay.turns import Skipped


class Finding(NamedTuple):
    """A detection: which call of which turn would have been answered so.

    Attributes:
        turn: The turn's id.
        seq: The call's number in it.
        action: What would have been answered.
        detector: The rule.
        level: How sure it is.
        counted: How much it counted.
        threshold: The one that was reached.
        tool: The call's tool.
        paired_tool: The other tool of a ping-pong.
        notify: Whether somebody would have been told.
        message: As for the model.
    """

    turn: str
    seq: int
    action: str
    detector: str
    level: str
    counted: int
    threshold: int
    tool: str
    paired_tool: str | None
    notify: bool
    message: str

    def document(self) -> dict[str, Any]:
        """In the words of the protocol."""
        return {
            "turn": self.turn,
            "seq": self.seq,
            "action": self.action,
            "detector": self.detector,
            "level": self.level,
            "count": self.counted,
            "threshold": self.threshold,
            "toolName": self.tool,
            "pairedToolName": self.paired_tool,
            "notify": self.notify,
            "message": self.message,
        }


@dataclass(slots=True)
class Findings:
    """What was found in one file with one configuration.

    Attributes:
        file: As it was named.
        config: What the configuration is called, where two are compared.
        format: What the file is; None: nothing that is known.
        turns: Turns that hold calls.
        calls: Their calls.
        skipped: What could not be read.
        actions: How many calls would have been answered with each action.
        detections: Each detection, in order; the calls after an abort get no new one.
        stopped: How many of the calls guardd itself had blocked or refused when they were recorded.
    """

    file: str
    config: str | None = None
    format: str | None = None
    turns: int = 0
    calls: int = 0
    skipped: Skipped = field(default_factory=Counter)
    actions: Counter[str] = field(default_factory=Counter)
    detections: list[Finding] = field(default_factory=list)
    stopped: int = 0

    def document(self) -> dict[str, Any]:
        """The form of commands.md; `skippedBecause` says what the sum is made of."""
        document: dict[str, Any] = {
            "file": self.file,
            "format": self.format,
            "turns": self.turns,
            "calls": self.calls,
            "stopped": self.stopped,
            "skipped": self.skipped.total(),
            "skippedBecause": {kind.value: number for kind, number in sorted(self.skipped.items())},
            "actions": {word: self.actions[word] for word in ("allow", "warn", "block", "abort")},
            "detections": [finding.document() for finding in self.detections],
        }
        return document if self.config is None else {"config": self.config} | document
