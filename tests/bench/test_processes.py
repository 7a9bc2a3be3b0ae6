"""What hooks and `guardctl runs` cost as whole processes."""

import pytest

from guardd.adapters.hook import AGENTS
from guardd.bench import processes
from guardd.cli.bench_table import runs_layout

pytestmark = [pytest.mark.bench, pytest.mark.timeout(900)]

EVENT_NAMES = {"gemini-cli": "BeforeTool", "cursor": "preToolUse"}


def test_a_hook_of_each_agent(servers, tell, tmp_path):
    _, daemon = servers
    for agent in AGENTS:
        name = EVENT_NAMES.get(agent, "PreToolUse")
        tell("", *processes.hook(daemon.socket, tmp_path, 40, agent, name))


@pytest.mark.parametrize("count", [10, 100])
def test_guardctl_runs(servers, tell, tmp_path, count):
    _, daemon = servers
    options = ([], ["--json"])
    for given in options:
        tell("", *processes.runs(daemon.socket, tmp_path, 30, runs_layout, count, given))
