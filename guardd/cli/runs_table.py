"""Runs as a table."""

from collections.abc import Sequence
from typing import Any

from guardd.cli import tables
from guardd.cli.names import run_column
from guardd.cli.text import safe
from guardd.cli.times import Clock
from guardd.vocabulary import DEFAULT_SOURCE


def show(runs: Sequence[dict[str, Any]], *, abs_time: bool, colored: bool) -> None:
    """Print runs."""
    tables.show(*layout(runs, Clock(absolute=abs_time)), colored=colored)


def layout(runs: Sequence[dict[str, Any]], clock: Clock) -> tuple[list[tables.Column], list[tables.Row]]:
    """The columns and the rows."""
    names, column = run_column(runs)
    several = len({run["source"] for run in runs}) > 1
    columns = [
        column,
        tables.Column("AGENT", least=11, drop=2),
        tables.Column("SOURCE", least=11, drop=3),
        tables.Column("STATUS", drop=1),
        tables.Column("CALLS", right=True),
        tables.Column("LOOPS"),
        tables.Column("COMPACTIONS", drop=4, right=True),
        tables.Column("LAST ACTIVE", alone=True),
    ]
    rows: list[tables.Row] = [
        (
            name,
            safe(run["agentId"] or ""),
            safe(run["source"]) if several or run["source"] != DEFAULT_SOURCE else "",
            run["status"],
            str(run["calls"]),
            tables.verdict(run),
            str(run["compactions"] or ""),
            clock.show(run["lastActivityAt"]),
        )
        for name, run in zip(names, runs, strict=True)
    ]
    return columns, rows
