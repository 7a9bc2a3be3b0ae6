"""What verdicts cost: one connection, call by call, and as many as 64 connections get out of a server."""

from collections.abc import Mapping
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from uuid import uuid4

from guardd.bench.figures import Figure, Target, compared, in_turns, percentile
from guardd.bench.load import Link, time_pairs
from guardd.bench.servers import drive
from guardd.bench.traffic import Traffic, stuck

CONNECTIONS = 64

PAIR_TARGET = Target(1.5)
TAIL_TARGET = Target(5)
THROUGHPUT_TARGET = Target(1.0, at_least=True)
DURABILITY_TARGET = Target(0.5, at_least=True)


def time_in_turns(
    sockets: Mapping[str, Path], rounds: int, runs: int, traffic: Traffic | None = None
) -> dict[str, list[list[float]]]:
    """The microseconds that each pair took on one connection to each server, round by round.

    Args:
        sockets: Of the servers, which take turns.
        rounds: How many turns each has.
        runs: How many runs each sends in a turn.
        traffic: What to send.
    """
    traffic = traffic or Traffic()
    kind = uuid4().hex[:8]  # every run is a new one
    with ExitStack() as stack:
        links = {name: stack.enter_context(Link(path)) for name, path in sockets.items()}

        def measure(name: str, number: int) -> list[float]:
            pairs = [pair for run in range(runs) for pair in traffic.run(f"{kind}-{name}-{number}-{run}")]
            return [seconds * 1e6 for seconds in time_pairs(links[name], pairs)]

        for name in sockets:
            measure(name, -1)  # warms up
        return in_turns({name: partial(measure, name) for name in sockets}, rounds)


def pair_figures(floor: Path, guardd: Path, rounds: int, runs: int) -> list[Figure]:
    """A pair on one connection: its median against the floor's, and how far its tail reaches."""
    taken = time_in_turns({"floor": floor, "guardd": guardd}, rounds, runs)
    medians = {name: [percentile(one, 50) for one in turns] for name, turns in taken.items()}
    everything = {name: [one for turn in turns for one in turn] for name, turns in taken.items()}
    tails = {name: percentile(all_, 99) / percentile(all_, 50) for name, all_ in everything.items()}
    p99 = {name: [percentile(one, 99) for one in turns] for name, turns in taken.items()}
    return [
        compared(
            "pair_p50",
            "a pair, one connection, one core, p50",
            "µs",
            medians["floor"],
            medians["guardd"],
            PAIR_TARGET,
        ),
        compared("pair_p99", "a pair, one connection, one core, p99", "µs", p99["floor"], p99["guardd"]),
        Figure(
            "pair_p99_over_p50",
            "p99 / p50 of a pair",
            "",
            floor=tails["floor"],
            guardd=tails["guardd"],
            target=TAIL_TARGET,
        ),
    ]


def apart_figure(floor: Path, guardd: Path, rounds: int, runs: int) -> Figure:
    """The median of a pair, as `pair_figures` has it, where client and server are on different cores."""
    taken = time_in_turns({"floor": floor, "guardd": guardd}, rounds, runs)
    medians = {name: [percentile(one, 50) for one in turns] for name, turns in taken.items()}
    title = "the same, client and server on different cores"
    return compared("pair_p50_apart", title, "µs", medians["floor"], medians["guardd"], PAIR_TARGET)


def stuck_figure(floor: Path, guardd: Path, rounds: int, runs: int) -> Figure:
    """A pair of a stuck agent, whose calls are counted, warned of and blocked."""
    taken = time_in_turns({"floor": floor, "guardd": guardd}, rounds, runs, stuck())
    medians = {name: [percentile(one, 50) for one in turns] for name, turns in taken.items()}
    title = "a pair of a stuck agent, one connection, one core, p50"
    return compared("stuck_p50", title, "µs", medians["floor"], medians["guardd"], PAIR_TARGET)


def throughput_figures(floor: Path, guardd: Path, full: Path, rounds: int, seconds: float) -> list[Figure]:
    """Pairs a second on 64 connections: against the floor's, and with `durability: "full"` against without."""
    sockets = {"floor": floor, "guardd": guardd, "full": full}

    def rate(name: str, number: int) -> float:
        return drive(sockets[name], CONNECTIONS, seconds, f"many-{name}-{number}").rate

    rates = in_turns({name: partial(rate, name) for name in sockets}, rounds)
    return [
        compared(
            "throughput",
            f"pairs a second, {CONNECTIONS} connections",
            "/s",
            rates["floor"],
            rates["guardd"],
            THROUGHPUT_TARGET,
        ),
        compared(
            "durability_full",
            f'durability "full" / "normal", {CONNECTIONS} connections',
            "/s",
            rates["guardd"],
            rates["full"],
            DURABILITY_TARGET,
        ),
    ]
