import contextlib
import logging
import os
import socket
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from guardd.daemon.service import Notifier


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
