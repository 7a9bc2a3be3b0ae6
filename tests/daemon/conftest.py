import contextlib
import itertools
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from support.daemon import Configuration, Daemon, RawClient
from support.databases import make_database

WATCHFUL = {
    "tools": {
        "loopDetection": {
            "enabled": True,
            "warningThreshold": 3,
            "criticalThreshold": 5,
            "globalCircuitBreakerThreshold": 8,
        }
    }
}
"""Detection that needs few calls: a warning at 3, a block at 5, an abort at 8."""


@pytest.fixture
def short_path() -> Iterator[Path]:
    """A directory whose name leaves room for a socket's: pytest's own are often longer than 107 bytes."""
    path = Path(tempfile.mkdtemp(prefix="guardd-"))
    yield path
    shutil.rmtree(path)


@pytest.fixture
def make_daemon(tmp_path: Path) -> Iterator[Callable[..., Daemon]]:
    """Makes daemons, each in a directory of its own, not started yet; they are gone afterwards."""
    with contextlib.ExitStack() as stack:
        numbers = itertools.count(1)

        def make(
            config: Configuration = WATCHFUL,
            directory: Path | None = None,
            *,
            is_first_start: bool = False,
            **options: object,
        ) -> Daemon:
            if directory is None:
                directory = tmp_path / f"daemon-{next(numbers)}"
                directory.mkdir()
                if not is_first_start:  # which takes longer
                    make_database(directory / "guardd.db")
            return stack.enter_context(Daemon(directory, config, **options))

        yield make


@pytest.fixture
def daemon(make_daemon: Callable[..., Daemon]) -> Daemon:
    """A daemon that answers, for one test alone."""
    return make_daemon().start()


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    """A daemon for all tests of a file that leave it as it is, but for runs of their own."""
    directory = tmp_path_factory.mktemp("shared")
    make_database(directory / "guardd.db")
    with Daemon(directory, WATCHFUL) as daemon:
        yield daemon.start()


@pytest.fixture
def client(shared: Daemon) -> Iterator[RawClient]:
    """A connection to the shared daemon."""
    with shared.connect() as client:
        yield client


@pytest.fixture(scope="session")
def as_nobody() -> list[str]:
    """A command that starts another one as the user 65534."""
    if os.geteuid() != 0 or shutil.which("setpriv") is None:
        pytest.skip("needs root, and setpriv (util-linux)")
    command = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
    probe = [*command, sys.executable, "-c", "import guardd.daemon.main"]
    if subprocess.run(probe, check=False, capture_output=True).returncode != 0:
        pytest.skip("this Python is not for everybody")
    return command


@pytest.fixture
def run_id(request: pytest.FixtureRequest) -> str:
    """A run of the test's own."""
    return "run of " + re.sub(r"\W+", "-", request.node.name)
