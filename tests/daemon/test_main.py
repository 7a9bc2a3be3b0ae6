"""The life of a real daemon: start, reload, stop, and the ways in which it does not start."""

import contextlib
import os
import signal
import socket
import sqlite3
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from support.daemon import Daemon, RawClient, eventually

from guardd.protocol.errors import InvalidParams

MakeDaemon = Callable[..., Daemon]
NOBODY = 65534


# Stopping


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_stop_answers_what_was_asked_and_leaves_one_file(daemon: Daemon, number: int):
    with daemon.connect() as client:
        requests = [client.request("tool.before", runId="r", toolName="t", args=[n]) for n in range(500)]
        client.send_line(*requests, client.request("run.list"))
        replies = [client.read_line()]
        daemon.signal(number)
        replies += client.read_all()
    assert daemon.wait() == 0
    errors = [reply["error"]["code"] for reply in replies if "error" in reply]
    assert set(errors) <= {-32005}
    seqs = [reply["result"]["seq"] for reply in replies if "seq" in reply.get("result", {})]
    assert seqs == list(range(1, len(seqs) + 1))
    assert not daemon.socket.exists()
    assert not list(daemon.directory.glob("guardd.db-*"))
    with closing(sqlite3.connect(daemon.database)) as connection:
        assert connection.execute("select count(*) from calls").fetchone() == (len(seqs),)
    assert daemon.log().rstrip().endswith("INFO guardd: stopped")


def test_a_stop_does_not_wait_for_ever_for_a_peer_that_takes_nothing(daemon: Daemon):
    with daemon.connect(timeout=0.2) as client:
        line = b'{"jsonrpc":"2.0","id":1,"method":"rpc.discover"}\n'
        with pytest.raises(TimeoutError):
            client.send(line * 20_000)
        assert daemon.stop() == 0


def test_what_a_killed_daemon_left_behind_is_taken_up(daemon: Daemon):
    daemon.ask("tool.before", runId="r", toolName="t")
    daemon.kill()
    assert daemon.socket.is_socket()
    daemon.start()
    assert daemon.ask("tool.before", runId="r", toolName="t")["seq"] == 2
    markers = daemon.ask("run.history", run="r")["markers"]
    assert [(marker["kind"], marker["afterSeq"]) for marker in markers] == [("daemon_restart", 1)]


# Starting


def test_it_says_when_it_is_ready(daemon: Daemon):
    (line,) = [line for line in daemon.log().splitlines() if " ready " in line]
    for value in (f"socket={daemon.socket}", f"database={daemon.database}", f"config={daemon.config_file}"):
        assert value in line
    assert f"pid={daemon.process.pid}" in line


def test_its_files_are_its_own(make_daemon: MakeDaemon):
    daemon = make_daemon(is_first_start=True).start()
    assert "brought to this version's schema before=null" in daemon.log()
    modes = {path.name: path.stat().st_mode & 0o777 for path in daemon.directory.glob("guardd.db*")}
    assert set(modes.values()) == {0o600}, modes
    assert daemon.socket.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize(
    ("config", "said"),
    [
        (None, "only the post-compaction guard"),
        ({"tools": {"loopDetection": {"enabled": False}}}, "enabled is false"),
        ({"guardd": {"mode": "observe"}}, "every call is allowed"),
        (
            {"tools": {"loopDetection": {"enabled": True, "criticalThreshold": 40, "historySize": 20}}},
            "can never be reached",
        ),
    ],
)
def test_it_says_what_is_switched_off_or_cannot_work(make_daemon: MakeDaemon, config: Any, said: str):
    daemon = make_daemon(config).start()
    assert said in daemon.log()


def refused(daemon: Daemon) -> str:
    """What a daemon says that does not start: lines for a person, and exit status 1."""
    before = len(daemon.log())
    daemon.launch()
    assert daemon.wait() == 1
    said = daemon.log()[before:]
    assert "Traceback" not in said
    (line,) = [line for line in said.splitlines() if line.startswith("guardd: ")]
    return line


def test_a_database_has_one_daemon(daemon: Daemon, make_daemon: MakeDaemon):
    second = make_daemon(directory=daemon.directory)
    said = refused(second)
    assert f"another guardd (process {daemon.process.pid}) has the database {daemon.database} open" in said
    assert daemon.ask("server.status")["pid"] == daemon.process.pid


def test_a_socket_has_one_daemon(daemon: Daemon, make_daemon: MakeDaemon):
    second = make_daemon()
    second.socket = daemon.socket
    said = refused(second)
    assert f"another guardd is running at {daemon.socket} (process {daemon.process.pid})" in said
    assert daemon.ask("server.status")["pid"] == daemon.process.pid


@pytest.mark.parametrize(
    ("config", "said"),
    [
        ("{ tools: ", "guardd.json5"),
        ({"tools": {"loopDetection": {"warningThreshold": 0}}}, "tools.loopDetection.warningThreshold"),
        ({"guardd": {"modes": "observe"}}, "guardd.mode"),
        (
            {"guardd": {"socket": {"gateways": ["no-such-user"]}}},
            "guardd.json5: guardd.socket.gateways: there is no",
        ),
        (
            {"guardd": {"socket": {"group": "no-such-group"}}},
            "guardd.json5: guardd.socket.group: there is no",
        ),
    ],
)
def test_it_does_not_start_on_a_bad_configuration(make_daemon: MakeDaemon, config: Any, said: str):
    daemon = make_daemon(config)
    assert said in refused(daemon)
    assert not daemon.socket.exists()


def test_it_says_all_that_is_wrong_with_a_configuration(make_daemon: MakeDaemon):
    daemon = make_daemon({"guardd": {"modes": "observe", "limits": {"frameMB": 0}}})
    assert f"guardd: {daemon.config_file}: guardd.modes: unknown key" in refused(daemon)
    assert f"\n  {daemon.config_file}: guardd.limits.frameMB: expected a whole number" in daemon.log()


def test_it_does_not_start_without_the_configuration_that_was_named(make_daemon: MakeDaemon):
    daemon = make_daemon()
    daemon.config_file.unlink()
    assert str(daemon.config_file) in refused(daemon)


def test_it_does_not_start_on_a_database_from_the_future(daemon: Daemon):
    daemon.stop()
    with closing(sqlite3.connect(daemon.database)) as connection:
        connection.execute("update alembic_version set version_num = '9999'")
        connection.commit()
    before = daemon.database.read_bytes()
    assert "written by a newer guardd (schema 9999" in refused(daemon)
    assert daemon.database.read_bytes() == before


def test_it_does_not_start_on_what_is_no_database_of_its_own(make_daemon: MakeDaemon):
    daemon = make_daemon(is_first_start=True)
    daemon.database.write_bytes(b"not a database, but long enough to look like one " * 100)
    assert f"{daemon.database}: SQLite cannot read it" in refused(daemon)
    daemon.database.unlink()
    with closing(sqlite3.connect(daemon.database)) as connection:
        connection.execute("create table theirs (x)")
        connection.commit()
    assert "this is a database of another program" in refused(make_daemon(directory=daemon.directory))


def test_it_does_not_start_where_the_sockets_path_is_too_long(make_daemon: MakeDaemon):
    daemon = make_daemon()
    daemon.socket = daemon.directory / ("x" * 120)
    assert "and the kernel takes 107" in refused(daemon)


def test_it_does_not_remove_a_file_that_is_no_socket(make_daemon: MakeDaemon):
    daemon = make_daemon()
    daemon.socket.write_text("precious", encoding="utf-8")
    assert "exists and is not a socket" in refused(daemon)
    assert daemon.socket.read_text(encoding="utf-8") == "precious"


@pytest.mark.parametrize("place", ["database", "socket"])
def test_it_does_not_start_where_it_may_not_write(make_daemon: MakeDaemon, place: str, as_nobody: list[str]):
    with tempfile.TemporaryDirectory(prefix="guardd-") as name:
        directory = Path(name)
        daemon = make_daemon(directory=directory, wrapper=as_nobody)
        os.chown(directory, NOBODY, NOBODY)
        os.chown(daemon.socket.parent, NOBODY, NOBODY)
        locked = {"database": directory, "socket": daemon.socket.parent}[place]
        locked.chmod(0o555)
        said = refused(daemon)
        assert str(locked) in said
        assert "permission denied" in said or "may not write" in said


# Reloading


def reload(daemon: Daemon) -> None:
    """Have the configuration read again, and wait until it was."""
    done = ("configuration loaded", "the configuration was not changed")
    before = sum(map(daemon.log().count, done))
    daemon.signal(signal.SIGHUP)
    eventually(lambda: sum(map(daemon.log().count, done)) == before + 1)


def thresholds(warning: int) -> dict[str, Any]:
    return {"tools": {"loopDetection": {"enabled": True, "warningThreshold": warning}}}


@pytest.mark.parametrize("ask", [reload, lambda daemon: daemon.ask("config.reload")])
def test_a_reload_applies_to_the_next_verdict(make_daemon: MakeDaemon, ask: Callable[[Daemon], Any]):
    daemon = make_daemon(thresholds(5)).start()
    actions = [daemon.ask("tool.before", runId="r", toolName="t")["action"] for _ in range(4)]
    daemon.configure(thresholds(2))
    actions.append(daemon.ask("tool.before", runId="r", toolName="t")["action"])
    assert actions == ["allow"] * 5
    ask(daemon)
    verdict = daemon.ask("tool.before", runId="r", toolName="t")
    assert (verdict["action"], verdict["detection"]["threshold"]) == ("warn", 2)
    assert daemon.ask("config.get")["values"]["tools.loopDetection.warningThreshold"]["value"] == 2


@pytest.mark.parametrize(
    ("bad", "named"),
    [
        ({"tools": {"loopDetection": {"warningThreshold": "5"}}}, "tools.loopDetection.warningThreshold"),
        (
            {"guardd": {"socket": {"readers": ["no-such-user"]}}},
            "guardd.json5: guardd.socket.readers: there is no user",
        ),
        ("{", "guardd.json5"),
    ],
)
def test_a_bad_file_changes_nothing_and_is_logged_and_answered(make_daemon: MakeDaemon, bad: Any, named: str):
    daemon = make_daemon(thresholds(2)).start()
    before = daemon.ask("config.get")
    daemon.configure(bad)
    reload(daemon)
    with pytest.raises(InvalidParams, match="the configuration was not changed: ") as caught:
        daemon.ask("config.reload")
    assert named in caught.value.message
    lines = [line for line in daemon.log().splitlines() if "the configuration was not changed" in line]
    assert len(lines) == 2
    assert all(" ERROR " in line and named in line for line in lines)
    assert "Traceback" not in daemon.log()
    assert daemon.ask("config.get") == before
    assert daemon.ask("tool.before", runId="r", toolName="t")["action"] == "allow"


def test_what_takes_effect_at_the_next_start_only_says_so(make_daemon: MakeDaemon, tmp_path: Path):
    daemon = make_daemon().start()
    changed = {"guardd": {"database": {"durability": "full"}}}
    daemon.configure(changed)
    warning = "guardd.database has changed, which takes effect at the next start"
    assert daemon.ask("config.reload")["warnings"] == [warning]
    changed["guardd"]["socket"] = {"path": str(tmp_path / "s")}
    daemon.configure(changed)
    reload(daemon)
    assert daemon.log().count(warning) == 2
    assert daemon.log().count("guardd.socket.path has changed") == 1
    daemon.configure({})
    assert daemon.ask("config.reload")["warnings"] == []
    assert daemon.ask("server.status")


# A service manager


ACTIVATE = """
import os, sys
os.dup2(int(sys.argv[1]), 3)
os.environ |= {"LISTEN_FDS": "1", "LISTEN_PID": str(os.getpid())}
os.execv(sys.argv[2], sys.argv[2:])
"""


def test_a_socket_that_systemd_passes_is_used_and_left_alone(make_daemon: MakeDaemon):
    with socket.socket(socket.AF_UNIX) as listening:
        daemon = make_daemon()
        daemon.socket = daemon.socket.with_name("activated.sock")
        listening.bind(str(daemon.socket))
        listening.listen()
        daemon.wrapper = [sys.executable, "-c", ACTIVATE, str(listening.fileno())]
        inode = daemon.socket.stat().st_ino
        for _ in range(2):
            # A client may connect before the daemon is there, as it is with systemd.
            with RawClient(daemon.socket) as early:
                daemon.start(pass_fds=[listening.fileno()])
                assert early.ask("tool.before", runId="r", toolName="t")["action"] == "allow"
            assert daemon.stop() == 0
            assert daemon.socket.stat().st_ino == inode
        assert "ready" in daemon.log()


@pytest.fixture
def manager(short_path: Path) -> Iterator[socket.socket]:
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as receiving:
        receiving.bind(str(short_path / "notify"))
        receiving.settimeout(30)
        yield receiving


def heard(manager: socket.socket) -> str:
    return manager.recv(4096).decode().split("\n")[0]


def all_heard(manager: socket.socket) -> list[str]:
    """What comes until nothing comes for as long as the socket waits."""
    messages = []
    with contextlib.suppress(BlockingIOError, TimeoutError):
        while True:
            messages.append(heard(manager))
    return messages


def test_the_service_manager_is_told(make_daemon: MakeDaemon, manager: socket.socket):
    variables = {"NOTIFY_SOCKET": manager.getsockname(), "WATCHDOG_USEC": "100000"}
    daemon = make_daemon(environment=variables).start()
    messages = [heard(manager) for _ in range(4)]
    assert messages == ["READY=1", *["WATCHDOG=1"] * 3]
    daemon.signal(signal.SIGHUP)
    messages = [heard(manager)]
    while messages[-1] != "READY=1":
        messages.append(heard(manager))
    assert [message for message in messages if message != "WATCHDOG=1"] == ["RELOADING=1", "READY=1"]
    assert daemon.stop() == 0
    manager.setblocking(False)
    assert all_heard(manager)[-1] == "STOPPING=1"


def test_a_stopped_process_feeds_no_watchdog_and_one_on_a_locked_database_does(
    make_daemon: MakeDaemon, manager: socket.socket
):
    variables = {"NOTIFY_SOCKET": manager.getsockname(), "WATCHDOG_USEC": "20000"}
    daemon = make_daemon(environment=variables).start()
    with closing(sqlite3.connect(daemon.database, isolation_level=None)) as other:
        other.execute("begin immediate")
        daemon.wait_for_log("the database cannot be written")
        assert [heard(manager) for _ in range(3)][-1] == "WATCHDOG=1"
    daemon.wait_for_log("the database cannot be written")
    daemon.signal(signal.SIGSTOP)
    manager.settimeout(0.2)
    all_heard(manager)
    daemon.signal(signal.SIGCONT)
    manager.settimeout(30)
    assert heard(manager) == "WATCHDOG=1"
