"""What a verdict costs in a database that holds much, against an empty one."""

import contextlib
import sqlite3
import statistics
import time
from pathlib import Path

import pytest
from support.daemon import Daemon, RawClient

from guardd.store import statements

pytestmark = pytest.mark.bench

RUNS = 3_000
CALLS_IN_A_RUN = 100
PAIRS = 1_000
ROUNDS = 5
CONFIG = {"tools": {"loopDetection": {"enabled": True}}}


def test_a_verdict_costs_the_same_in_a_full_database(tmp_path, capsys):
    (tmp_path / "empty").mkdir()
    (tmp_path / "full").mkdir()
    with (
        Daemon(tmp_path / "empty", CONFIG).start() as empty,
        Daemon(tmp_path / "full", CONFIG).start() as full,
    ):
        full.stop()
        fill(full.database)
        full.start()
        figures = {"empty": [], "full": []}
        for round_number in range(ROUNDS):
            for name, daemon in (("empty", empty), ("full", full)):
                with daemon.connect() as client:
                    figures[name] += pairs(client, f"{name}-{round_number}")
        plans = explain(full.database)
    with capsys.disabled():
        print(
            f"\n{RUNS * CALLS_IN_A_RUN:,} stored calls; a pair is tool.before and tool.after, one connection"
        )
        for name, seconds in figures.items():
            print(f"  {name:6} p50 {percentile(seconds, 50)} µs   p99 {percentile(seconds, 99)} µs")
        ratio = statistics.median(figures["full"]) / statistics.median(figures["empty"])
        print(f"  full / empty, p50: {ratio:.2f}")
        for name, plan in plans.items():
            print(f"  {name}: {'; '.join(plan)}")


def fill(database: Path) -> None:
    """Store runs of calls as the daemon would have; a whole day's work in a second."""
    with contextlib.closing(sqlite3.connect(database)) as connection, connection:
        connection.executemany(
            "insert into runs (id, source, kind, name, status, started_at, last_activity_at, reset_seq)"
            " values (?, 'default', 'run', ?, 'completed', ?, ?, 0)",
            ((1_000 + run, f"old-{run}", run, run) for run in range(RUNS)),
        )
        connection.executemany(
            "insert into calls (run_id, seq, tool, signature, fingerprint_version, call_id, state, outcome, at)"
            " values (?, ?, 'exec', ?, 1, ?, 2, ?, ?)",
            (
                (1_000 + run, seq, b"%016d" % (seq % 7), f"call-{seq}", b"%016d" % (seq % 3), run)
                for run in range(RUNS)
                for seq in range(1, CALLS_IN_A_RUN + 1)
            ),
        )


def pairs(client: RawClient, run: str) -> list[float]:
    """Seconds that each of many pairs took."""
    seconds = []
    for number in range(PAIRS):
        asked = {
            "runId": f"{run}-{number // 100}",
            "toolName": "exec",
            "toolCallId": f"call-{number}",
            "args": {"command": f"make target-{number % 7}"},
        }
        began = time.perf_counter()
        client.call("tool.before", **asked)
        client.call("tool.after", **asked, result={"content": [{"type": "text", "text": "x" * 200}]})
        seconds.append(time.perf_counter() - began)
    return seconds


def percentile(seconds: list[float], percent: int) -> int:
    return round(statistics.quantiles(seconds, n=100)[percent - 1] * 1e6)


def explain(database: Path) -> dict[str, list[str]]:
    """How SQLite goes about the statements on the path of a verdict."""
    names = ("TOUCH_RUN", "FIGURES", "FIND_OPEN_CALL", "FIND_OPEN_CALL_BY_ID", "ATTACH_OUTCOME")
    with contextlib.closing(sqlite3.connect(database)) as connection:
        plans = {}
        for name in names:
            statement = getattr(statements, name)
            bound = dict.fromkeys(
                ("run", "newest", "low", "tool", "signature", "now", "agent", "in_source", "in_kind", "in_name",
                 "in_call_id", "in_seq", "new_state", "new_outcome", "new_missing_tool", "new_guard_marker_id",
                 "new_duration_ms")
            )  # fmt: skip
            rows = connection.execute(f"explain query plan {statement}", bound)
            plans[name] = [row[3] for row in rows if "CO-ROUTINE" not in row[3]]
    return plans
