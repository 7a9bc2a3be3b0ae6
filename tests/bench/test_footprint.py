"""The disk and the memory that guardd takes up."""

import pytest

from guardd.bench import footprint
from guardd.bench.servers import drive, own_daemon, resident_bytes

pytestmark = [pytest.mark.bench, pytest.mark.timeout(3600)]

CALLS = 1_000_000
STEPS = 10


def test_bytes_of_a_call(tell, scaled):
    calls = scaled(100_000)
    tell(f"{calls:,} calls", footprint.bytes_of_a_call(calls, 1), footprint.bytes_of_a_call(calls))


def test_memory(tell, scaled):
    calls = scaled(CALLS)
    with own_daemon() as daemon:
        daemon.start()
        held = [resident_bytes(daemon.pid) / 1e6]
        for step in range(STEPS):
            drive(daemon.socket, 64, 0, f"step-{step}", calls // STEPS)
            held.append(resident_bytes(daemon.pid) / 1e6)
        figure = footprint.memory(daemon.pid, calls)
    steps = " ".join(f"{one:.1f}" for one in held)
    tell(f"MB at the start, and after each {calls // STEPS:,} calls: {steps}", figure)
