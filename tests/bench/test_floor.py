"""The floor is a fair one only if it answers right: it counts what guardd counts."""

import contextlib
import json
import random
import shutil
import socket
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from support.daemon import eventually
from support.guarding import Guarded

from guardd.bench.floor import Work
from guardd.bench.load import Link, time_pairs
from guardd.bench.servers import Floor, drive
from guardd.bench.traffic import Pair, Traffic, stuck
from guardd.own_daemon.errors import Breakdown
from guardd.vocabulary import Level

NEVER = 1_000
REPEATS = {"warningThreshold": 1, "criticalThreshold": NEVER}
STREAK = {"warningThreshold": 1, "criticalThreshold": 2}
COUNTING = {"enabled": True, "globalCircuitBreakerThreshold": NEVER, "detectors": {"pingPong": False}}


@pytest.fixture
def short() -> Iterator[Path]:
    """A folder whose path is short enough for a socket."""
    path = Path(tempfile.mkdtemp(prefix="g-"))
    yield path
    shutil.rmtree(path)


def mixed(seed: int) -> list[Pair]:
    """Calls of three kinds with results of two, in no order."""
    chosen = random.Random(seed)  # noqa: S311 - no secret
    runs = [Traffic(3, 3, result).run("mixed") for result in ("one", "other")]
    return [chosen.choices(runs, (3, 1))[0][chosen.randrange(3)] for _ in range(90)]


def asked(frame: bytes) -> dict[str, Any]:
    params: dict[str, Any] = json.loads(frame)["params"]
    return {"tool": params["toolName"], "args": params["args"]}


def counted(guarded: Guarded, pair: Pair, level: Level) -> int | None:
    """What a guard that only observes counts before a call, if it is so bad; the call then gets its outcome."""
    verdict = guarded.before(**asked(pair.before))
    guarded.after(**asked(pair.after), result=json.loads(pair.after)["params"]["result"])
    found = verdict.detection
    return found.count if found and found.level is level else None


@pytest.mark.parametrize(
    "pairs",
    [mixed(1), mixed(2), Traffic().run("daily"), stuck().run("stuck") * 2],
    ids=["mixed", "mixed otherwise", "daily bread", "stuck"],
)
def test_it_counts_what_guardd_counts(tmp_path: Path, pairs: list[Pair]):
    work = Work(tmp_path / "floor.db")
    repeating = Guarded(tmp_path / "repeats.db", COUNTING | REPEATS, mode="observe")
    stuck_ones = Guarded(tmp_path / "streak.db", COUNTING | STREAK, mode="observe")
    for number, pair in enumerate(pairs, 1):
        said = json.loads(work.answer(pair.before))["result"]
        assert json.loads(work.answer(pair.after))["result"] == {"action": "allow"}
        assert said["seq"] == number
        assert said["repeats"] == (counted(repeating, pair, Level.WARNING) or 0)
        assert (said["streak"] if said["streak"] >= 2 else None) == counted(stuck_ones, pair, Level.CRITICAL)
    work.connection.close()
    repeating.close()
    stuck_ones.close()


def test_each_request_is_committed_by_itself_and_safe_from_a_crash(tmp_path: Path):
    work = Work(tmp_path / "floor.db")
    [pair, *_] = Traffic().run("r")
    reader = sqlite3.connect(tmp_path / "floor.db")
    for frame, expected in ((pair.before, (1, 0)), (pair.after, (1, 1))):
        work.answer(frame)
        assert not work.connection.in_transaction
        assert reader.execute("select count(*), count(outcome) from calls").fetchone() == expected
    pragmas = [
        work.connection.execute(f"pragma {name}").fetchone()[0] for name in ("journal_mode", "synchronous")
    ]
    assert pragmas == ["wal", 1]
    reader.close()
    work.connection.close()


def test_it_serves_several_frames_and_parts_of_frames_in_order(short: Path):
    with Floor(short) as floor, socket.socket(socket.AF_UNIX) as client:
        client.connect(str(floor.socket))
        sent = b"".join(part for pair in Traffic(calls=5).run("r") for part in pair)
        for start in range(0, len(sent), 333):
            client.sendall(sent[start : start + 333])
        with client.makefile("rb") as lines:
            replies = [json.loads(lines.readline())["result"] for _ in range(10)]
    assert [reply["seq"] for reply in replies[::2]] == [1, 2, 3, 4, 5]


def test_one_that_does_not_start_says_why(short: Path):
    (short / "floor.db").write_text("no database, but text of some length")
    with pytest.raises(Breakdown, match="the floor does not start") as failure, Floor(short):
        pass
    assert "not a database" in failure.value.details[-1]


def test_it_ends_when_who_started_it_is_gone(short: Path):
    command = [sys.executable, "-m", "guardd.bench.floor", str(short / "s"), str(short / "floor.db")]
    with subprocess.Popen(command, stdin=subprocess.PIPE) as process:
        eventually((short / "s").exists)
        assert process.stdin
        process.stdin.close()
        assert process.wait(30) == 0


def test_many_connections_are_counted(short: Path):
    with Floor(short) as floor:
        counted = drive(floor.socket, 8, 0, "many", 200)
        with Link(floor.socket) as link:
            assert len(time_pairs(link, Traffic().run("alone"))) == 100
    assert 200 <= counted.pairs <= 208
    assert counted.rate > 0
    with contextlib.closing(sqlite3.connect(short / "floor.db")) as connection:
        runs, most = connection.execute(
            "select count(distinct run), max(seq) from calls where run like 'many%'"
        ).fetchone()
    assert (runs, most) >= (8, 25)


def test_a_server_that_is_gone_is_a_failure(tmp_path: Path):
    with pytest.raises(Breakdown, match="the load could not be driven"):
        drive(tmp_path / "none", 1, 0, "none", 1)
