import contextlib
import logging
import os
import re
import signal
import socket
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from support.daemon import PATIENCE_SECONDS, Daemon

from guardd.daemon.service import Notifier

MakeDaemon = Callable[..., Daemon]


@pytest.fixture
def manager(short_path: Path) -> Iterator[socket.socket]:
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as receiving:
        receiving.bind(str(short_path / "notify"))
        receiving.setblocking(False)
        yield receiving


@pytest.fixture
def notifier(manager: socket.socket) -> Iterator[Notifier]:
    made = Notifier(manager.getsockname())
    yield made
    made.close()


def heard(manager: socket.socket) -> str:
    return manager.recv(4096).decode()


def test_each_state_is_told(manager: socket.socket, notifier: Notifier):
    notifier.ready()
    assert heard(manager) == "READY=1"
    notifier.ready("serving")
    assert heard(manager) == "READY=1\nSTATUS=serving"
    notifier.alive()
    assert heard(manager) == "WATCHDOG=1"
    notifier.stopping()
    assert heard(manager) == "STOPPING=1"


def test_a_reload_carries_the_monotonic_time(manager: socket.socket, notifier: Notifier):
    before = time.monotonic_ns() // 1000
    notifier.reloading()
    after = time.monotonic_ns() // 1000
    state, stamp = heard(manager).split("\n")
    assert state == "RELOADING=1"
    assert before <= int(stamp.removeprefix("MONOTONIC_USEC=")) <= after


def test_a_status_cannot_set_anything_else(manager: socket.socket, notifier: Notifier):
    notifier.ready("bad\nWATCHDOG_USEC=0\r\n\ud800")
    assert heard(manager) == "READY=1\nSTATUS=bad WATCHDOG_USEC=0 ?"


def test_an_abstract_address():
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
        manager.bind("")  # the kernel chooses an abstract name
        notifier = Notifier("@" + manager.getsockname()[1:].decode())
        notifier.ready()
        assert heard(manager) == "READY=1"
        notifier.close()


def test_a_closed_notifier_opens_again(manager: socket.socket, notifier: Notifier):
    notifier.ready()
    notifier.close()
    notifier.close()
    notifier.stopping()
    assert [heard(manager), heard(manager)] == ["READY=1", "STOPPING=1"]


@pytest.mark.parametrize("address", [None, "", "relative", "vsock:2:1234"])
def test_without_a_manager_nothing_happens(address: str | None, caplog: pytest.LogCaptureFixture):
    notifier = Notifier(address)
    notifier.ready("serving")
    notifier.alive()
    notifier.close()
    assert not caplog.records


@pytest.mark.parametrize("address", ["/nowhere/notify", "/" + "x" * 200, "@" + "x" * 200])
def test_a_manager_that_is_gone_is_told_of_once(address: str, caplog: pytest.LogCaptureFixture):
    notifier = Notifier(address)
    with caplog.at_level(logging.WARNING):
        notifier.ready()
        notifier.alive()
    assert len(caplog.records) == 1
    notifier.close()


def test_a_manager_that_does_not_read_is_not_waited_for(manager: socket.socket, notifier: Notifier):
    sent = 0
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as other, contextlib.suppress(BlockingIOError):
        other.setblocking(False)
        while True:
            other.sendto(b"something", manager.getsockname())
            sent += 1
    notifier.alive()  # waiting, it would hang here
    assert [heard(manager) for _ in range(sent)] == ["something"] * sent
    notifier.alive()
    assert heard(manager) == "WATCHDOG=1"


def from_environment(environ: dict[str, str]) -> Notifier:
    return Notifier.from_environment(environ)


def test_the_environment_is_read_and_cleared(manager: socket.socket):
    environ = {
        "NOTIFY_SOCKET": manager.getsockname(),
        "WATCHDOG_USEC": "30000000",
        "WATCHDOG_PID": str(os.getpid()),
        "HOME": "/root",
    }
    notifier = from_environment(environ)
    assert environ == {"HOME": "/root"}
    assert notifier.watchdog_interval == 15.0
    notifier.ready()
    assert heard(manager) == "READY=1"
    notifier.close()


@pytest.mark.parametrize(
    ("environ", "interval"),
    [
        ({}, None),
        ({"WATCHDOG_USEC": "1000000"}, 0.5),
        ({"WATCHDOG_USEC": "1000000", "WATCHDOG_PID": "1"}, None),
        ({"WATCHDOG_USEC": "0"}, None),
        ({"WATCHDOG_USEC": "-5"}, None),
        ({"WATCHDOG_USEC": "soon"}, None),
        ({"WATCHDOG_USEC": "1000000", "WATCHDOG_PID": "me"}, None),
    ],
)
def test_the_watchdogs_interval_is_half_of_what_is_allowed(environ: dict[str, str], interval: float | None):
    assert from_environment(environ).watchdog_interval == interval


# What a real daemon tells


@pytest.fixture(params=["a path", "an abstract name"])
def listening(request: pytest.FixtureRequest, short_path: Path) -> Iterator[socket.socket]:
    """A manager's socket that waits for messages."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as made:
        made.bind("" if request.param == "an abstract name" else str(short_path / "notify"))
        made.settimeout(PATIENCE_SECONDS)
        yield made


def address_of(manager: socket.socket) -> str:
    name = manager.getsockname()
    return name if isinstance(name, str) else "@" + name[1:].decode()


def next_but_watchdog(manager: socket.socket) -> str:
    while (message := heard(manager)) == "WATCHDOG=1":
        pass
    return message


def test_a_daemon_tells_its_whole_life(make_daemon: MakeDaemon, listening: socket.socket):
    variables = {"NOTIFY_SOCKET": address_of(listening), "WATCHDOG_USEC": "400000"}
    daemon = make_daemon(environment=variables)
    daemon.launch()
    assert heard(listening) == "READY=1\nSTATUS=answering"
    assert [heard(listening) for _ in range(3)] == ["WATCHDOG=1"] * 3
    wrong = "answering, with the configuration from before: the changed one is wrong"
    for config, status in (({}, "answering"), ("{ this is not a configuration", wrong), ({}, "answering")):
        daemon.configure(config)
        before = time.monotonic_ns() // 1000
        daemon.signal(signal.SIGHUP)
        reloading = re.fullmatch(r"RELOADING=1\nMONOTONIC_USEC=(\d+)", next_but_watchdog(listening))
        assert reloading is not None
        assert before <= int(reloading[1]) <= time.monotonic_ns() // 1000
        assert next_but_watchdog(listening) == f"READY=1\nSTATUS={status}"
    assert daemon.stop() == 0
    assert next_but_watchdog(listening) == "STOPPING=1"
    listening.setblocking(False)
    with pytest.raises(BlockingIOError):
        heard(listening)


def test_a_daemon_that_does_not_start_is_not_ready(make_daemon: MakeDaemon, listening: socket.socket):
    daemon = make_daemon(
        "{ this is not a configuration", environment={"NOTIFY_SOCKET": address_of(listening)}
    )
    daemon.launch()
    assert daemon.wait() == 1
    listening.setblocking(False)
    with pytest.raises(BlockingIOError):
        heard(listening)


def test_the_watchdog_of_another_process_is_not_fed(make_daemon: MakeDaemon, listening: socket.socket):
    variables = {"NOTIFY_SOCKET": address_of(listening), "WATCHDOG_USEC": "2000", "WATCHDOG_PID": "1"}
    daemon = make_daemon(environment=variables).start()
    daemon.ask("tool.before", runId="r", toolName="t")
    assert daemon.stop() == 0
    assert [heard(listening), heard(listening)] == ["READY=1\nSTATUS=answering", "STOPPING=1"]


# The daemon as it is, but for a writer that hangs while a file exists: in its commit, as on a disk that does not
# answer, which takes the event loop with it; or in that its turn does not come, which leaves the loop running.
HANGING = """
import os, sys, time
from guardd.cli.guardd import main
from guardd.daemon.writer import Writer
from guardd.store.store import Store

how, held = sys.argv[1:3]
commit, run = Store.commit, Writer._run

def commit_that_hangs(store):
    while os.path.exists(held):
        time.sleep(0.005)
    commit(store)

def run_that_hangs(writer):
    if os.path.exists(held):
        writer._loop.call_later(0.005, run_that_hangs, writer)
    else:
        run(writer)

if how == "commit":
    Store.commit = commit_that_hangs
else:
    Writer._run = run_that_hangs
sys.argv = sys.argv[3:]
main()
"""
SILENCE_SECONDS = 0.5
"""Ten times as long as the watchdog is fed at the latest, in the tests below."""


def falls_silent(manager: socket.socket) -> bool:
    """Whether at last no more messages come; it is false when they never end."""
    manager.settimeout(SILENCE_SECONDS)
    try:
        for _ in range(200):
            assert heard(manager) == "WATCHDOG=1"
    except TimeoutError:
        return True
    finally:
        manager.settimeout(PATIENCE_SECONDS)
    return False


@pytest.mark.parametrize("how", ["commit", "turn"])
@pytest.mark.parametrize("listening", ["a path"], indirect=True)
def test_a_hung_writer_misses_its_watchdog(
    make_daemon: MakeDaemon, listening: socket.socket, tmp_path: Path, how: str
):
    held = tmp_path / "held"
    variables = {"NOTIFY_SOCKET": address_of(listening), "WATCHDOG_USEC": "100000"}
    daemon = make_daemon(
        environment=variables, wrapper=[sys.executable, "-c", HANGING, how, str(held)]
    ).start()
    assert [heard(listening) for _ in range(3)] == ["READY=1\nSTATUS=answering", *["WATCHDOG=1"] * 2]
    held.touch()
    with daemon.connect() as client:
        request = client.request("tool.before", runId="r", toolName="t")
        client.send_line(request)
        assert falls_silent(listening)
        with daemon.connect() as other:  # to a client it looks alive
            if how == "turn":  # and the loop is
                other.send_line(b"no JSON\n")
                assert other.read_line()["error"]["code"] == -32700
        held.unlink()
        assert client.read_line()["result"]["seq"] == 1
    assert [heard(listening) for _ in range(3)] == ["WATCHDOG=1"] * 3
    assert daemon.stop() == 0
