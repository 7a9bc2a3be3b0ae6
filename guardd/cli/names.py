"""How runs are named in tables: cut where there is no room, but never below what tells them apart."""

from collections.abc import Sequence
from typing import Any

from guardd.cli.tables import Column
from guardd.cli.text import needed_prefix, safe

SHORTEST = 12
"""How much of an id is shown at least, where there is any room."""


def run_column(runs: Sequence[dict[str, Any]]) -> tuple[list[str], Column]:
    """The names of runs, and the column that they stand in.

    Args:
        runs: Objects with `run` and `source`, such as runs and events.

    Returns:
        A name for each, `source/id` where another source has a run of that id; and the column.
    """
    sources: dict[str, set[str]] = {}
    for run in runs:
        sources.setdefault(run["run"], set()).add(run["source"])
    names = [
        safe(run["run"] if len(sources[run["run"]]) == 1 else f"{run['source']}/{run['run']}") for run in runs
    ]
    return names, Column("RUN", least=max(needed_prefix(names), SHORTEST) + 1)
