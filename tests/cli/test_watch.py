"""`guardctl watch` where there is no terminal, and as JSON; the board itself is in `tests/cli/watch`."""

import json
import sys
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec
import pytest
from support.daemon import Daemon
from support.screens import ALTERNATE, BOARD, LOW, Screen, repeat
from support.statuses import STATUS

from guardd.protocol.operator_results import Event, Run, ServerStatus

SNAPSHOT = """\
guardd 0.1.0 · enforce · up 3 min · 4 connections · 340 runs · 1,204 calls

RUN    AGENT  STATUS   CALLS  LOOPS  LAST ACTIVE
other  main   aborted     12  ABORT  30 s ago

AGO   RUN    SEQ  ACTION  DETECTOR        COUNT  TOOL        AGENT
25 s  other    5  WARN    generic_repeat  10/10  exec\\n\\e[m  main
"""
EMPTY = """\
guardd 0.1.0 · enforce · up 3 min · 4 connections · 340 runs · 1,204 calls

No runs yet.

No events yet: nothing has looped.
"""


@pytest.fixture
def scripted(daemon: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setattr("guardd.cli.times.now", lambda: datetime(2026, 3, 1, 11, 0, 30, tzinfo=UTC))
    daemon.answers |= {
        "server.status": STATUS,
        "run.list": {"runs": []},
        "event.list": {"events": []},
    }
    return daemon


def test_where_stdout_is_no_terminal_it_is_printed_once(
    scripted: Any, guardctl: Any, make_run: Callable[..., Any], make_event: Callable[..., Any]
):
    scripted.answers["run.list"] = {"runs": [make_run("other", status="aborted", verdict="abort")]}
    scripted.answers["event.list"] = {"events": [make_event(5, run="other", toolName="exec\n\x1b[m")]}
    result = guardctl("watch")
    assert (result.exit_code, result.stdout, result.stderr) == (0, SNAPSHOT, "")
    assert scripted.params("run.list") == [{"limit": 20}]
    assert scripted.params("event.list") == [{"limit": 20}]
    assert "2026-03-01T11:00:05.000Z" in guardctl("watch", "--abs-time").stdout
    assert "\x1b[1;31mABORT" in guardctl("watch", "--color", "always").stdout


def test_nothing_to_show_is_said(scripted: Any, guardctl: Any):
    assert guardctl("watch").stdout == EMPTY
    filtered = guardctl("watch", "--agent", "x", "--looping")
    assert "No run is like that." in filtered.stdout
    assert "No events of this agent." in filtered.stdout
    assert scripted.params("run.list")[-1] == {"agentId": "x", "looping": True, "limit": 20}


def test_its_json_is_one_document(
    scripted: Any, guardctl: Any, make_run: Callable[..., Any], make_event: Callable[..., Any]
):
    runs, events = [make_run("r")], [make_event(2), make_event(1)]
    scripted.answers |= {"run.list": {"runs": runs}, "event.list": {"events": events}}
    result = guardctl("watch", "--json")
    assert json.loads(result.stdout) == {"status": STATUS, "runs": runs, "events": events}
    assert result.stderr == ""


def test_without_a_daemon_it_fails(guardctl: Any):
    result = guardctl("watch", "--json")
    assert (result.exit_code, result.stdout) == (3, "")


@pytest.fixture
def real(tmp_path: Path) -> Iterator[Daemon]:
    with Daemon(tmp_path, LOW) as daemon:
        yield daemon.start()


@pytest.mark.parametrize(("arguments", "terminal"), [((), "dumb"), (("--json",), "xterm")])
def test_a_dumb_terminal_and_json_get_it_once(real: Daemon, arguments: tuple[str, ...], terminal: str):
    with real.connect() as client:
        repeat(client, 5)
    environment = {"GUARDD_SOCKET": str(real.socket), "TERM": terminal}
    screen = Screen([sys.executable, "-c", BOARD, "watch", *arguments], environment, 200, 200)
    try:
        assert screen.process.wait(30) == 0
        screen.until(r"generic_repeat")
        assert not screen.has_mode(ALTERNATE)
        assert b"\x1b[?" not in screen.written
        if arguments:
            screen.until(r"^}$")
            assert set(json.loads(screen.written)) == {"status", "runs", "events"}
    finally:
        screen.close()


def test_its_parts_have_the_forms_of_their_commands(real: Daemon, guardctl: Any):
    with real.connect() as client:
        repeat(client, 5)
    document = json.loads(guardctl("watch", "--json", GUARDD_SOCKET=str(real.socket)).stdout)
    assert list(document) == ["status", "runs", "events"]
    assert msgspec.convert(document["status"], ServerStatus).runs == 1
    assert [run.calls for run in msgspec.convert(document["runs"], list[Run])] == [5]
    assert [event.seq for event in msgspec.convert(document["events"], list[Event])] == [5, 4, 3]
