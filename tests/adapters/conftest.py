"""A real daemon with low thresholds, and hooks that are run against it."""

import json
import subprocess
import sys
import time
from pathlib import Path

import pytest
from support.agents import AGENTS
from support.daemon import Daemon
from support.guarding import LOOP

from guardd.adapters import hook

ENTRY = "from guardd.cli.entry import main; main()"


@pytest.fixture(scope="module")
def daemon(tmp_path_factory):
    with Daemon(tmp_path_factory.mktemp("daemon"), {"tools": {"loopDetection": LOOP}}).start() as daemon:
        yield daemon


@pytest.fixture(params=AGENTS, ids=lambda kind: kind.__name__)
def agent(request):
    """Each agent in turn, in a new session."""
    return request.param()


@pytest.fixture
def answer(daemon):
    """What an agent gets to read for an event, decoded; the hook runs in this process."""

    def ask(agent, event):
        deadline = time.monotonic() + 30
        said = hook.respond(agent.name, json.dumps(event).encode(), str(daemon.socket), deadline)
        return None if said is None else json.loads(said)

    return ask


@pytest.fixture
def process(daemon, tmp_path):
    """What `guardctl hook AGENT` does with bytes on stdin, in a process of its own."""

    def run(name, data, *arguments, socket=daemon.socket, **options):
        return subprocess.run(
            [sys.executable, "-c", ENTRY, "hook", name, *arguments],
            input=data,
            capture_output=True,
            check=False,
            env={"GUARDD_SOCKET": str(socket), "HOME": str(tmp_path), "PYTHONPATH": str(root())},
            **options,
        )

    return run


def root() -> Path:
    return Path(hook.__file__).parent.parent.parent
