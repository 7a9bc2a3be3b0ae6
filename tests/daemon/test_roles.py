"""Who may do what, by the kernel's word: peers of another user, on a real daemon."""

import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from support.daemon import Daemon, RawClient
from support.databases import make_database

from guardd.protocol.methods import METHODS
from guardd.vocabulary import Role

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="only root can become somebody else")

STRANGER = 65534
GROUP = 4321
"""Of the socket; that it has no name does not matter."""
OTHER_GROUP = 4322


@contextlib.contextmanager
def user(number: int, groups: Sequence[int] = (GROUP,)) -> Iterator[None]:
    """Be somebody else for a while."""
    before = os.getgroups()
    os.setgroups(groups)
    os.setegid(number)
    os.seteuid(number)
    try:
        yield
    finally:
        os.seteuid(0)
        os.setegid(0)
        os.setgroups(before)


def connect(daemon: Daemon, groups: Sequence[int] = (GROUP,)) -> RawClient:
    with user(STRANGER, groups):
        return daemon.connect()


def settings(**socket: Any) -> dict[str, Any]:
    loops = {"enabled": True, "warningThreshold": 2}
    return {"tools": {"loopDetection": loops}, "guardd": {"socket": {"group": str(GROUP), **socket}}}


@pytest.fixture
def start(make_daemon: Callable[..., Daemon]) -> Callable[..., Daemon]:
    """Starts a daemon whose socket the group can reach."""

    def started(**socket: Any) -> Daemon:
        daemon = make_daemon(settings(**socket))
        daemon.socket.parent.chmod(0o711)
        daemon.socket = daemon.socket.parent / "run" / "guardd.sock"
        return daemon.start()

    return started


OF_EVERYBODY = {"rpc.discover"}
OF_GATEWAYS = {"tool.before", "tool.after", "compaction.record", "run.start", "run.end"}
OF_READERS = {
    *("run.list", "run.get", "run.history", "run.explain", "event.list", "event.watch"),
    *("config.get", "server.status", "server.metrics"),
}
OF_OPERATORS = {"run.reset", "run.abort", "config.reload", "db.backup", "db.check", "db.prune"}
"""As README.md says. Written out once more, so that no method changes hands unnoticed."""


def denied_methods(client: RawClient) -> set[str]:
    codes = {name: client.call(name).get("error", {}).get("code") for name in METHODS}
    return {name for name, code in codes.items() if code == -32002}


def test_a_stranger_is_refused_at_once(start: Callable[..., Daemon]):
    daemon = start()
    with connect(daemon) as client:
        reply = client.read_line()
        assert reply["id"] is None
        assert (reply["error"]["code"], reply["error"]["data"]) == (-32002, {"kind": "denied"})
        assert "user 65534 may not connect" in reply["error"]["message"]
        assert client.ends()
    daemon.wait_for_log("a connection was refused uid=65534")
    assert daemon.ask("server.status")["connections"] == 1


def test_who_is_not_in_the_sockets_group_does_not_get_so_far(start: Callable[..., Daemon]):
    daemon = start(gateways=[str(STRANGER)])
    with pytest.raises(PermissionError):
        connect(daemon, [OTHER_GROUP])


def test_every_method_is_somebodys():
    assert set(METHODS) == OF_EVERYBODY | OF_GATEWAYS | OF_READERS | OF_OPERATORS


@pytest.mark.parametrize(
    ("socket", "allowed"),
    [
        ({"gateways": [str(STRANGER)]}, OF_GATEWAYS),
        ({"readers": [str(STRANGER)]}, OF_READERS),
        ({"gateways": [str(STRANGER)], "readers": [str(STRANGER)]}, OF_GATEWAYS | OF_READERS),
    ],
)
@pytest.mark.parametrize("method", METHODS)
def test_each_method_by_each_role(roles_daemon: Daemon, socket: Any, allowed: set[str], method: str):
    reload(roles_daemon, **socket)
    with connect(roles_daemon) as client:
        error = client.call(method).get("error", {})
        if method in allowed | OF_EVERYBODY:
            assert error.get("code") != -32002
        else:
            assert error["data"] == {"kind": "denied"}
            assert error["message"] == f"your user may not call {method}"
    with roles_daemon.connect() as root:
        assert root.call(method).get("error", {}).get("code") != -32002


@pytest.fixture(scope="module")
def roles_daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    """A daemon whose socket the group can reach, for all the roles one after the other."""
    directory = tmp_path_factory.mktemp("roles")
    make_database(directory / "guardd.db")
    with Daemon(directory, settings()) as daemon:
        daemon.socket.parent.chmod(0o711)
        daemon.socket = daemon.socket.parent / "run" / "guardd.sock"
        yield daemon.start()


@pytest.mark.parametrize(
    ("socket", "command", "code"),
    [
        ({}, ["runs"], 4),
        ({"readers": [str(STRANGER)]}, ["runs"], 0),
        ({"readers": [str(STRANGER)]}, ["prune"], 4),
        ({"gateways": [str(STRANGER)]}, ["runs"], 4),
        ({"gateways": [str(STRANGER)]}, ["backup", "/tmp/guardd-never-made"], 4),  # noqa: S108
    ],
)
def test_a_program_of_another_user_is_held_to_its_role(
    start: Callable[..., Daemon], as_nobody: list[str], socket: Any, command: list[str], code: int
):
    daemon = start(**socket)
    as_group = [word if word != "--clear-groups" else f"--groups={GROUP}" for word in as_nobody]
    program = str(Path(sys.executable).with_name("guardctl"))
    done = subprocess.run(
        [*as_group, program, "--socket", str(daemon.socket), *command],
        check=False,
        capture_output=True,
        text=True,
        env=os.environ | {"HOME": "/"},
    )
    assert done.returncode == code, done.stderr
    assert not Path("/tmp/guardd-never-made").exists()  # noqa: S108


@pytest.mark.parametrize(
    ("socket", "groups", "roles"),
    [
        ({"gateways": [str(STRANGER)]}, [GROUP], {Role.GATEWAY}),
        ({"readers": [str(STRANGER)]}, [GROUP], {Role.READER}),
        (
            {"readers": ["nobody"], "gateways": [f"@{OTHER_GROUP}"]},
            [GROUP, OTHER_GROUP],
            {Role.READER, Role.GATEWAY},
        ),
    ],
)
def test_each_role_may_call_its_methods_and_no_other(
    start: Callable[..., Daemon], socket: Any, groups: list[int], roles: set[Role]
):
    daemon = start(**socket)
    with connect(daemon, groups) as client:
        assert denied_methods(client) == {
            name for name, method in METHODS.items() if method.roles.isdisjoint(roles)
        }
        client.send_line([client.request("run.reset", run="r"), client.request("rpc.discover")])
        refused, answered = client.read_line()
        assert refused["error"]["message"] == "your user may not call run.reset"
        assert "result" in answered


def test_what_is_denied_changes_nothing(start: Callable[..., Daemon]):
    daemon = start(readers=[str(STRANGER)])
    with connect(daemon) as client:
        notification = {"jsonrpc": "2.0", "method": "tool.before", "params": {"toolName": "t"}}
        client.send_line(notification)
        assert client.ask("run.list") == {"runs": []}


def reload(daemon: Daemon, **socket: Any) -> None:
    before = daemon.log().count("configuration loaded")
    daemon.configure(settings(**socket))
    daemon.signal(signal.SIGHUP)
    daemon.wait_for_log("configuration loaded", before + 1)


def test_a_reload_changes_who_may_do_what_of_those_already_there(start: Callable[..., Daemon]):
    daemon = start(gateways=[str(STRANGER)], readers=[str(STRANGER)])
    everyone = {name for name, method in METHODS.items() if method.roles == {Role.ADMIN}}
    with connect(daemon) as client, daemon.connect() as root:
        assert denied_methods(client) == everyone
        root.ask("tool.before", runId="r", toolName="t")
        client.ask("event.watch")
        reload(daemon, gateways=[str(STRANGER)])
        assert "event.watch" in denied_methods(client)
        for _ in range(3):
            root.ask("tool.before", runId="r", toolName="t")
        assert "result" in client.call("tool.before", runId="x", toolName="t")
        reload(daemon)
        assert client.read_line()["error"]["data"] == {"kind": "denied"}
        assert client.ends()
        assert root.ask("server.status")
    reload(daemon, readers=[str(STRANGER)])
    with connect(daemon) as client:
        assert client.ask("run.get", run="r")["calls"] == 4


def test_the_daemons_own_user_may_do_everything_even_if_not_root(
    make_daemon: Callable[..., Daemon], short_path: Path, as_nobody: list[str]
):
    daemon = make_daemon({}, directory=short_path, wrapper=as_nobody)
    for path in (daemon.socket.parent, daemon.directory):
        os.chown(path, STRANGER, STRANGER)
    daemon.launch()
    daemon.wait_for_log("ready")
    with user(STRANGER, []), daemon.connect() as client:
        assert denied_methods(client) == set()
    with daemon.connect() as root:
        assert denied_methods(root) == set()
