import os
import subprocess
import sys

from support.daemon import eventually

from guardd.bench.cores import placed

CORES = os.sched_getaffinity(0)


def test_servers_and_client_are_placed_and_let_go_again():
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as server:
        with placed((server.pid,), apart=False):
            assert os.sched_getaffinity(server.pid) == os.sched_getaffinity(0) == {min(CORES)}
        with placed((server.pid,), apart=True):
            assert os.sched_getaffinity(server.pid) == {min(CORES)}
            assert os.sched_getaffinity(0) == {max(CORES)}
        assert eventually(lambda: os.sched_getaffinity(server.pid) == CORES)
        assert os.sched_getaffinity(0) == CORES
        server.communicate(b"\n")
