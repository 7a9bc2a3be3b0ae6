"""The runs to evaluate on: every transcript of a folder, each run with a label."""

import gzip
import json
import os
from enum import StrEnum
from pathlib import Path
from typing import Any, NamedTuple

from guardd.replay import intercode, reading
from guardd.replay.turns import Turn

FOLDER = Path(os.environ.get("GUARDD_CORPUS") or Path(__file__).parents[3] / "shared" / "traces")
"""`$GUARDD_CORPUS`, or the one beside the repository."""

HEALTHY = "healthy"
"""The category of an episode that is not stuck."""
HEALTHY_FILES = frozenset({"pi-session", "claude-code-subagent", "swe-agent"})
"""Transcripts without categories in which nobody is stuck, by the beginnings of their names."""


class Kind(StrEnum):
    """What is known of a run."""

    STUCK = "stuck"
    HEALTHY = "healthy"
    SESSION = "healthy session as one run"
    """All turns of a transcript together, as a gateway reports them that knows no runs."""
    UNKNOWN = "not labelled"


class Run(NamedTuple):
    """A run, and what is known of it; the label is its category, or the beginning of the file's name."""

    kind: Kind
    label: str
    turn: Turn


def load(folder: Path = FOLDER) -> list[Run]:
    """Every run of every transcript that is known, by kind and label."""
    paths = [path for path in sorted(folder.iterdir()) if path.suffix != ".md" and path.is_file()]
    runs = [run for path in paths for run in _runs(path)]
    return sorted(runs, key=lambda run: (list(Kind).index(run.kind), run.label))


def _runs(path: Path) -> list[Run]:
    with path.open("rb") as stream:
        transcript = reading.read(stream)
        turns = list(transcript.turns)
    name = path.name.partition(".")[0]
    if transcript.format is intercode:
        categories = _categories(path)
        return [_episode(categories.get(turn.id), turn) for turn in turns]
    if name not in HEALTHY_FILES:
        return [Run(Kind.UNKNOWN, name, turn) for turn in turns]
    runs = [Run(Kind.HEALTHY, name, turn) for turn in turns]
    if len(turns) > 1:
        session = Turn("session", [step for turn in turns for step in turn.steps])
        runs.append(Run(Kind.SESSION, f"{name}, all turns", session))
    return runs


def _episode(category: str | None, turn: Turn) -> Run:
    if category is None:
        return Run(Kind.UNKNOWN, "no category", turn)
    return Run(Kind.HEALTHY if category == HEALTHY else Kind.STUCK, category, turn)


def _categories(path: Path) -> dict[str, str]:
    """The categories of a file of episodes, one a line, by the ids that the reader gives them."""
    opened: Any = gzip.open if path.suffix == ".gz" else open
    with opened(path, "rt") as lines:
        entries = [json.loads(line) for line in lines if line.strip()]
    return {
        f"episode-{number}": entry["category"] for number, entry in enumerate(entries) if "category" in entry
    }
