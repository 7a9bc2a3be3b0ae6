"""How runs are named in tables: cut where there is no room, but never below what tells them apart."""

from collections.abc import Sequence
from typing import Any

from guardd.cli.painting import width_of
from guardd.cli.tables import Column
from guardd.cli.text import needed_prefix, safe

SHORTEST = 10
"""How much of an id is shown at least: so much fits beside the rest at 40 columns."""


def run_column(runs: Sequence[dict[str, Any]]) -> tuple[list[str], Column]:
    """The names of runs, and the column that they stand in.

    Args:
        runs: Objects with `run` and `source`, such as runs and events.

    Returns:
        A name for each, `source/id` where another source has a run of that id; and the column.
    """
    sources: dict[str, set[str]] = {}
    ids: dict[str, set[str]] = {}
    for run in runs:
        sources.setdefault(run["run"], set()).add(run["source"])
        ids.setdefault(run["source"], set()).add(safe(run["run"]))
    needed = needed_prefix(safe(name) for name in sources)
    needed_in = {source: needed_prefix(names) for source, names in ids.items()}
    names = []
    widest = SHORTEST
    for run in runs:
        name, source = safe(run["run"]), safe(run["source"])
        if len(sources[run["run"]]) == 1:
            widest = max(widest, width_of(name[:needed]))
            names.append(name)
        else:
            widest = max(widest, width_of(f"{source}/{name[: needed_in[run['source']]]}"))
            names.append(f"{source}/{name}")
    return names, Column("RUN", least=widest + 1, alone=True)
