"""Recorded transcripts of real agents, as runs of calls: a run is one turn, from a user message to its end."""

import gzip
import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from guardd.replay import reading, turns

DATA = Path(__file__).parent.parent / "data" / "traces"

Json = dict[str, Any]


@dataclass
class Call:
    """One call, with what is known of its outcome: `result` or `error`, or neither."""

    tool: str
    args: Any
    call_id: str | None = None
    outcome: Json = field(default_factory=dict)


@dataclass
class Turn:
    """A run."""

    id: str
    calls: list[Call]
    category: str = "healthy"


def load(file: str) -> list[Turn]:
    """The turns of a file that hold calls."""
    with (DATA / file).open("rb") as stream:
        transcript = reading.read(stream)
        loaded = [Turn(turn.id, [_call(call) for call in turn.calls]) for turn in transcript.turns]
    assert not transcript.skipped
    if file.startswith("intercode"):
        with gzip.open(DATA / file, "rt") as lines:
            for turn, line in zip(loaded, lines, strict=True):
                turn.category = json.loads(line)["category"]
    return loaded


def _call(call: turns.Call) -> Call:
    outcome = {}
    if call.outcome is not None:
        outcome = {"error" if call.failed else "result": call.outcome.value}
    return Call(call.tool, call.args, call.call_id, outcome)
