"""What guardd takes up: bytes of the disk for a call, memory, and the time from its start to its first answer."""

import time
from pathlib import Path

from guardd.bench.figures import Figure, Target
from guardd.bench.servers import detecting, drive, own_daemon, resident_bytes
from guardd.bench.verdicts import CONNECTIONS
from guardd.own_daemon.daemon import OwnDaemon

BYTES_TARGET = Target(200)
MEMORY_TARGET = Target(90)
START_TARGET = Target(0.5)


def bytes_of_a_call(calls: int, connections: int = CONNECTIONS) -> Figure:
    """How much the database grows by a call, indexes included, without previews and request ids.

    Args:
        calls: How many calls to store.
        connections: On how many connections; their runs are written in turns, as those of a gateway are.
    """
    with own_daemon(detecting(privacy={"previews": "off"})) as daemon:
        daemon.start()
        daemon.stop()  # leaves one file
        empty = daemon.database.stat().st_size
        daemon.start()
        counted = drive(daemon.socket, connections, 0, "stored", calls)
        daemon.stop()
        stored = (daemon.database.stat().st_size - empty) / counted.pairs
    return Figure(
        "bytes_per_call",
        "stored bytes a call, no previews, no request ids",
        "B",
        floor=None,
        guardd=stored,
        target=BYTES_TARGET,
    )


def memory(pid: int, calls: int) -> Figure:
    """The memory of a daemon that has answered so many calls."""
    title = f"memory of the daemon after {calls:,} calls"
    return Figure("memory", title, "MB", None, resident_bytes(pid) / 1e6, target=MEMORY_TARGET)


def start(daemon: OwnDaemon) -> Figure:
    """From the start of a daemon that was killed to its first answer."""
    daemon.kill()
    stored = _size(daemon.database)
    began = time.perf_counter()
    daemon.start()
    taken = time.perf_counter() - began
    return Figure(
        "start",
        f"start to ready, after kill -9, {stored / 1e6:,.0f} MB of database",
        "s",
        floor=None,
        guardd=taken,
        target=START_TARGET,
    )


def _size(database: Path) -> int:
    """A database's size with its write-ahead log."""
    return sum(file.stat().st_size for file in (database, Path(f"{database}-wal")) if file.exists())
