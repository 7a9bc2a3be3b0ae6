"""The power fails: what the disk is sure to have is what was synced.

What was written since may have reached it or not, each file by itself; the four extremes of that are looked at.
"""

import itertools
import shutil
import sqlite3
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

from support.daemon import Configuration, Daemon, eventually
from support.meddling import Meddling

Start = Callable[[Configuration], Daemon]
RUNS = ("a", "b", "c")
CALLS = 40
FILES = ("guardd.db", "guardd.db-wal")


def work(daemon: Daemon) -> dict[str, int]:
    """Report calls of several runs, on a connection each, at once; how many were acknowledged of each."""
    clients = {run: daemon.connect() for run in RUNS}
    acknowledged = {}
    for run, client in clients.items():
        client.send_line(*(client.request("tool.before", runId=run, toolName="t") for _ in range(CALLS)))
    for run, client in clients.items():
        with client:
            acknowledged[run] = [client.read_line()["result"]["seq"] for _ in range(CALLS)][-1]
    return acknowledged


def lose_power(daemon: Daemon, meddling: Meddling, directory: Path) -> Iterator[Path]:
    """End a daemon; databases as they may then be found on the disk."""
    daemon.kill()
    places = (daemon.directory, meddling.synced)
    for number, chosen in enumerate(itertools.product(places, repeat=len(FILES))):
        found = directory / f"found-{number}"
        found.mkdir()
        for place, name in zip(chosen, FILES, strict=True):
            if (place / name).exists():
                shutil.copy(place / name, found / name)
        yield found


def stored(database: Path) -> dict[str, int]:
    """How many calls a database holds of each run, in which none may be missing between two others."""
    with closing(sqlite3.connect(database)) as connection:
        assert connection.execute("pragma integrity_check").fetchall() == [("ok",)]
        assert not connection.execute("pragma foreign_key_check").fetchall()
        counted = "select name, count(*), max(seq) from runs join calls on run_id = runs.id group by name"
        found = connection.execute(counted).fetchall()
    assert all(count == newest for _, count, newest in found)
    return {name: count for name, count, _ in found}


def work_with_pauses(daemon: Daemon, meddling: Meddling) -> dict[str, int]:
    """Work, and have the log moved into the database file between, and be begun anew."""
    synced = meddling.synced / FILES[0]
    for _ in range(2):
        before = synced.stat().st_mtime_ns if synced.exists() else 0
        work(daemon)
        eventually(lambda before=before: synced.exists() and synced.stat().st_mtime_ns != before)
    return work(daemon)


def test_with_full_durability_nothing_acknowledged_is_lost(
    tmp_path: Path, meddling: Meddling, meddled: Start
):
    daemon = meddled({"guardd": {"database": {"durability": "full"}}})
    acknowledged = work_with_pauses(daemon, meddling)
    assert acknowledged == dict.fromkeys(RUNS, 3 * CALLS)
    for found in lose_power(daemon, meddling, tmp_path):
        assert stored(found / FILES[0]) == acknowledged


def test_with_normal_durability_the_database_stays_sound(tmp_path: Path, meddling: Meddling, meddled: Start):
    daemon = meddled({"guardd": {"database": {"durability": "normal"}}})
    acknowledged = work_with_pauses(daemon, meddling)
    moved = 2 * CALLS
    for found in lose_power(daemon, meddling, tmp_path):
        assert all(moved <= count <= acknowledged[run] for run, count in stored(found / FILES[0]).items())
    for name in FILES:  # and a daemon goes on with what is on the disk for sure
        shutil.copy(meddling.synced / name, daemon.directory / name)
    assert daemon.start().ask("tool.before", runId="a", toolName="t")["seq"] > moved


def test_what_is_looked_for_would_be_found(tmp_path: Path, meddling: Meddling, meddled: Start):
    """With normal durability, what was acknowledged last is not on the disk for sure."""
    daemon = meddled({"guardd": {"database": {"durability": "normal"}}})

    def is_some_lost() -> bool:
        acknowledged = work(daemon)
        directory = Path(tempfile.mkdtemp(dir=tmp_path))
        found = [stored(found / FILES[0]) for found in lose_power(daemon, meddling, directory)]
        daemon.start()
        return any(each != acknowledged for each in found)

    eventually(is_some_lost)  # and not moved just before the end, as it may be
