"""`guardd.notify` on a real daemon with real commands: told once, bounded, killed in time, and in nobody's way."""

import asyncio
import json
import logging
import os
import signal
import stat
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from support.daemon import Daemon, RawClient, eventually
from support.guarding import Guarded

from guardd.config import parse
from guardd.daemon import notifying
from guardd.daemon.metrics import Metrics
from guardd.daemon.notifying import MOST_WAITING, Notifying

LOOP = {"enabled": True, "warningThreshold": 3, "criticalThreshold": 5, "globalCircuitBreakerThreshold": 8}
"""Of ten calls in a row, the 4th and 5th are warned of, the 6th to 8th blocked, and the 9th ends the run."""

ACTIONS = ["warn", "warn", "block", "block", "block", "abort"]

MakeDaemon = Callable[..., Daemon]


def configuration(*command: str, **notify: Any) -> dict[str, Any]:
    notify = {"command": list(command), "atOnce": 1, **notify}
    return {"tools": {"loopDetection": LOOP}, "guardd": {"notify": notify}}


def shell(script: str, **notify: Any) -> dict[str, Any]:
    return configuration("/bin/sh", "-c", script, **notify)


def loop(client: RawClient | Daemon, run_id: str = "r", times: int = 9) -> None:
    for _ in range(times):
        client.ask("tool.before", runId=run_id, toolName="read", args={"password": "hunter2"})
        client.ask("tool.after", runId=run_id, toolName="read", args={"password": "hunter2"}, result="same")


def results(daemon: Daemon) -> dict[str, int]:
    """How many notifications ended in each way, without those that none did."""
    counted = {}
    for line in daemon.ask("server.metrics").splitlines():
        if line.startswith("guardd_notifications_total"):
            counted[line.split('"')[1]] = int(line.split()[-1])
    return {name: count for name, count in counted.items() if count}


def told(daemon: Daemon, **expected: int) -> None:
    """Wait until notifications have ended so."""
    eventually(lambda: results(daemon) == expected)


def children(daemon: Daemon) -> list[int]:
    """The processes that the daemon has started and not done away with, zombies too."""
    pid = daemon.process.pid
    return [
        int(child)
        for task in Path(f"/proc/{pid}/task").iterdir()
        for child in (task / "children").read_text().split()
    ]


def is_gone(pid: int) -> bool:
    """Whether a process has ended, reaped or not: in a container nobody may reap an orphan."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return True
    return state == "Z"


def pids(file: Path, count: int) -> list[int]:
    """Numbers of processes that a command has written."""
    eventually(lambda: file.exists() and len(file.read_text().split()) >= count)
    return [int(word) for word in file.read_text().split()]


# What is told


def test_the_command_gets_each_event_as_it_is_listed(make_daemon: MakeDaemon, tmp_path: Path):
    daemon = make_daemon(shell(f"cat >> {tmp_path}/told; echo end >> {tmp_path}/told")).start()
    loop(daemon)
    told(daemon, ok=4)
    lines = (tmp_path / "told").read_text().splitlines()
    assert lines[1::2] == ["end"] * 4
    listed = [event for event in daemon.ask("event.list")["events"][::-1] if event["action"] != "warn"]
    assert [json.loads(line) for line in lines[::2]] == listed
    assert [list(json.loads(line)) for line in lines[::2]] == [list(event) for event in listed]
    assert children(daemon) == []


@pytest.mark.parametrize("chosen", [["warn"], ["abort"], ["block", "warn"], ["warn", "block", "abort"]])
def test_only_what_is_chosen(make_daemon: MakeDaemon, tmp_path: Path, chosen: list[str]):
    daemon = make_daemon(shell(f"cat >> {tmp_path}/told", on=chosen)).start()
    loop(daemon)
    expected = [action for action in ACTIONS if action in chosen]
    told(daemon, ok=len(expected))
    lines = (tmp_path / "told").read_text().splitlines()
    assert [json.loads(line)["action"] for line in lines] == expected


def test_what_is_only_observed_counts_as_what_it_would_have_been(make_daemon: MakeDaemon, tmp_path: Path):
    config = shell(f"cat >> {tmp_path}/told", on=["abort"])
    config["guardd"]["mode"] = "observe"
    daemon = make_daemon(config).start()
    loop(daemon, times=10)
    eventually((tmp_path / "told").exists)
    eventually(lambda: results(daemon).get("ok"))
    event = json.loads((tmp_path / "told").read_text().splitlines()[0])
    assert (event["action"], event["wouldBe"]) == ("allow", "abort")


def test_an_operators_abort_is_told(make_daemon: MakeDaemon, tmp_path: Path):
    daemon = make_daemon(shell(f"cat >> {tmp_path}/told")).start()
    daemon.ask("run.start", runId="r")
    daemon.ask("run.abort", run="r", reason="enough")
    told(daemon, ok=1)
    assert json.loads((tmp_path / "told").read_text())["detector"] == "operator"


def test_nobody_is_told_without_a_command(daemon: Daemon):
    loop(daemon)
    assert results(daemon) == {}


# What the command runs as


REPORT = """
import json, os, sys
found = {number: os.readlink(f"/proc/self/fd/{number}") for number in (0, 1, 2)}
others = [n for n in os.listdir("/proc/self/fd") if int(n) > 2 and os.path.exists(f"/proc/self/fd/{n}")]
about = {"files": found, "others": others, "env": dict(os.environ), "cwd": os.getcwd(), "stdin": sys.stdin.read(),
         "leads": os.getpid() == os.getsid(0) == os.getpgid(0), "arguments": sys.argv[1:]}
open(sys.argv[1] + ".new", "w").write(json.dumps(about))
os.rename(sys.argv[1] + ".new", sys.argv[1])
"""


def test_it_inherits_nothing_but_the_user_and_the_environment(make_daemon: MakeDaemon, tmp_path: Path):
    to_the_daemon = {"NOTIFY_SOCKET": f"{tmp_path}/none", "WATCHDOG_USEC": "30000000", "WATCHDOG_PID": "1"}
    to_the_daemon |= {"LISTEN_PID": "1", "LISTEN_FDS": "1", "LISTEN_FDNAMES": "x", "JOURNAL_STREAM": "1:2"}
    report = tmp_path / "report"
    words = ["$HOME; echo *", "ä", ""]
    config = configuration(sys.executable, "-c", REPORT, str(report), *words, on=["abort"])
    daemon = make_daemon(config, environment={**to_the_daemon, "KEPT": "yes"}).start()
    loop(daemon)
    eventually(report.exists)
    found = json.loads(report.read_text())
    assert found["files"]["0"].startswith("/memfd:")
    assert (found["files"]["1"], found["files"]["2"]) == ("/dev/null", "/dev/null")
    assert found["others"] == []
    assert found["env"].keys() & to_the_daemon.keys() == set()
    assert found["env"]["KEPT"] == "yes"
    assert (found["cwd"], found["leads"]) == ("/", True)
    assert found["arguments"] == [str(report), *words]
    assert found["stdin"].endswith("}\n")


def test_a_name_is_looked_up_in_the_path(make_daemon: MakeDaemon, tmp_path: Path):
    program = tmp_path / "tell-me"
    program.write_text(f"#!/bin/sh\ncat > {tmp_path}/told\n")
    program.chmod(0o700)
    path = f"{tmp_path}:{os.environ['PATH']}"
    daemon = make_daemon(configuration("tell-me", on=["abort"]), environment={"PATH": path}).start()
    loop(daemon)
    told(daemon, ok=1)
    assert json.loads((tmp_path / "told").read_text())["action"] == "abort"


# What goes wrong with it


def logged(daemon: Daemon) -> list[str]:
    """The lines of the log about notifications."""
    return [line for line in daemon.log().splitlines() if "guardd.notify" in line]


@pytest.mark.parametrize(
    ("kind", "reason"),
    [
        ("missing", "No such file or directory"),
        ("not executable", "Permission denied"),
        ("a directory", "Permission denied"),
        ("no program", "Exec format error"),
    ],
)
def test_a_command_that_cannot_be_started(make_daemon: MakeDaemon, tmp_path: Path, kind: str, reason: str):
    program = tmp_path / "program"
    if kind == "a directory":
        program.mkdir()
    elif kind != "missing":
        program.write_text("neither a script nor a binary")
        program.chmod(stat.S_IRUSR | (stat.S_IXUSR if kind == "no program" else 0))
    daemon = make_daemon(configuration(str(program), "a secret argument")).start()
    loop(daemon)
    told(daemon, failed=4)
    (line,) = logged(daemon)
    assert "guardd.notify.command must begin with a program that the daemon's user may run" in line
    assert f'program={program} reason="{reason}"' in line
    assert "secret" not in daemon.log()
    assert "hunter2" not in daemon.log()


@pytest.mark.parametrize(
    ("script", "ending"), [("exit 3", "exit=3"), ("kill -9 $$", "signal=9"), ("cat nothing", "exit=1")]
)
def test_a_command_that_fails(make_daemon: MakeDaemon, script: str, ending: str):
    daemon = make_daemon(shell(script)).start()
    loop(daemon)
    told(daemon, failed=4)
    (line,) = logged(daemon)
    assert "try it by hand" in line
    assert line.endswith(ending)


def test_a_failure_is_told_again_after_a_success(make_daemon: MakeDaemon, tmp_path: Path):
    daemon = make_daemon(shell(f"test -e {tmp_path}/mended", on=["abort"])).start()
    for run_id, expected in (("a", {"failed": 1}), ("b", {"failed": 2})):
        loop(daemon, run_id)
        told(daemon, **expected)
    (tmp_path / "mended").touch()
    loop(daemon, "c")
    told(daemon, failed=2, ok=1)
    assert len(logged(daemon)) == 1
    (tmp_path / "mended").unlink()
    loop(daemon, "d")
    told(daemon, failed=3, ok=1)
    assert len(logged(daemon)) == 2


def test_a_command_that_does_not_read_hurts_nobody(make_daemon: MakeDaemon):
    daemon = make_daemon(configuration("/bin/true")).start()
    loop(daemon)
    told(daemon, ok=4)
    assert logged(daemon) == []


@pytest.mark.parametrize("trap", ["", 'trap "" TERM; '], ids=["ends when told to", "ignores that"])
def test_a_command_that_hangs_is_killed_with_its_children(make_daemon: MakeDaemon, tmp_path: Path, trap: str):
    script = f"{trap}sleep 1000 & sh -c 'sleep 1000' & echo $$ $! > {tmp_path}/pids; wait; wait"
    daemon = make_daemon(shell(script, on=["abort"], timeoutSeconds=1)).start()
    loop(daemon)
    started = pids(tmp_path / "pids", 2)
    told(daemon, timeout=1)
    assert all(map(is_gone, started))
    assert children(daemon) == []
    (line,) = logged(daemon)
    assert "took too long, and was killed" in line
    assert line.endswith("seconds=1")


def test_what_a_command_leaves_behind_ends_with_it(make_daemon: MakeDaemon, tmp_path: Path):
    daemon = make_daemon(shell(f"sleep 1000 & echo $! > {tmp_path}/pids", on=["abort"])).start()
    loop(daemon)
    (left,) = pids(tmp_path / "pids", 1)
    told(daemon, ok=1)
    eventually(lambda: is_gone(left))


def test_a_kernel_that_keeps_no_ended_children_is_no_trouble(make_daemon: MakeDaemon):
    def ignore() -> None:
        signal.signal(signal.SIGCHLD, signal.SIG_IGN)

    daemon = make_daemon(configuration("/bin/true")).start(preexec_fn=ignore)
    loop(daemon)
    told(daemon, ok=4)


# Many events


def test_a_flood_is_bounded_and_in_nobodys_way(make_daemon: MakeDaemon, tmp_path: Path):
    """A thousand events while every command hangs: each verdict comes, and is right."""
    script = f"echo $$ >> {tmp_path}/pids; exec sleep 1000"
    daemon = make_daemon(shell(script, atOnce=2, on=["warn", "block", "abort"])).start()
    with daemon.connect() as gateway:
        loop(gateway, "first", 5)
        started = pids(tmp_path / "pids", 2)
        assert sorted(children(daemon)) == sorted(started)
        for _ in range(10):
            replies = gateway.pipeline(
                gateway.request("tool.before", runId="many", toolName="read") for _ in range(100)
            )
            assert len(children(daemon)) == 2
            assert all("result" in reply for reply in replies)
    seen = daemon.ask("run.history", run="many", limit=1000)["calls"]
    assert [call["action"] for call in seen] == ["allow"] * 3 + ["warn"] * 997
    told(daemon, dropped=997 - MOST_WAITING)
    assert [line for line in logged(daemon) if "the newest are dropped" in line] == logged(daemon)[:1]
    assert len(logged(daemon)) == 1
    daemon.stop()
    assert all(map(is_gone, started))
    assert f"since guardd stops events={MOST_WAITING}" in daemon.log()


def test_after_a_burst_the_next_one_is_told_of_again(make_daemon: MakeDaemon, tmp_path: Path):
    script = f"until test -e {tmp_path}/go; do sleep 0.02; done"
    daemon = make_daemon(shell(script, atOnce=16, on=["warn"])).start()
    for number in (1, 2):
        with daemon.connect() as gateway:
            gateway.pipeline(
                gateway.request("tool.before", runId=f"{number}", toolName="read") for _ in range(200)
            )
        daemon.wait_for_log("the newest are dropped", times=number)
        (tmp_path / "go").touch()
        eventually(lambda: sum(results(daemon).values()) == 197 * number and not children(daemon))  # noqa: B023
        (tmp_path / "go").unlink()
    assert len(logged(daemon)) == 2


# Reloading and stopping


def test_a_reload_takes_effect_for_the_next_event(make_daemon: MakeDaemon, tmp_path: Path):
    daemon = make_daemon(shell(f"cat >> {tmp_path}/one")).start()
    loop(daemon, "a")
    told(daemon, ok=4)
    daemon.configure(shell(f"cat >> {tmp_path}/two", on=["abort"]))
    daemon.ask("config.reload")
    loop(daemon, "b")
    told(daemon, ok=5)
    daemon.configure({"tools": {"loopDetection": LOOP}})
    daemon.ask("config.reload")
    loop(daemon, "c")
    assert results(daemon) == {"ok": 5}
    assert [json.loads(line)["run"] for line in (tmp_path / "one").read_text().splitlines()] == ["a"] * 4
    assert [json.loads(line)["run"] for line in (tmp_path / "two").read_text().splitlines()] == ["b"]


def test_taking_the_command_away_forgets_what_waits(make_daemon: MakeDaemon, tmp_path: Path):
    script = f"echo >> {tmp_path}/started; until test -e {tmp_path}/go; do sleep 0.02; done"
    daemon = make_daemon(shell(script)).start()
    loop(daemon)
    eventually((tmp_path / "started").exists)
    daemon.configure({"tools": {"loopDetection": LOOP}})
    daemon.ask("config.reload")
    (tmp_path / "go").touch()
    told(daemon, ok=1, dropped=3)
    assert children(daemon) == []
    assert len((tmp_path / "started").read_text()) == 1
    assert "since guardd.notify.command was taken away events=3" in daemon.log()


def test_raising_at_once_starts_what_waits(make_daemon: MakeDaemon, tmp_path: Path):
    script = f"echo >> {tmp_path}/started; until test -e {tmp_path}/go; do sleep 0.02; done"
    daemon = make_daemon(shell(script)).start()
    loop(daemon)
    eventually((tmp_path / "started").exists)
    assert len(children(daemon)) == 1
    daemon.configure(shell(script, atOnce=3))
    daemon.ask("config.reload")
    eventually(lambda: len((tmp_path / "started").read_text()) == 3)
    (tmp_path / "go").touch()
    told(daemon, ok=4)


def test_what_waits_and_is_not_chosen_any_more_is_not_told(make_daemon: MakeDaemon, tmp_path: Path):
    script = f"cat >> {tmp_path}/told; until test -e {tmp_path}/go; do sleep 0.02; done"
    daemon = make_daemon(shell(script, on=["warn", "block", "abort"])).start()
    loop(daemon)
    eventually((tmp_path / "told").exists)
    daemon.configure(shell(script, on=["abort"]))
    daemon.ask("config.reload")
    (tmp_path / "go").touch()
    told(daemon, ok=2)
    lines = (tmp_path / "told").read_text().splitlines()
    assert [json.loads(line)["action"] for line in lines] == ["warn", "abort"]


def test_a_stop_lets_a_quick_command_end(make_daemon: MakeDaemon, tmp_path: Path):
    script = f"touch {tmp_path}/started; sleep 0.3; cat > {tmp_path}/told"
    daemon = make_daemon(shell(script, on=["abort"])).start()
    loop(daemon)
    eventually((tmp_path / "started").exists)
    assert daemon.stop() == 0
    assert json.loads((tmp_path / "told").read_text())["action"] == "abort"


def test_a_stop_starts_what_still_waits(make_daemon: MakeDaemon, tmp_path: Path):
    daemon = make_daemon(shell(f"sleep 0.1; cat >> {tmp_path}/told")).start()
    loop(daemon)
    assert daemon.stop() == 0
    assert len((tmp_path / "told").read_text().splitlines()) == 4
    assert logged(daemon) == []


def test_a_stop_leaves_no_process(make_daemon: MakeDaemon, tmp_path: Path):
    script = f'trap "" TERM; sleep 1000 & echo $$ $! > {tmp_path}/pids; while :; do wait; done'
    daemon = make_daemon(shell(script, timeoutSeconds=600)).start()
    loop(daemon)
    started = pids(tmp_path / "pids", 2)
    assert daemon.stop() == 0
    assert all(map(is_gone, started))
    assert "since guardd stops events=3" in daemon.log()


# In this process


@pytest.fixture
def events(tmp_path: Path) -> list[Any]:
    """What a guard has published: a warning."""
    guarded = Guarded(tmp_path / "guardd.db", LOOP)
    for _ in range(4):
        guarded.before("read", {})
    guarded.close()
    assert len(guarded.events) == 1
    return guarded.events


async def test_a_bug_is_logged_and_holds_up_no_other_event(
    events: list[Any], monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
):
    metrics = Metrics()
    settings = parse("{guardd: {notify: {command: ['/bin/true'], on: ['warn'], atOnce: 1}}}").settings.notify
    told_of = Notifying(asyncio.get_running_loop(), settings, metrics)
    with monkeypatch.context() as broken, caplog.at_level(logging.ERROR):
        broken.setattr(notifying, "event_of", lambda _event: 1 / 0)
        told_of.take([*events, *events])
        await told_of.close()
    assert caplog.text.count("this is a bug") == 2
    assert metrics.notifications["ok"] == 0


async def test_a_command_that_is_being_started_when_the_daemon_stops(
    events: list[Any], monkeypatch: pytest.MonkeyPatch
):
    started: list[subprocess.Popen[bytes]] = []

    begun, stopping = threading.Event(), threading.Event()

    def spawn_slowly(*arguments: Any) -> subprocess.Popen[bytes]:
        begun.set()
        stopping.wait()
        started.append(spawn(*arguments))
        return started[0]

    spawn = notifying._spawn  # noqa: SLF001
    monkeypatch.setattr(notifying, "_spawn", spawn_slowly)
    monkeypatch.setattr(notifying, "STOP_SECONDS", 0)
    settings = parse("{guardd: {notify: {command: ['/bin/sleep', '1000'], on: ['warn']}}}").settings.notify
    told_of = Notifying(asyncio.get_running_loop(), settings, Metrics())
    told_of.take(events)
    (task,) = told_of._running  # noqa: SLF001
    await asyncio.to_thread(begun.wait)
    closing = asyncio.ensure_future(told_of.close())
    while not task.cancelling():  # noqa: ASYNC110 - there is no event of that
        await asyncio.sleep(0)
    stopping.set()
    await closing
    assert [process.returncode for process in started] == [-signal.SIGTERM]
