"""What hooks and `guardctl runs` cost as whole processes."""

import pytest

from guardd.adapters.hook import AGENTS
from guardd.bench import processes

pytestmark = [pytest.mark.bench, pytest.mark.timeout(900)]


def test_a_hook_of_each_agent(servers, tell, tmp_path):
    _, daemon = servers
    tell("", *(one for agent in AGENTS for one in processes.hook(daemon.socket, tmp_path, 40, agent)))


@pytest.mark.parametrize("count", [10, 100])
def test_guardctl_runs(servers, tell, tmp_path, count):
    _, daemon = servers
    options = ([], ["--json"])
    for given in options:
        tell("", *processes.runs(daemon.socket, tmp_path, 30, count, given))
