"""A daemon of one's own: what it is like, and how it ends with whoever started it."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from support.daemon import eventually
from support.processes import processes_of

from guardd.own_daemon.daemon import OwnDaemon
from guardd.own_daemon.errors import Breakdown
from guardd.own_daemon.serving import CONFIG

WAITING = """
import sys
from guardd.own_daemon.daemon import OwnDaemon
with OwnDaemon("test", {}, keep=len(sys.argv) > 1) as daemon:
    daemon.start()
    print("ready", flush=True)
    sys.stdin.read()
"""


@pytest.mark.parametrize("kept", [[], ["keep"]])
def test_a_daemon_whose_command_was_killed_ends_by_itself_and_takes_its_folder_along(
    place: Path, kept: list[str]
):
    words = [sys.executable, "-c", WAITING, *kept]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as command:
        command.stdout.readline()
        [folder] = place.iterdir()
        assert processes_of(place)
        command.kill()
    eventually(lambda: processes_of(place) == [])
    assert list(place.iterdir()) == ([folder] if kept else [])
    assert not kept or (folder / "guardd.log").read_text(encoding="utf-8").endswith("stopped\n")


def test_its_folder_is_its_users_alone_and_goes_with_it(place: Path):
    config = {"guardd": {"mode": "observe"}}
    with OwnDaemon("test", config) as daemon:
        daemon.start()
        assert json.loads((daemon.folder / CONFIG).read_text(encoding="utf-8")) == config
        assert daemon.folder.stat().st_mode & 0o777 == 0o700
        assert daemon.socket.is_socket()
    assert list(place.iterdir()) == []


def test_one_that_does_not_start_says_why(place: Path):
    with (
        pytest.raises(Breakdown, match="the test's daemon does not start") as broken,
        OwnDaemon("test", {"guardd": {"mode": "nonsense"}}) as daemon,
    ):
        daemon.start()
    assert any("nonsense" in line for line in broken.value.details)
    assert list(place.iterdir()) == []
