"""What verdicts cost beside the floor."""

from pathlib import Path

import pytest
from support.processes import cpu_seconds

from guardd.bench.cores import placed
from guardd.bench.figures import compared, in_turns, percentile
from guardd.bench.load import Link, time_pairs
from guardd.bench.servers import Floor, detecting, drive, own_daemon
from guardd.bench.traffic import Traffic
from guardd.bench.verdicts import (
    CONNECTIONS,
    apart_figure,
    pair_figures,
    stuck_figure,
    throughput_figures,
    time_in_turns,
)

pytestmark = [pytest.mark.bench, pytest.mark.timeout(900)]


def test_a_pair_on_one_connection(servers, tell):
    floor, daemon = servers
    both = floor.pid, daemon.pid
    with placed(both, apart=False):
        tell("daily bread", *pair_figures(floor.socket, daemon.socket, rounds=60, runs=3))
        tell("a stuck agent", stuck_figure(floor.socket, daemon.socket, rounds=60, runs=10))
    with placed(both, apart=True):
        tell("daily bread", apart_figure(floor.socket, daemon.socket, rounds=60, runs=3))


def test_the_processor_that_a_pair_takes(servers, tell):
    """What else the machine does is not in it, but for what it does to the caches."""
    both = dict(zip(("floor", "guardd"), servers, strict=True))
    links = {name: Link(server.socket) for name, server in both.items()}

    def measure(name: str, number: int) -> float:
        before = cpu_seconds(both[name].pid)
        time_pairs(links[name], [pair for run in range(3) for pair in Traffic().run(f"{number}-{run}")])
        return (cpu_seconds(both[name].pid) - before) / 300 * 1e6

    taken = in_turns({name: lambda number, name=name: measure(name, number) for name in both}, 60)
    for link in links.values():
        link.__exit__()
    tell("", compared("pair_cpu", "CPU of the server for a pair", "µs", taken["floor"], taken["guardd"]))


def test_what_bounds_a_pair(servers, tell, tmp_path):
    """The floor's own path with guardd's statements: what is above that is the interpreter's work."""
    floor, daemon = servers
    with Floor(tmp_path, [str(Path(__file__).with_name("statements_server.py"))]) as statements:
        sockets = {"floor": floor.socket, "statements": statements.socket, "guardd": daemon.socket}
        with placed((floor.pid, statements.pid, daemon.pid), apart=False):
            taken = time_in_turns(sockets, rounds=40, runs=3)
        medians = {name: [percentile(one, 50) for one in turns] for name, turns in taken.items()}
        rates = {
            name: [drive(socket, CONNECTIONS, 2, f"{name}-{number}").rate for number in range(5)]
            for name, socket in sockets.items()
        }
    tell(
        "guardd's statements alone, on the floor's path",
        compared("bound_p50", "a pair, one core, p50", "µs", medians["floor"], medians["statements"]),
        compared("bound_rate", "pairs a second, 64 connections", "/s", rates["floor"], rates["statements"]),
    )
    tell(
        "and all of guardd beside them",
        compared("rest_p50", "a pair, one core, p50", "µs", medians["statements"], medians["guardd"]),
        compared("rest_rate", "pairs a second, 64 connections", "/s", rates["statements"], rates["guardd"]),
    )


def test_sixty_four_connections(servers, tell):
    floor, daemon = servers
    with own_daemon(detecting(database={"durability": "full"})) as full:
        full.start()
        figures = throughput_figures(floor.socket, daemon.socket, full.socket, rounds=12, seconds=2)
    tell("", *figures)
