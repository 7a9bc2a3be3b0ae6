"""Somebody removes or moves what the daemon works with."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from support.daemon import Daemon
from support.databases import make_database

from guardd.protocol.errors import StorageUnavailable


@pytest.fixture
def daemon(tmp_path: Path) -> Iterator[Daemon]:
    directory = tmp_path / "state"
    directory.mkdir()
    make_database(directory / "guardd.db")
    with Daemon(directory) as daemon:
        daemon.database = directory / "guardd.db"
        daemon.log_file = (tmp_path / "guardd.log").resolve()
        daemon.log_file.touch()
        yield daemon.start()


def report(daemon: Daemon) -> int:
    return int(daemon.ask("tool.before", runId="r", toolName="t")["seq"])


def refusal(daemon: Daemon) -> str:
    with pytest.raises(StorageUnavailable) as caught:
        report(daemon)
    return str(caught.value)


@pytest.mark.parametrize("what", ["guardd.db", "."])
def test_nothing_is_acknowledged_that_goes_to_a_removed_file(daemon: Daemon, tmp_path: Path, what: str):
    assert report(daemon) == 1
    assert daemon.ask("run.get", run="r")["calls"] == 1
    place = daemon.directory / what
    moved = place.rename(tmp_path / "moved")
    for _ in range(2):
        assert "removed or replaced" in refusal(daemon)
    assert daemon.ask("run.get", run="r")["calls"] == 1
    assert daemon.log().count("the database cannot be written") == 1
    moved.rename(place)
    assert report(daemon) == 2
    assert "the database can be written again" in daemon.log()


def test_a_directory_that_is_gone_for_good(daemon: Daemon):
    """It says so, goes on with what it can, and a new start begins anew."""
    assert report(daemon) == 1
    shutil.rmtree(daemon.directory)
    assert "removed or replaced" in refusal(daemon)
    with pytest.raises(StorageUnavailable, match="the database cannot be read"):
        daemon.ask("run.list")
    assert daemon.ask("config.get")["values"]
    assert daemon.stop() == 0
    assert "Traceback" not in daemon.log()
    daemon.directory.mkdir()
    daemon.configure(None)
    assert report(daemon.start()) == 1


def test_a_socket_that_vanishes_with_its_directory_keeps_those_who_are_connected(daemon: Daemon):
    assert report(daemon) == 1
    shutil.rmtree(daemon.socket.parent)
    assert report(daemon) == 2
    with pytest.raises(OSError, match="No such file"):
        daemon.connect()
    assert daemon.stop() == 0
    assert report(daemon.start()) == 3
