"""What `guardctl runs` costs in a fresh process, against a bare program that prints the same rows.

The bare program imports click and prints a rich table; the aim is at most 1.5 times its cost. The programs take
turns, so that whatever else the machine does meets each of them alike.
"""

import os
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import NamedTuple

import pytest
from support.daemon import Daemon

from guardd.cli.runs_table import layout
from guardd.cli.times import Clock

pytestmark = pytest.mark.bench

ROUNDS = 40

BARE = """
import click
from rich.console import Console
from rich.table import Table

@click.command()
def main():
    table = Table(box=None)
    for title in {titles!r}:
        table.add_column(title)
    for row in {rows!r}:
        table.add_row(*row)
    Console().print(table)
"""


class Cost(NamedTuple):
    """Milliseconds."""

    cpu: float
    wall: float


@pytest.mark.parametrize("count", [10, 100])
def test_guardctl_runs_against_a_bare_program(tmp_path, capsys, count):
    environment = {
        name: value
        for name, value in os.environ.items()
        if name not in ("PYTHONDONTWRITEBYTECODE", "PYTHONUNBUFFERED", "GUARDD_SOCKET")
    } | {"COLUMNS": "120", "PYTHONPATH": str(tmp_path)}
    with Daemon(tmp_path).start() as daemon:
        for number in range(count):
            daemon.ask("tool.before", runId=f"run-{number:04}-7c1e5b", agentId="main", toolName="exec")
        columns, rows = layout(daemon.ask("run.list")["runs"], Clock(absolute=False))
        shown = [index for index in range(len(columns)) if any(row[index] for row in rows)]
        titles = [columns[index].title for index in shown]
        cells = [[row[index] for index in shown] for row in rows]
        (tmp_path / "bare.py").write_text(BARE.format(titles=titles, rows=cells), encoding="utf-8")
        python = [sys.executable, "-c"]
        guardctl = [
            *python,
            "from guardd.cli.guardctl import main; main()",
            "runs",
            "--socket",
            str(daemon.socket),
        ]
        programs = {
            "bare": [*python, "import bare; bare.main()"],
            "runs": guardctl,
            "runs --json": [*guardctl, "--json"],
        }
        costs = measure(programs, environment, tmp_path)
    with capsys.disabled():
        print(f"\n{count} runs, {ROUNDS} rounds, milliseconds        cpu min  median      wall min  median")
        for name, figures in costs.items():
            print(f"  {name:12}{'':29}{spread(figures, 'cpu')}      {spread(figures, 'wall')}")
        for name in ("runs", "runs --json"):
            shares = "   ".join(
                f"{part} {share(costs[name], costs['bare'], part):.2f}" for part in Cost._fields
            )
            print(f"  {name} / bare, medians: {shares}")


def measure(
    programs: dict[str, list[str]], environment: dict[str, str], directory: Path
) -> dict[str, list[Cost]]:
    """What each program cost, each time; the first time, which compiles, does not count."""
    for command in programs.values():
        once(command, environment, directory)
    costs: dict[str, list[Cost]] = {name: [] for name in programs}
    for _ in range(ROUNDS):
        for name, command in programs.items():
            costs[name].append(once(command, environment, directory))
    return costs


def once(command: list[str], environment: dict[str, str], directory: Path) -> Cost:
    """Run a program to its end."""
    with (directory / "out").open("wb") as out:
        began = time.perf_counter()
        process = subprocess.Popen(command, stdout=out, env=environment, cwd=directory)
        _, status, used = os.wait4(process.pid, 0)
        wall = time.perf_counter() - began
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0
    assert (directory / "out").stat().st_size
    return Cost((used.ru_utime + used.ru_stime) * 1000, wall * 1000)


def spread(costs: list[Cost], part: str) -> str:
    figures = [getattr(cost, part) for cost in costs]
    return f"{min(figures):8.1f}{statistics.median(figures):8.1f}"


def share(costs: list[Cost], bare: list[Cost], part: str) -> float:
    """How many times the bare program's cost."""
    medians = [statistics.median(getattr(cost, part) for cost in one) for one in (costs, bare)]
    return medians[0] / medians[1]
