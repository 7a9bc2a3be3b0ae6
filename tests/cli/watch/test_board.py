"""What the board is put together from: how it begins, and what it begins with."""

from collections.abc import Callable
from pathlib import Path

from support.daemon import Daemon
from support.screens import ALTERNATE, Screen, repeat


def test_without_a_daemon_there_is_no_board(watch: Callable[..., Screen], tmp_path: Path):
    screen = watch(GUARDD_SOCKET=str(tmp_path / "nobody.sock"), COLUMNS="")
    assert screen.process.wait(30) == 3
    screen.until(r"^guardctl: no guardd at ")
    screen.until(r"start it with `guardd serve`$")
    assert not screen.has_mode(ALTERNATE)
    assert b"\x1b[?" not in screen.written


def test_it_begins_with_what_there_is(real: Daemon, watch: Callable[..., Screen]):
    with real.connect() as client:
        repeat(client, 5)
    screen = watch("--agent", "main", rows=10)
    screen.until(r"^guardd .* 1 run · 0 WARN · 0 BLOCK · 0 ABORT")
    screen.until(r"^r +main +active +5 +WARN")
    screen.until(r"^\d\d:\d\d:\d\d +WARN +r +exec +generic_repeat +4/2")
    assert screen.lines[-1].endswith("agent main runs")
