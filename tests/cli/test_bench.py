"""`guardctl bench` from its first process to its last: what it measures is not judged here, only that it does."""

import json
import re
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from support.daemon import eventually
from support.processes import processes_of

from guardd.bench import whole
from guardd.bench.figures import Figure, Target
from guardd.cli.bench_table import layout

LEAST = whole.Effort(processes=1, pairs=1, runs=1, throughput=1, seconds=0.05, outcomes=1, stored=100)
FIGURES = [
    "hook",
    "hook_cpu",
    "runs",
    "runs_cpu",
    "pair_p50",
    "pair_p99",
    "pair_p99_over_p50",
    "stuck_p50",
    "pair_p50_apart",
    "throughput",
    "durability_full",
    "outcome_text",
    "outcome_nested",
    "frame_delay",
    "bytes_per_call",
    "memory",
    "start",
]

BENCH = f"""
from guardd.bench import whole
from guardd.cli.guardctl import main
whole.QUICK = whole.{LEAST._replace(seconds=60)}
main()
"""
"""As long as a full one once it comes to many connections."""


def test_its_json_holds_every_figure_and_nothing_stays(
    guardctl: Any, place: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(whole, "QUICK", LEAST)
    done = guardctl("bench", "--quick", "--json")
    assert (done.exit_code, done.stderr) == (0, "")
    told = json.loads(done.stdout)
    figures = {figure["figure"]: figure for figure in told["figures"]}
    assert list(figures) == FIGURES
    assert figures["runs"]["title"].endswith("a rich table of 10 rows, wall")
    assert all(figure["guardd"] > 0 for name, figure in figures.items() if name != "frame_delay")
    beside = [name for name, figure in figures.items() if figure["floor"] is None]
    assert beside == ["frame_delay", "bytes_per_call", "memory", "start"]
    assert told["machine"]["sqlite"]
    assert list(place.iterdir()) == []
    assert processes_of(place) == []


def test_for_people_it_is_a_table(guardctl: Any, place: Path, monkeypatch: pytest.MonkeyPatch):
    del place
    monkeypatch.setattr(whole, "FULL", LEAST)
    lines = guardctl("bench").stdout.splitlines()
    assert re.search(r"core.* · Python 3.* · SQLite 3", "".join(lines[:3]))
    assert any(re.match(r"FIGURE +FLOOR +GUARDD +RATIO", line) for line in lines)
    assert len([line for line in lines if re.search(r"[<>]= \d", line)]) >= len(FIGURES) - 1


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("when", ["guardd.bench.floor", "guardd.bench.load"])
def test_a_signal_ends_it_and_nothing_stays(place: Path, number: signal.Signals, when: str):
    command = [sys.executable, "-c", BENCH, "bench", "--quick"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        eventually(lambda: any(when in command for command in processes_of(place)))
        process.send_signal(number)
        out, err = process.communicate(timeout=60)
    assert (out, err) == ("", "")
    assert process.returncode == 128 + number
    eventually(lambda: processes_of(place) == [])
    assert list(place.iterdir()) == []


def test_a_benchmark_that_was_killed_leaves_nothing_either(place: Path):
    command = [sys.executable, "-c", BENCH, "bench", "--quick"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        eventually(lambda: any("guardd.bench.load" in command for command in processes_of(place)))
        process.kill()
    eventually(lambda: processes_of(place) == [] and list(place.iterdir()) == [])


def test_a_daemon_that_does_not_start_says_why(guardctl: Any, place: Path):
    place.chmod(0o777)
    result = guardctl("bench")
    assert result.exit_code == 1
    assert result.stderr.startswith("guardctl: the bench's daemon does not start; it says:\n")
    assert list(place.iterdir()) == []


def test_a_missed_target_is_marked():
    figures = [
        Figure("a", "a", "µs", 100.0, 151.0, 1.51, (1.4, 1.6), Target(1.5)),
        Figure("b", "b", "/s", 1000.0, 1500.0, 1.5, (1.4, 1.6), Target(1.0, at_least=True)),
        Figure("c", "c", "MB", None, 12345.6, target=Target(90)),
        Figure("d", "d", "µs", None, 9.0),
    ]
    _, rows = layout(figures)
    assert [tuple(row) for row in rows] == [
        ("a", "100 µs", "151 µs", "1.51", "1.40-1.60", "<= 1.5, missed"),
        ("b", "1,000 /s", "1,500 /s", "1.50", "1.40-1.60", ">= 1"),
        ("c", "", "12,346 MB", "", "", "<= 90 MB, missed"),
        ("d", "", "9.00 µs", "", "", ""),
    ]
