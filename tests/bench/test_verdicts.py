"""What verdicts cost beside the floor."""

import pytest
from support.processes import cpu_seconds

from guardd.bench.cores import placed
from guardd.bench.figures import compared, in_turns
from guardd.bench.load import Link, time_pairs
from guardd.bench.servers import detecting, own_daemon
from guardd.bench.traffic import Traffic
from guardd.bench.verdicts import apart_figure, pair_figures, stuck_figure, throughput_figures

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


def test_sixty_four_connections(servers, tell):
    floor, daemon = servers
    with own_daemon(detecting(database={"durability": "full"})) as full:
        full.start()
        figures = throughput_figures(floor.socket, daemon.socket, full.socket, rounds=12, seconds=2)
    tell("", *figures)
