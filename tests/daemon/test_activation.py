"""Sockets that are opened for the daemon, by systemd's own tool for trying that out."""

import os
import socket
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from support.daemon import Daemon, RawClient
from support.programs import needed

MakeDaemon = Callable[..., Daemon]

HAND_OVER = """
import os, sys
os.environ |= {"LISTEN_PID": sys.argv[1] or str(os.getpid()), "LISTEN_FDS": sys.argv[2]}
if int(sys.argv[3]) >= 0:
    os.dup2(int(sys.argv[3]), 3)
os.execv(sys.argv[4], sys.argv[4:])
"""


@pytest.fixture(scope="module")
def activator() -> str:
    return needed("systemd-socket-activate")


@pytest.fixture
def activated(make_daemon: MakeDaemon, short_path: Path, activator: str) -> Callable[..., Daemon]:
    """Makes a daemon behind sockets that are opened for it; it runs from the first connection on."""

    def make(*options: str, names: tuple[str, ...] = ("s",)) -> Daemon:
        places = [word for name in names for word in ("-l", f"{short_path}/{name}")]
        daemon = make_daemon(wrapper=[activator, *options, *places])
        daemon.socket = short_path / names[0]
        return daemon

    return make


def wait_for_socket(daemon: Daemon) -> None:
    """Wait until the tool listens, without being the first connection."""
    daemon.wait_for_log("Listening on")


def pid_of(client: RawClient) -> int:
    return int(client.ask("server.status")["pid"])


def test_a_connection_made_before_the_daemon_is_there_is_answered(activated: Callable[..., Daemon]):
    daemon = activated()
    daemon.launch()
    wait_for_socket(daemon)
    assert "ready" not in daemon.log()
    with daemon.connect() as early:
        assert early.ask("tool.before", runId="r", toolName="t")["action"] == "allow"
        assert pid_of(early) == daemon.process.pid
    assert f"pid={daemon.process.pid} socket={daemon.socket}" in daemon.log()


def test_the_socket_stays_when_the_daemon_goes(activated: Callable[..., Daemon]):
    daemon = activated().start()
    inode = daemon.socket.stat().st_ino
    assert daemon.stop() == 0
    assert daemon.socket.stat().st_ino == inode


def test_a_group_that_is_not_given_the_socket_is_told(activated: Callable[..., Daemon]):
    daemon = activated()
    daemon.configure({"guardd": {"socket": {"group": "0"}}})
    daemon.launch()
    wait_for_socket(daemon)
    with daemon.connect() as client:
        client.ask("server.status")
    assert "guardd.socket.group does not hold for a socket of systemd's" in daemon.log()


def test_every_socket_that_is_passed_is_served(activated: Callable[..., Daemon]):
    daemon = activated("--fdname=guardd:other", names=("one", "two")).start()
    for name in ("one", "two"):
        with RawClient(daemon.socket.with_name(name)) as client:
            assert pid_of(client) == daemon.process.pid


@pytest.mark.parametrize(
    ("option", "kind"), [("--datagram", socket.SOCK_DGRAM), ("--seqpacket", socket.SOCK_SEQPACKET)]
)
def test_a_socket_of_another_type_is_an_error(
    activated: Callable[..., Daemon], option: str, kind: socket.SocketKind
):
    daemon = activated(option, "--fdname=guardd")
    daemon.launch()
    wait_for_socket(daemon)
    with socket.socket(socket.AF_UNIX, kind) as client:
        client.connect(str(daemon.socket))
        client.send(b"hello")
        assert daemon.wait() == 1
    assert (
        "guardd: the descriptor 3 (guardd) that systemd passed is not a listening Unix stream socket: "
        "its unit needs ListenStream= with a path, and Accept=no"
    ) in daemon.log()


def test_a_connection_in_place_of_a_socket_is_an_error(activated: Callable[..., Daemon]):
    daemon = activated("--accept")
    daemon.launch()
    wait_for_socket(daemon)
    with daemon.connect() as client:
        assert client.ends()
    daemon.wait_for_log("that systemd passed is not a listening Unix stream socket")


# What the tool does right by itself


@pytest.fixture
def listening(short_path: Path) -> Iterator[socket.socket]:
    with socket.socket(socket.AF_UNIX) as made:
        made.bind(f"{short_path}/s")
        made.listen()
        yield made


def passing(listening: socket.socket, *, process: str = "", count: str = "1") -> list[str]:
    """A command that hands a socket over with these variables, to this process where none is named."""
    return [sys.executable, "-c", HAND_OVER, process, count, str(listening.fileno())]


def test_fewer_sockets_than_are_said_to_be_passed_are_an_error(
    make_daemon: MakeDaemon, listening: socket.socket
):
    daemon = make_daemon(wrapper=passing(listening, count="2"))
    daemon.launch(pass_fds=[listening.fileno()])
    assert daemon.wait() == 1
    assert (
        "guardd: the descriptor 4 (unnamed) that systemd passed is not a socket: Bad file descriptor"
        in daemon.log()
    )


@pytest.mark.parametrize("process", ["1", "nobody"])
def test_what_is_passed_to_another_process_is_left_alone(
    make_daemon: MakeDaemon, listening: socket.socket, process: str
):
    daemon = make_daemon(wrapper=passing(listening, process=process))
    daemon.start(pass_fds=[listening.fileno()])
    assert daemon.ask("server.status")["socket"] == str(daemon.socket)
    assert daemon.stop() == 0
    assert not daemon.socket.exists()
    assert os.path.exists(listening.getsockname())  # noqa: PTH110


def test_no_socket_at_all_is_no_activation(make_daemon: MakeDaemon, listening: socket.socket):
    daemon = make_daemon(wrapper=passing(listening, count="0"))
    daemon.start(pass_fds=[listening.fileno()])
    assert daemon.ask("server.status")["socket"] == str(daemon.socket)
