"""`guardctl watch` on a terminal of its own, over a real daemon."""

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from support.daemon import Daemon
from support.screens import BOARD, LOW, Screen


@pytest.fixture
def screens() -> Iterator[list[Screen]]:
    """What was started; killed at the end."""
    started: list[Screen] = []
    yield started
    for screen in started:
        screen.close()


@pytest.fixture
def real(tmp_path: Path) -> Iterator[Daemon]:
    """A daemon that warns of a repeated call from its second time on."""
    with Daemon(tmp_path, LOW) as daemon:
        yield daemon.start()


@pytest.fixture
def watch(real: Daemon, screens: list[Screen]) -> Callable[..., Screen]:
    """Starts a board on the real daemon."""

    def start(*arguments: str, columns: int = 80, rows: int = 24, **environment: str) -> Screen:
        command = [sys.executable, "-c", BOARD, "watch", *arguments]
        environment = {"GUARDD_SOCKET": str(real.socket), **environment}
        screens.append(Screen(command, environment, columns, rows))
        return screens[-1]

    return start
