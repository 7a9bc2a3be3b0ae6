"""On which cores a measurement runs: the kernel would choose otherwise, now one and now several.

Two processes that wait for each other take turns on one core; on two, each wakes the other's core from its sleep, which
on a virtual machine takes longer than the floor's whole work. Both are measured, each for itself.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path


@contextmanager
def placed(servers: tuple[int, ...], *, apart: bool) -> Iterator[None]:
    """Run servers and this process on one core or, apart, on one and another; afterwards on any again.

    Args:
        servers: Their process ids.
        apart: Whether this process gets another core than they do; where there is only one, it does not.
    """
    cores = sorted(os.sched_getaffinity(0))
    try:
        for server in servers:
            _place(server, {cores[0]})
        os.sched_setaffinity(0, {cores[-1] if apart else cores[0]})
        yield
    finally:
        os.sched_setaffinity(0, cores)
        for server in servers:
            _place(server, set(cores))


def _place(process: int, cores: set[int]) -> None:
    for task in Path(f"/proc/{process}/task").iterdir():
        with suppress(ProcessLookupError):  # a thread that has ended meanwhile
            os.sched_setaffinity(int(task.name), cores)
