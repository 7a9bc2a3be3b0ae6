"""Screens that are no table of a run: health, findings, what was done, what went wrong, what is followed."""

from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from support import story

from guardd.cli import replay_table
from guardd.cli.demo.story import Step
from guardd.cli.demo.telling import Teller
from guardd.cli.doctor.finding import failed, ok, skipped, warning
from guardd.cli.errors import Failure, Status
from guardd.cli.install import showing
from guardd.cli.install.files import Found
from guardd.cli.install.plan import Change
from guardd.replay.findings import Finding, Findings

WIDTHS = (120, 80, 40)
NOWHERE = "/nonexistent/guardd.sock"

FINDINGS = {
    "daemon": ok("guardd 1.4.0 answers at /run/guardd/guardd.sock"),
    "configuration": failed(
        "/etc/guardd/guardd.json5: tools.loopDetection.warningThreshold must be at least 1, not -3; the daemon "
        "goes on with what it has read before, and would not start again",
        "Mend it until this agrees: guardctl config check /etc/guardd/guardd.json5",
    ),
    "loop detection": warning(
        "off: only the post-compaction guard watches",
        "Switch it on by tools.loopDetection.enabled: true, then guardctl config reload",
    ),
    "socket directory": skipped("needs the daemon"),
    "disk": ok("210 GB free of 500 GB"),
    "retention": ok("18.4 MB of 4.29 GB used; ended runs are kept 14 d"),
}


@pytest.fixture(params=[True, False], ids=["coloured", "plain"])
def color(request: pytest.FixtureRequest) -> bool:
    return bool(request.param)


@pytest.fixture
def held(color: bool, coloured: Any, plain: Any) -> Any:  # noqa: FBT001
    """The snapshot of the kind that is asked for."""
    return coloured if color else plain


@pytest.mark.parametrize("width", WIDTHS)
def test_doctor(screens: Any, held: Any, color: Any, width: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("guardd.cli.doctor.gathering.gather", lambda _shared: None)
    monkeypatch.setattr("guardd.cli.doctor.checks.examine", lambda _facts: FINDINGS)
    assert screens.see("doctor", width, color=color) == held


def test_a_status_to_worry_about(screens: Any, held: Any, color: Any) -> None:
    status = screens.answers["server.status"]({})
    screens.answers["server.status"] = status | {
        "mode": "observe",
        "configPath": None,
        "runs": 0,
        "calls": 0,
        "lastActivityAt": None,
        "waitsForRestart": [
            "guardd.socket.path is now /run/other.sock",
            "guardd.limits.connections is now 9",
        ],
    }
    assert screens.see("status", 80, color=color) == held


DONE = {
    "reset latest": ("run.reset", {"run": story.LOOPING, "source": "default", "status": "active"}),
    "abort latest": (
        "run.abort",
        {"run": story.LOOPING, "source": "default", "status": "aborted", "mode": "enforce"},
    ),
    "abort run-4711": (
        "run.abort",
        {"run": "run-4711", "source": "codex", "status": "aborted", "mode": "observe"},
    ),
    "prune": ("db.prune", {"runs": 12, "calls": 3456, "kept": 4, "dryRun": False}),
    "prune --dry-run": ("db.prune", {"runs": 0, "calls": 0, "kept": 1, "dryRun": True}),
    "backup /var/backups/guardd.db": ("db.backup", {"path": "/var/backups/guardd.db", "bytes": 1}),
    "db check": ("db.check", {"ok": True, "problems": []}),
    "config reload": ("config.reload", {"path": None, "warnings": ["agents.list holds coder twice"]}),
    "metrics": (
        "server.metrics",
        "# HELP guardd_connections Open connections.\n# TYPE guardd_connections gauge\nguardd_connections 3\n",
    ),
}


@pytest.mark.parametrize("width", [80, 40])
def test_what_was_done(screens: Any, plain: Any, width: int, monkeypatch: pytest.MonkeyPatch) -> None:
    # The backup's file, which a scripted daemon does not make:
    monkeypatch.setattr("os.path.lexists", lambda _path: True)
    seen = ""
    for command, (method, answer) in DONE.items():
        screens.answers[method] = answer
        seen += f"$ guardctl {command}\n{screens.see(command, width)}\n"
    assert seen == plain


@pytest.mark.parametrize("width", [80, 40])
def test_what_went_wrong(screens: Any, plain: Any, width: int) -> None:
    damaged = {"ok": False, "problems": ["row 7 missing from index ix_calls_open", "freelist is too small"]}
    screens.answers["db.check"] = damaged
    commands = (
        "history nothing-of-that-name",
        "history run-4",
        "events --run 3f2a",
        "explain latest 99",
        "runs --db /nonexistent/backup.db",
        "config check /nonexistent/guardd.json5",
        "db check",
    )
    assert "".join(f"$ guardctl {one}\n{screens.see(one, width)}\n" for one in commands) == plain


def test_no_daemon(plain: Any, monkeypatch: pytest.MonkeyPatch, guardctl: Any) -> None:
    seen = ""
    for width in (80, 40):
        monkeypatch.setattr("guardd.cli.wrapping.terminal_width", lambda _stream, width=width: width)
        seen += guardctl("runs", "--socket", NOWHERE).stderr + "\n"
    denied = Failure("you may not do this", "Use the daemon's own user or root", status=Status.DENIED)
    assert seen + denied.in_words("guardctl") + "\n" == plain


@pytest.mark.parametrize("width", WIDTHS)
def test_followed(screens: Any, held: Any, color: Any, width: int, monkeypatch: pytest.MonkeyPatch) -> None:
    events = screens.answers["event.list"]({"limit": 12})["events"][::-1]
    past = screens.answers["run.history"]({"run": "release"})
    news = [*past["calls"][:2], *past["markers"], *past["calls"][2:]]
    monkeypatch.setattr("guardd.cli.following.watched", lambda *_: iter([events[:9], events[9:]]))
    monkeypatch.setattr("guardd.cli.following.polled", lambda *_: iter([news]))
    seen = screens.see("events --follow", width, color=color)
    assert seen + "\n" + screens.see("history release --follow", width, color=color) == held


def _finding(turn: str, seq: int, action: str, detector: str, paired: str | None = None) -> Finding:
    return Finding(turn, seq, action, detector, "warning", 3, 3, "read_file", paired, notify=True, message="")


@pytest.mark.parametrize("width", WIDTHS)
def test_replay(
    held: Any, color: Any, width: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    detections = [
        _finding("turn-1", 4, "warn", "generic_repeat"),
        _finding("turn-1", 9, "block", "known_poll_no_progress"),
        _finding("turn-7", 9, "warn", "ping_pong", "write_file"),
    ]
    actions = Counter(allow=70, warn=2, block=1)
    busy = Findings(
        "sessions/a.jsonl",
        "low.json5",
        "Claude Code session",
        12,
        73,
        Counter(not_json=2),
        actions,
        detections,
    )
    quiet = Findings("b.json", "default", "OpenAI chat", 1, 5, Counter(), Counter(allow=5), [])
    unknown = Findings("README.md")
    replay_table.show([busy, quiet, unknown], colored=color)
    print()  # noqa: T201 - between the two screens
    replay_table.compare([quiet, busy], colored=color)
    assert capsys.readouterr().out == held


def test_a_change_to_a_file(held: Any, color: Any, capsys: pytest.CaptureFixture[str]) -> None:
    path = Path("/etc/agent/settings.json5")
    before = '{\n  // mine\n  "apiKey": "sk-abcdefghijklmnopqrstuvwx",\n  "hooks": {}\n}\n'
    after = before.replace("{}", '{ "PreToolUse": ["guardctl hook claude-code"] }')
    found = Found(path, path, before.encode(), None)
    showing.show(Change(found, after), colored=color)
    assert capsys.readouterr().out == held


STORY = (
    Step("act", {"title": "An agent repeats a call"}),
    Step(
        "call",
        {
            "run": "demo-loop",
            "seq": 3,
            "toolName": "exec",
            "args": {"command": "make test"},
            "action": "warn",
            "detection": {
                "detector": "generic_repeat",
                "count": 3,
                "message": "You have called `exec` 3 times with the same arguments. Try something else.",
            },
        },
    ),
    Step("kill", {"pid": 4711}),
    Step("start", {"pid": 4712, "calls": 3}),
    Step(
        "outcome", {"run": "demo-loop", "result": "FAILED test_login.py", "remaining": 2, "action": "allow"}
    ),
    Step("compaction", {"tokensBefore": 180_000, "tokensAfter": 24_000, "remaining": 3}),
)


@pytest.mark.parametrize("width", [80, 40])
def test_demo(
    held: Any, color: Any, width: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    teller = Teller(colored=color)
    for step in STORY:
        teller.step(step)
    assert capsys.readouterr().out == held
