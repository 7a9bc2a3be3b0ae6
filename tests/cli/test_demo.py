"""The demo for real: what it tells, what it leaves behind, and what it does not touch."""

import json
import re
import signal
import socket
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from support.daemon import eventually
from support.processes import processes_of

from guardd.cli.demo.story import THRESHOLDS
from guardd.own_daemon.serving import DATABASE


def run(start: Callable[..., subprocess.Popen[str]], *arguments: str, **environment: str) -> Any:
    process = start("demo", *arguments, **environment)
    out, err = process.communicate(timeout=60)
    return process.returncode, out, err


def test_it_tells_the_story_from_the_first_call_to_the_tables(guardctl_process: Any, place: Path):
    code, out, err = run(guardctl_process, COLUMNS="80")
    assert (code, err) == (0, "")
    lines = out.splitlines()
    assert max(map(len, lines)) <= 80
    assert "\x1b" not in out
    said = re.findall(r"^  call (\d+) .*?\} +(\w+)", out, re.MULTILINE)
    first = [word for _, word in said[:10]]
    assert first == ["allow"] * 3 + ["WARN"] * 2 + ["BLOCK"] * 3 + ["ABORT"] * 2
    assert [word for _, word in said[10:]] == ["allow"] * 5
    killed, started = (
        next(index for index, line in enumerate(lines) if text in line)
        for text in ("kill -9", "started again")
    )
    assert started == killed + 1
    assert lines[killed - 1].startswith("  call 5 ")
    assert "compaction_loop_persisted, 3" in out
    runs, history, compacted = out.split("\n$ guardctl ")[1:]
    assert runs.startswith("runs\nRUN ")
    assert re.search(r"^demo-loop +coder +aborted +10 +ABORT", runs, re.MULTILINE)
    assert "── guardd restarted · " in history
    assert "── compaction (overflow), guard armed for 3 attempts · " in compacted
    assert "guardd serve" in compacted
    assert list(place.iterdir()) == []
    assert processes_of(place) == []


def test_its_json_is_one_document_of_the_steps_and_of_what_was_stored(guardctl_process: Any, place: Path):
    code, out, err = run(guardctl_process, "--json")
    assert (code, err) == (0, "")
    told = json.loads(out)
    assert list(told) == ["thresholds", "steps", "runs", "histories", "database"]
    kinds = [step["step"] for step in told["steps"]]
    assert kinds[:5] == ["start", "act", "call", "outcome", "call"]
    assert kinds.index("kill") + 1 == kinds.index("start", 1)
    calls = [step for step in told["steps"] if step["step"] == "call" and step["run"] == "demo-loop"]
    assert [step["seq"] for step in calls] == list(range(1, 11))
    stored = next(one for one in told["histories"] if one["run"] == "demo-loop")
    assert [call["action"] for call in stored["calls"]] == [step["action"] for step in calls]
    assert [marker["kind"] for marker in stored["markers"]] == ["daemon_restart"]
    assert {run["run"]: run["verdict"] for run in told["runs"]} == {
        "demo-loop": "abort",
        "demo-compaction": "abort",
    }
    assert told["database"] is None
    assert list(place.iterdir()) == []


def test_what_is_kept_can_be_looked_into(guardctl_process: Any, guardctl: Any, place: Path):
    code, out, _ = run(guardctl_process, "--keep")
    assert code == 0
    [folder] = place.iterdir()
    assert folder.stat().st_mode & 0o777 == 0o700
    assert f"guardctl runs --db {folder / DATABASE}" in out
    assert processes_of(place) == []
    looked = guardctl("runs", "--json", "--db", str(folder / DATABASE))
    assert [run["calls"] for run in json.loads(looked.stdout)] == [5, 10]


def test_nothing_of_the_users_own_guardd_is_touched(
    guardctl_process: Any, daemon: Any, place: Path, tmp_path: Path
):
    home, runtime, state, config = (tmp_path / name for name in ("home", "runtime", "state", "config"))
    for directory in (home, runtime, state, config):
        directory.mkdir(mode=0o500)
    bad = tmp_path / "bad.json5"
    bad.write_text("{ nothing of this", encoding="utf-8")
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
        manager.bind(str(tmp_path / "notify"))
        manager.setblocking(False)
        code, out, err = run(
            guardctl_process,
            "--socket",
            str(daemon.path),
            HOME=str(home),
            GUARDD_SOCKET=str(daemon.path),
            GUARDD_CONFIG=str(bad),
            XDG_RUNTIME_DIR=str(runtime),
            XDG_STATE_HOME=str(state),
            XDG_CONFIG_HOME=str(config),
            RUNTIME_DIRECTORY=str(runtime),
            STATE_DIRECTORY=str(state),
            NOTIFY_SOCKET=str(tmp_path / "notify"),
            LISTEN_FDS="1",
            WATCHDOG_USEC="1000",
        )
        with pytest.raises(BlockingIOError):
            manager.recv(1)
    assert (code, err) == (0, "")
    assert "demo-loop" in out
    assert daemon.connections == []
    assert [list(directory.iterdir()) for directory in (home, runtime, state, config)] == [[]] * 4
    assert list(place.iterdir()) == []


def test_where_a_sockets_path_would_be_too_long_it_goes_to_a_shorter_place(
    guardctl_process: Any, tmp_path: Path
):
    long = tmp_path / ("long" * 30)
    long.mkdir()
    code, out, err = run(guardctl_process, TMPDIR=str(long))
    assert (code, err) == (0, "")
    folder = re.search(r"/\S*/guardd-demo-\w+", out)
    assert folder
    assert not folder[0].startswith(str(long))
    assert not Path(folder[0]).exists()
    assert list(long.iterdir()) == []


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
@pytest.mark.parametrize("when", ["call 1", "kill -9"])
def test_a_signal_ends_it_and_nothing_stays(
    guardctl_process: Any, place: Path, number: signal.Signals, when: str
):
    process = guardctl_process("demo")
    while when not in process.stdout.readline():
        pass
    [folder] = place.iterdir()
    assert folder.name.startswith("guardd-demo-")
    process.send_signal(number)
    out, err = process.communicate(timeout=60)
    assert err == ""
    assert "guardd serve" not in out
    assert process.returncode == 128 + number
    eventually(lambda: processes_of(place) == [])  # one that was just being started ends by itself
    assert list(place.iterdir()) == []


def test_a_reader_that_leaves_early_ends_it(guardctl_process: Any, place: Path):
    process = guardctl_process("demo")
    process.stdout.readline()
    process.stdout.close()
    assert process.stderr.read() == ""
    assert process.wait(60) == 0
    assert list(place.iterdir()) == []


def test_an_answer_that_is_not_in_the_story_fails_it(
    guardctl: Any, place: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setitem(THRESHOLDS, "warningThreshold", 4)
    for form in ((), ("--json",)):
        result = guardctl("demo", *form)
        assert result.exit_code == 1
        assert result.stderr.splitlines()[0] == (
            "guardctl: the demo went wrong: the answer to call 4 should be warn generic_repeat 3, and was allow"
        )
        assert list(place.iterdir()) == []
    assert result.stdout == ""


def test_a_daemon_that_does_not_start_says_why(guardctl: Any, place: Path):
    place.chmod(0o777)
    result = guardctl("demo")
    assert result.exit_code == 1
    assert "guardctl: the demo's daemon does not start; it says:\n  guardd: " in result.stderr
    assert str(place) in result.stderr
    assert list(place.iterdir()) == []


def test_colours_are_for_terminals_and_for_those_who_ask(guardctl: Any, place: Path):
    del place
    out = guardctl("demo", "--color", "always").stdout
    assert "\x1b[33mWARN\x1b[0m" in out
    assert "\x1b[1;31mABORT" in out.split("$ guardctl runs")[1]
    assert guardctl("history", "-h").exit_code == 0  # the commands that it ran are as they were
