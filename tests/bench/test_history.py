"""A database of 10 million calls in 100,000 runs: verdicts, the start, and what operators ask meanwhile."""

import contextlib
import json
import re
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from support.daemon import Daemon
from support.processes import cpu_seconds

from guardd.bench.figures import Figure, Target, compared, percentile
from guardd.bench.footprint import START_TARGET
from guardd.bench.load import Link, time_pairs
from guardd.bench.traffic import Traffic, frame
from guardd.bench.verdicts import time_in_turns
from guardd.store import statements

pytestmark = [pytest.mark.bench, pytest.mark.timeout(3600)]

CALLS = 10_000_000
CALLS_IN_A_RUN = 100
LONG_RUN = 10_000
CONFIG = {"tools": {"loopDetection": {"enabled": True}}}

HISTORY_TARGET = Target(1.2)
READING_TARGET = Target(20)

FIRST_RUN = 1_000

FILL = """
pragma journal_mode = off;
pragma synchronous = off;
pragma cache_size = -200000;
begin;
insert into runs (id, source, kind, name, agent_id, status, started_at, last_activity_at, reset_seq)
with recursive made(number) as (select 0 union all select number + 1 from made where number < {runs} - 1)
select {first} + number, 'default', 'run', printf('old-%06d', number), 'main', 'completed',
  {now} - 10 * ({runs} - number), {now} - 10 * ({runs} - number) + 9, 0 from made;
insert into calls
  (run_id, seq, tool, signature, fingerprint_version, call_id, state, outcome, preview, at, duration_ms)
with recursive made(seq) as (select 1 union all select seq + 1 from made where seq < {long})
select runs.id, seq, 'exec', cast(printf('%016d', seq % 7) as blob), 1, printf('call_%d', seq), 2,
  cast(printf('%016d', seq % 3) as blob), printf('{{"command": "make target-%d", "timeout": 60}}', seq % 7),
  last_activity_at, 12
from runs join made on seq <= iif(runs.id = {first}, {long}, {calls}) where runs.id >= {first};
insert into detections
  (run_id, seq, action, detector, level, count, threshold, tool, notify, warning_key, observed, at)
select id, 50, 1, 'generic_repeat', 'warning', 10, 10, 'exec', 1, 'k', 0, last_activity_at
from runs where id >= {first} and id % 50 = 0;
update calls set detection_id = (select id from detections where run_id = calls.run_id)
where seq = 50 and run_id >= {first} and run_id % 50 = 0;
commit;
pragma journal_mode = wal;
"""

READING = """
import sys
from pathlib import Path
from guardd.bench.load import Link
frame = sys.argv[2].encode() + b"\\n"
with Link(Path(sys.argv[1])) as link:
    while True:
        link.ask(frame)
        print(flush=True)
"""
"""An operator who asks without a pause, in a process of its own."""


class Full(NamedTuple):
    """A daemon with a full database, how many calls that holds, and how large it is."""

    daemon: Daemon
    calls: int
    megabytes: float


@pytest.fixture(scope="module")
def full(tmp_path_factory: pytest.TempPathFactory, scaled: Callable[[int], int]) -> Iterator[Full]:
    directory = tmp_path_factory.mktemp("full")
    with Daemon(directory, CONFIG).start() as daemon:
        daemon.stop()
        calls = scaled(CALLS)
        fill(daemon.database, calls // CALLS_IN_A_RUN)
        megabytes = daemon.database.stat().st_size / 1e6
        daemon.start()
        yield Full(daemon, calls, megabytes)
    for file in directory.iterdir():
        file.unlink()  # more than pytest should keep


def fill(database: Path, runs: int) -> None:
    """Store runs of calls as the daemon would have, the first of them a long one."""
    values = {"runs": runs, "first": FIRST_RUN, "long": LONG_RUN, "calls": CALLS_IN_A_RUN}
    with contextlib.closing(sqlite3.connect(database, isolation_level=None)) as connection:
        connection.executescript(FILL.format(now=time.time_ns() // 1_000_000, **values))


def test_a_verdict_costs_the_same_in_a_full_database(full, tell, tmp_path):
    with Daemon(tmp_path, CONFIG).start() as empty:
        sockets = {"empty": empty.socket, "full": full.daemon.socket}
        taken = time_in_turns(sockets, rounds=40, runs=3)
    medians = {name: [percentile(one, 50) for one in turns] for name, turns in taken.items()}
    title = f"a pair, p50, {full.calls:,} calls stored / none"
    figure = compared("stored", title, "µs", medians["empty"], medians["full"], HISTORY_TARGET)
    tell(f"{full.megabytes:,.0f} MB", figure, old_runs(full))
    for name, plan in explain(full.daemon.database).items():
        tell(f"{name}: {'; '.join(plan)}")


def old_runs(full: Full) -> Figure:
    """A pair in a run of long ago, here and there: its pages are anywhere."""
    runs = full.calls // CALLS_IN_A_RUN
    with Link(full.daemon.socket) as link:
        pairs = [Traffic().run(f"old-{number * 7919 % runs:06}")[0] for number in range(1, 1000)]
        taken = [seconds * 1e6 for seconds in time_pairs(link, pairs)]
    return Figure("old", "a pair that wakes an old run, p50", "µs", None, percentile(taken, 50))


def test_from_start_to_ready(full, tell):
    taken, processor = [], []
    for _ in range(8):
        full.daemon.kill()
        began = time.perf_counter()
        full.daemon.launch()
        taken.append(ready(full.daemon) - began)
        processor.append(cpu_seconds(full.daemon.process.pid))
    tell(
        f"{full.megabytes:,.0f} MB, after kill -9",
        Figure(
            "start",
            "start to ready",
            "s",
            None,
            percentile(taken, 50),
            spread=(percentile(taken, 25), percentile(taken, 75)),
            target=START_TARGET,
        ),
        Figure("start_cpu", "of that, on a processor", "s", None, percentile(processor, 50)),
    )


def ready(daemon: Daemon) -> float:
    """When the daemon first answered."""
    while True:
        with contextlib.suppress(OSError), Link(daemon.socket) as link:
            link.ask(frame("run.list", {"limit": 1}))
            return time.perf_counter()
        time.sleep(0.002)


ASKED: dict[str, tuple[str, dict[str, Any]]] = {
    "run.list, first page": ("run.list", {}),
    "run.list, 100 runs": ("run.list", {"limit": 100}),
    "run.list, looping": ("run.list", {"looping": True, "limit": 100}),
    "run.history of 10,000 calls, newest page": ("run.history", {"run": "old-000000"}),
    "run.history of 10,000 calls, all": ("run.history", {"run": "old-000000", "limit": 10_000}),
}


@pytest.mark.parametrize("what", ASKED)
def test_reading_and_the_verdicts_beside_it(full, tell, what):
    asked = frame(*ASKED[what])
    socket = full.daemon.socket
    with Link(socket) as link:
        result = json.loads(link.ask(asked))["result"]
        count = len(result.get("runs") or result["calls"])
        alone = milliseconds(link, asked, 60)
        verdicts = verdict_milliseconds(socket, f"alone-{what}")
    with subprocess.Popen(
        [sys.executable, "-c", READING, str(socket), asked.decode().strip()], stdout=subprocess.PIPE
    ) as reading:
        for _ in range(3):
            reading.stdout.readline()
        beside = verdict_milliseconds(socket, f"beside-{what}")
        reading.kill()
    tell(
        f"{what}: {count:,} rows",
        Figure(
            "reading",
            f"{what}, alone",
            "ms",
            None,
            percentile(alone, 50),
            spread=(percentile(alone, 25), percentile(alone, 75)),
            target=READING_TARGET,
        ),
        *(
            Figure(
                f"beside_{percent}",
                f"a pair's p{percent}, asked without a pause / not asked",
                "ms",
                percentile(verdicts, percent),
                percentile(beside, percent),
                percentile(beside, percent) / percentile(verdicts, percent),
            )
            for percent in (50, 99, 100)
        ),
    )


def milliseconds(link: Link, asked: bytes, times: int) -> list[float]:
    taken = []
    for _ in range(times):
        began = time.perf_counter()
        link.ask(asked)
        taken.append((time.perf_counter() - began) * 1000)
    return taken


def verdict_milliseconds(socket: Path, name: str) -> list[float]:
    """What 1,000 pairs took."""
    with Link(socket) as link:
        pairs = [pair for run in range(10) for pair in Traffic().run(f"{name}-{run}")]
        return [seconds * 1000 for seconds in time_pairs(link, pairs)]


def explain(database: Path) -> dict[str, list[str]]:
    """How SQLite goes about the statements on the path of a verdict."""
    names = ("FIND_RUN", "TOUCH_RUN", "GLANCE", "FIGURES", "FIND_OPEN_CALL_BY_ID", "ATTACH_OUTCOME")
    with contextlib.closing(sqlite3.connect(database)) as connection:
        plans = {}
        for name in names:
            statement = re.sub(r"\?|:\w+", "null", getattr(statements, name))
            rows = connection.execute(f"explain query plan {statement}")
            plans[name] = [row[3] for row in rows if "CO-ROUTINE" not in row[3]]
    return plans
