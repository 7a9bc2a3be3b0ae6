import contextlib

import pytest
from support.daemon import Daemon
from support.node import need_node
from support.openclaw_plugin import Plugin

LOW = {
    "enabled": True,
    "warningThreshold": 3,
    "criticalThreshold": 5,
    "globalCircuitBreakerThreshold": 7,
}


@pytest.fixture
def daemon(tmp_path):
    with Daemon(tmp_path, {"tools": {"loopDetection": LOW}}) as daemon:
        yield daemon.start()


@pytest.fixture
def gateway(tmp_path):
    """Starts gateways, each a process with the plugin; they share a directory."""
    node = need_node()
    with contextlib.ExitStack() as stack:

        def start(**environment):
            return stack.enter_context(Plugin(node, tmp_path, environment))

        yield start


@pytest.fixture
def plugin(gateway, daemon):
    """The plugin, registered once, with a daemon."""
    plugin = gateway()
    plugin.register(socketPath=str(daemon.socket))
    return plugin


@pytest.fixture
def history(daemon):
    """What the daemon has recorded of a run's calls."""

    def calls(run="run-1"):
        return daemon.ask("run.history", run=run)["calls"]

    return calls
