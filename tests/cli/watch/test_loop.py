"""The board at work, on a terminal that an emulator reads."""

import re
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from support.daemon import Daemon, eventually
from support.screens import ALTERNATE, CURSOR, SHELL, Screen, repeat, verdicts

from guardd.cli.watch.terminal import ENTER

Watch = Callable[..., Screen]
EMPTY = r"^No runs yet\.$"


def test_it_opens_a_screen_of_its_own_and_shows_what_is_there_and_what_comes(real: Daemon, watch: Watch):
    with real.connect() as client:
        repeat(client, 4, run="before")
        screen = watch()
        screen.until("^before .* WARN")
        assert screen.has_mode(ALTERNATE)
        assert not screen.has_mode(CURSOR)
        screen.until(r"^0 WARN · 0 BLOCK · 0 ABORT")
        repeat(client, 3, run="after")
        screen.until(r"^1 WARN")
        screen.until(r"^after .* 3 .* WARN")
    assert re.match(r"guardd \S+ · enforce · up ", screen.lines[0])
    assert screen.lines[-1] == "q quit   p pause"


def quit_by_key(screen: Screen) -> None:
    screen.press("q")


def interrupt_by_key(screen: Screen) -> None:
    screen.press("\x03")


def sending(number: int) -> Callable[[Screen], None]:
    return lambda screen: screen.process.send_signal(number)


@pytest.mark.parametrize(
    ("leave", "status"),
    [
        (quit_by_key, 0),
        (interrupt_by_key, 130),
        (sending(signal.SIGINT), 130),
        (sending(signal.SIGTERM), -signal.SIGTERM),
        (sending(signal.SIGHUP), -signal.SIGHUP),
    ],
    ids=["q", "ctrl-c", "int", "term", "hup"],
)
def test_however_it_is_left_the_terminal_is_as_it_was(
    watch: Watch, leave: Callable[[Screen], None], status: int
):
    screen = watch()
    screen.until(EMPTY)
    assert not screen.is_as_it_was()
    leave(screen)
    assert screen.process.wait(30) == status
    eventually(screen.is_as_it_was)


def test_an_error_leaves_the_terminal_as_it_was_and_says_what_it_is(
    daemon: Any, make_run: Callable[..., Any], tmp_path: Path, watch: Watch
):
    daemon.answers |= {"event.watch": {}, "event.list": {"events": []}, "run.list": {"runs": []}}
    daemon.answers["server.status"] = {
        "version": "0.1.0",
        "mode": "enforce",
        "uptimeSeconds": 1,
        "connections": 1,
        "runs": 0,
        "calls": 0,
    }
    screen = watch(GUARDD_SOCKET=str(tmp_path / "guardd.sock"))
    screen.until(EMPTY)
    daemon.answers["run.list"] = {"runs": [make_run("r", lastActivityAt="never")]}
    assert screen.process.wait(30) == 1
    screen.until("guardctl: internal error: ValueError")
    assert screen.is_as_it_was()


def test_it_fits_a_terminal_that_changes(real: Daemon, watch: Watch):
    with real.connect() as client:
        for number in range(12):
            repeat(client, 4, run=f"run-{number}", tool="mcp__🔧_\x1b[31m\nfix")
    screen = watch(columns=40, rows=10)
    screen.until(r"^run-11 ")
    assert screen.lines[-1] == "q quit   p pause           3 of 12 runs"
    assert max(map(len, screen.lines)) <= 39
    screen.resize(120, 35)
    screen.until(r"^── runs ")
    screen.until(r"^run-0 ")
    found = screen.until(r"^TIME .* MESSAGE$")
    assert found
    assert r"mcp__🔧" in screen.text
    assert r"_\e[31m\nfix" in screen.text.replace("🔧 ", "🔧")
    screen.resize(40, 12)
    screen.until(r"3 of 12 runs$")
    assert screen.lines[-1].startswith("q quit")


def test_after_a_flood_its_counts_are_the_daemons(real: Daemon, watch: Watch):
    screen = watch()
    screen.until(EMPTY)
    with real.connect() as client:
        repeat(client, 3000)
    counted = verdicts(real)
    assert counted["warn"] > 2900
    screen.until(rf"^{counted['warn']:,} WARN · 0 BLOCK · 0 ABORT")
    screen.until(r"^r .* 3000 ")
    assert b"\x1b[2J" not in screen.written.split(b"\x1b[2J", 1)[1]


def test_nothing_is_lost_or_counted_twice_while_the_daemon_is_away(real: Daemon, watch: Watch):
    screen = watch()
    screen.until(EMPTY)
    with real.connect() as client:
        repeat(client, 500)
    before = verdicts(real)["warn"]
    screen.until(rf"^{before} WARN")
    screen.until(r"^r .* 500 ")
    real.kill()
    screen.until(r"^guardd · went away; trying to reach it again · for \d+ s")
    screen.until(rf"^{before} WARN")
    screen.until(r"^r .* 500 ")
    real.start()
    with real.connect() as client:
        repeat(client, 500)
    after = verdicts(real)["warn"]
    screen.until(rf"^{before + after:,} WARN")
    screen.until(r"^guardd \S+ · enforce · .* 1,000 calls")


def test_a_daemon_that_is_killed_in_the_middle_of_a_flood_is_caught_up_with(real: Daemon, watch: Watch):
    screen = watch()
    screen.until(EMPTY)
    with real.connect() as client:
        repeat(client, 300)
        client.send_line(*(client.request("tool.before", runId="r", toolName="exec") for _ in range(200)))
        client.read_line()
    real.restart()
    events: list[Any] = []
    cursor: dict[str, Any] = {}
    while cursor is not None:
        page = real.ask("event.list", limit=1000, **cursor)
        events += page["events"]
        cursor = {"cursor": page["nextCursor"]} if "nextCursor" in page else None
    screen.until(rf"^{len(events)} WARN")


def test_a_daemon_that_hangs_is_told_of(real: Daemon, watch: Watch):
    screen = watch()
    screen.until(EMPTY)
    real.signal(signal.SIGSTOP)
    screen.until(r"^guardd · does not answer · for \d+ s")
    real.signal(signal.SIGCONT)
    screen.until(r"^guardd \S+ · enforce")


def test_what_is_held_still_stays_and_is_counted(real: Daemon, watch: Watch):
    screen = watch()
    screen.until(EMPTY)
    screen.press("p")
    screen.until("^PAUSED")
    with real.connect() as client:
        repeat(client, 10)
    counted = verdicts(real)["warn"]
    screen.until(rf"^{counted} WARN")
    assert re.search(EMPTY, screen.text, re.MULTILINE)
    screen.press("p")
    screen.until("^r .* 10 ")
    assert screen.lines[-1] == "q quit   p pause"


def test_only_what_was_asked_for_is_shown(real: Daemon, watch: Watch):
    with real.connect() as client:
        repeat(client, 4, run="mine")
        repeat(client, 4, run="theirs", agentId="other")
        repeat(client, 1, run="calm")
        screen = watch("--agent", "main", "--looping", "--abs-time")
        screen.until(r"^── runs · agent main, looping ─")
        repeat(client, 7, run="theirs", agentId="other")
        repeat(client, 2, run="mine")
    screen.until(r"^2 WARN")
    screen.until(r"^mine .*\d{4}-\d\d-\d\dT\S+Z$")
    assert "theirs" not in screen.text
    assert "calm" not in screen.text


def test_it_can_be_stopped_and_continued_as_the_shell_does(real: Daemon, screens: list[Screen]):
    environment = {"GUARDD_SOCKET": str(real.socket), "PS1": "READY ", "ENV": ""}
    screens.append(Screen([sys.executable, "-c", SHELL], environment, 80, 24))
    (screen,) = screens
    screen.until("READY")
    screen.press(f"{sys.executable} -c 'from guardd.cli.guardctl import main; main()' watch\n")
    screen.until(EMPTY)
    screen.press("\x1a")
    eventually(lambda: screen.has_mode(CURSOR) and not screen.has_mode(ALTERNATE))
    screen.until("Stopped")
    screen.press("fg\n")
    eventually(lambda: screen.has_mode(ALTERNATE) and not screen.has_mode(CURSOR))
    with real.connect() as client:
        repeat(client, 10)
    screen.until(rf"^{verdicts(real)['warn']} WARN")
    screen.press("q")
    eventually(lambda: screen.has_mode(CURSOR) and not screen.has_mode(ALTERNATE))
    screen.press("exit\n")
    screen.process.wait(30)


def test_one_that_was_stopped_unawares_draws_all_of_it_again(watch: Watch):
    screen = watch()
    screen.until(EMPTY)
    screen.process.send_signal(signal.SIGSTOP)
    screen.process.send_signal(signal.SIGCONT)
    eventually(lambda: screen.written.count(ENTER.encode()) == 2)
    screen.until(EMPTY)


def test_without_colours_there_are_none(real: Daemon, watch: Watch):
    screen = watch("--color", "never")
    with real.connect() as client:
        repeat(client, 10)
    screen.until("^r .* WARN")
    assert re.findall(rb"\x1b\[[0-9;]*m", screen.written) == []
    screen.press("q")
    screen.process.wait(30)
    assert set(re.findall(rb"\x1b\[[0-9;]*m", screen.written)) == {b"\x1b[0m"}
