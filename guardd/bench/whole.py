"""The whole benchmark as `guardctl bench` runs it, each figure as it is there."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import NamedTuple

from guardd.bench import footprint, outcomes, processes
from guardd.bench.cores import placed
from guardd.bench.figures import Figure
from guardd.bench.load import Link
from guardd.bench.servers import Floor, detecting, floor_and_guardd, own_daemon
from guardd.bench.traffic import frame
from guardd.bench.verdicts import apart_figure, pair_figures, stuck_figure, throughput_figures
from guardd.own_daemon.daemon import OwnDaemon


class Effort(NamedTuple):
    """How much to measure.

    Attributes:
        processes: Rounds of whole processes.
        pairs: Rounds of pairs on one connection.
        runs: Runs of 100 pairs in each of those.
        throughput: Rounds of 64 connections.
        seconds: Of each of those.
        outcomes: Rounds of great outcomes.
        stored: Calls by which the database grows.
    """

    processes: int
    pairs: int
    runs: int
    throughput: int
    seconds: float
    outcomes: int
    stored: int


FULL = Effort(processes=15, pairs=30, runs=3, throughput=7, seconds=1.0, outcomes=25, stored=20_000)
QUICK = Effort(processes=4, pairs=8, runs=2, throughput=2, seconds=0.4, outcomes=5, stored=2_000)

SLOW = detecting(database={"durability": "full"})


def measure(effort: Effort, tell: Callable[[str], None], layout: processes.Layout) -> Iterator[Figure]:
    """Measure everything, with daemons of its own in temporary folders.

    Args:
        effort: How much.
        tell: Called with what is being measured.
        layout: Makes the rows of `guardctl runs`.

    Raises:
        Breakdown: A server does not start, or breaks down.
    """
    with ExitStack() as stack:
        bottom, daemon = stack.enter_context(floor_and_guardd())
        yield from _of_processes(daemon, effort, tell, layout)
        yield from _of_verdicts(stack, bottom, daemon, effort, tell)
        tell("an outcome of 1 MB, and of 10,000 values")
        yield from outcomes.fingerprints(effort.outcomes)
        yield outcomes.delay(daemon.socket, effort.outcomes)
        tell("what guardd takes up")
        yield footprint.bytes_of_a_call(effort.stored)
        yield footprint.memory(daemon.pid, _calls(daemon.socket))
        yield footprint.start(daemon)


def _of_processes(
    daemon: OwnDaemon, effort: Effort, tell: Callable[[str], None], layout: processes.Layout
) -> Iterator[Figure]:
    tell("whole processes")
    # First, though it is told second: hooks make a run of their own, and ten are to be listed.
    runs = processes.runs(daemon.socket, daemon.folder, effort.processes, layout)
    yield from processes.hook(daemon.socket, daemon.folder, effort.processes)
    yield from runs


def _of_verdicts(
    stack: ExitStack, bottom: Floor, daemon: OwnDaemon, effort: Effort, tell: Callable[[str], None]
) -> Iterator[Figure]:
    tell("calls one by one")
    servers = bottom.pid, daemon.pid
    with placed(servers, apart=False):
        yield from pair_figures(bottom.socket, daemon.socket, effort.pairs, effort.runs)
        yield stuck_figure(bottom.socket, daemon.socket, effort.pairs, 2 * effort.runs)
    with placed(servers, apart=True):
        yield apart_figure(bottom.socket, daemon.socket, effort.pairs, effort.runs)
    tell("64 connections")
    full = stack.enter_context(own_daemon(SLOW))
    full.start()
    yield from throughput_figures(
        bottom.socket, daemon.socket, full.socket, effort.throughput, effort.seconds
    )
    full.stop()


def _calls(socket: Path) -> int:
    with Link(socket) as link:
        calls = link.result(frame("server.status", {}))["calls"]
    assert isinstance(calls, int)
    return calls
