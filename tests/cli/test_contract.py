"""Every JSON field that a command prints or a method returns is documented, and what is documented is there."""

import json
import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from support.daemon import Daemon, RawClient
from support.shapes import Held, is_object, members, objects

from guardd.bench import whole
from guardd.cli.contract import FORMS
from guardd.cli.contract.tuning import Thresholds
from guardd.protocol.methods import METHODS
from guardd.protocol.operator_results import Event

LOOP = {
    "enabled": True,
    "warningThreshold": 3,
    "criticalThreshold": 5,
    "globalCircuitBreakerThreshold": 7,
    "unknownToolThreshold": 2,
    "postCompactionGuard": {"windowSize": 2},
    "detectors": {"progressReset": True, "volatileText": True, "sameError": True},
}
PROFILE = {"profile": "openclaw-2026.9"}
ENFORCING = {"tools": {"loopDetection": LOOP}, "guardd": PROFILE}
OBSERVING = ENFORCING | {"guardd": PROFILE | {"mode": "observe"}}
MAKE = {"toolName": "exec", "args": {"command": "make"}}

Guardctl = Callable[..., Any]


class Contract:
    """Holds what comes out against what is documented."""

    def __init__(self) -> None:
        self.held = Held()

    def hold(self, kind: Any, value: Any, source: str) -> None:
        assert self.held.problems(kind, value) == [], source

    def never_there(self, *kinds: Any) -> set[str]:
        """The documented fields that nothing had."""
        documented = {
            (kind.__name__, member.name)
            for kind in objects(list(kinds))
            if is_object(kind)
            for member in members(kind)
        }
        return {".".join(field) for field in documented - self.held.seen}


@pytest.fixture
def contract() -> Contract:
    return Contract()


@pytest.fixture
def story(tmp_path: Path) -> Iterator[Daemon]:
    """A daemon to which everything has happened that its answers have words for."""
    with Daemon(tmp_path, OBSERVING, arguments=["--log-format", "json"]).start() as daemon:
        _loop(daemon, "observed", 4)
        daemon.configure(ENFORCING)
        daemon.ask("config.reload")
        _loop(daemon, "looping", 9)
        for number in range(4):
            for name in ("read", "write"):
                _call(daemon, "ping-pong", toolName=name, args={}, result=name, toolCallId=f"{name}{number}")
        _call(daemon, "missing", toolName="aply", args={}, error="Tool aply not found")
        daemon.ask("compaction.record", runId="missing", willRetry=True, reason="overflow")
        daemon.restart()
        daemon.ask("run.start", runId="missing")
        daemon.ask("tool.before", runId="missing", **MAKE)
        daemon.ask("run.reset", run="missing", reason="mended")
        _loop(daemon, "missing", 2)
        _call(daemon, "missing", toolName="write", args={"path": "x"}, result="done in 1.5s")
        for number in range(2):
            daemon.ask("tool.before", runId="missing", toolName="read", args={"beside": number})
        _call(daemon, "missing", toolName="write", args={"path": "x"}, result={"details": {"changed": False}})
        failed = {"status": "failed", "exitCode": 1, "aggregated": "no"}
        _call(daemon, "missing", toolName="exec", args={"command": "x"}, result={"details": failed})
        daemon.ask("run.end", runId="missing", status="failed", reason="gave up")
        yield daemon


def _loop(daemon: Daemon, run: str, times: int) -> None:
    for _ in range(times):
        _call(daemon, run, **MAKE, result="same")


def _call(daemon: Daemon, run: str, **call: Any) -> None:
    outcome = {name: call.pop(name) for name in ("result", "error") if name in call}
    asked = daemon.ask("tool.before", runId=run, agentId="main", **call)
    if asked["action"] in ("allow", "warn"):
        daemon.ask("tool.after", runId=run, agentId="main", durationMs=4, **call, **outcome)


COMMANDS = {
    "guardctl runs": [["--looping"], ["--status", "failed"]],
    "guardctl history": [["looping"], ["missing"], ["observed"]],
    "guardctl timeline": [["looping"], ["missing"], ["observed"]],
    "guardctl report": [["looping"], ["missing"], ["observed"], ["ping-pong"]],
    "guardctl explain": [["looping"], ["looping", "1"], ["observed"]],
    "guardctl events": [[]],
    "guardctl watch": [[]],
    "guardctl status": [[]],
    "guardctl doctor": [[]],
    "guardctl metrics": [[]],
    "guardctl tune": [["--candidate", "2/3/4"]],
    "guardctl export": [["missing"], ["looping"], ["observed"]],
    "guardctl config show": [[], ["--agent", "main"]],
    "guardctl config reload": [[]],
    "guardctl prune": [["--dry-run"]],
    "guardctl db check": [[]],
    "guardctl abort": [["ping-pong", "--reason", "enough"]],
    "guardctl reset": [["ping-pong"]],
}
"""Those that ask a daemon, and what with."""

ALONE = {
    "guardctl replay",
    "guardctl config check",
    "guardctl backup",
    "guardctl demo",
    "guardctl bench",
    "guardctl install",
    "guardd serve",
}
"""Those that have a test of their own here."""

OF_FILES = {"ConcernedRun.file", "ConcernedRun.turn"}
OF_CURSORS = {"History.nextCursor"}
OF_THRESHOLDS = {f"Thresholds.{member.name}" for member in members(Thresholds)}
"""Fifty runs are needed before any are proposed."""


def test_every_command_with_a_form_is_tried():
    assert {*COMMANDS, *ALONE} == set(FORMS)


def test_what_is_said_of_a_story(
    story: Daemon, guardctl: Guardctl, guardctl_process: Callable[..., Any], tmp_path: Path
):
    """In one test: the daemon that all of it happened to takes a while."""
    _commands_print(story, guardctl)
    _follow(story, guardctl_process)
    _back_up(story, guardctl, tmp_path / "backup.db")
    _methods_return(story, tmp_path / "copy.db")
    story.stop()
    _log_says(story.log())


def _commands_print(story: Daemon, guardctl: Guardctl) -> None:
    contract, kinds = Contract(), []
    for command, uses in COMMANDS.items():
        form = FORMS[command]
        for arguments in uses:
            result = guardctl(*command.split()[1:], *arguments, "--json", GUARDD_SOCKET=str(story.socket))
            assert result.exit_code == 0 or command == "guardctl doctor", result.stderr
            documents = result.stdout.splitlines() if form.document is None else [result.stdout]
            assert documents
            kinds.append(form.lines if form.document is None else form.document)
            for document in documents:
                contract.hold(kinds[-1], json.loads(document), f"{command} {arguments}")
    assert contract.never_there(*kinds) == OF_FILES | OF_CURSORS | OF_THRESHOLDS


def _follow(story: Daemon, guardctl_process: Callable[..., Any]) -> None:
    contract = Contract()
    for command, arguments in (("guardctl history", ["missing"]), ("guardctl events", [])):
        words = (command.split()[1], *arguments, "--follow", "--json")
        process = guardctl_process(*words, GUARDD_SOCKET=str(story.socket))
        for _ in range(4):
            contract.hold(FORMS[command].lines, json.loads(process.stdout.readline()), command)
        process.send_signal(signal.SIGINT)


def _back_up(story: Daemon, guardctl: Guardctl, copy: Path) -> None:
    contract, form = Contract(), FORMS["guardctl backup"].document
    result = guardctl("backup", str(copy), "--json", GUARDD_SOCKET=str(story.socket))
    contract.hold(form, json.loads(result.stdout), "backup")
    assert contract.never_there(form) == set()
    report = guardctl("report", "looping", "--db", str(copy), "--json")
    contract.hold(FORMS["guardctl report"].document, json.loads(report.stdout), "report --db")


PARAMS: dict[str, list[dict[str, Any]]] = {
    "tool.before": [{"runId": "looping", **MAKE}, {"runId": "other", **MAKE}],
    "tool.after": [{"runId": "other", **MAKE, "result": 1}, {"runId": "looping", **MAKE, "result": 1}],
    "compaction.record": [{"runId": "other"}],
    "run.start": [{"runId": "other"}],
    "run.end": [{"runId": "other", "status": "completed"}],
    "run.list": [{}, {"limit": 1}],
    "run.get": [{"run": "observed"}],
    "run.history": [{"run": "missing"}, {"run": "observed"}, {"run": "looping", "limit": 1}],
    "run.explain": [{"run": "looping"}, {"run": "observed"}],
    "event.list": [{}, {"limit": 1}],
    "run.reset": [{"run": "looping"}],
    "run.abort": [{"run": "looping", "reason": "enough"}],
}
"""What methods are asked with; those that are not here, with nothing."""


def _methods_return(story: Daemon, copy: Path) -> None:
    contract = Contract()
    for name, method in METHODS.items():
        given = {"path": str(copy)} if name == "db.backup" else {}
        for params in PARAMS.get(name, [given]):
            with RawClient(story.socket) as client:  # of its own: a watching one gets more than replies
                contract.hold(method.result, client.ask(name, **params), f"{name} {params}")
    story.configure(OBSERVING)
    story.ask("config.reload")
    with RawClient(story.socket) as watching:
        watching.ask("event.watch")
        for _ in range(4):
            for name in ("tool.before", "tool.after"):
                answer = story.ask(
                    name, runId="seen", **MAKE, **({"result": 1} if name == "tool.after" else {})
                )
                contract.hold(METHODS[name].result, answer, "observing")
        event = watching.read_line()
    assert event["method"] == "event"
    contract.hold(Event, event["params"], "event")
    assert contract.never_there(*(method.result for method in METHODS.values()), Event) == set()


def _log_says(log: str) -> None:
    contract, form = Contract(), FORMS["guardd serve"].lines
    for line in log.splitlines():
        contract.hold(form, json.loads(line), line)
    assert contract.never_there(form) == {"LogLine.exception"}


def test_what_is_said_of_files(guardctl: Guardctl, contract: Contract, tmp_path: Path):
    good, bad = tmp_path / "good.json5", tmp_path / "bad.json5"
    good.write_text(json.dumps(ENFORCING))
    bad.write_text('{guardd: {mode: "x"}}')
    call = '{"role": "assistant", "tool_calls": [{"id": "1", "function": {"name": "f", "arguments": "{}"}}]}'
    answer = '{"role": "tool", "tool_call_id": "1", "content": "same"}'
    chat = tmp_path / "chat.json"
    chat.write_text(f'[{{"role": "user", "content": "go"}}, {", ".join([call, answer] * 9)}, 1]')
    for command, arguments in (
        ("guardctl config check", [good]),
        ("guardctl config check", [bad]),
        ("guardctl replay", [chat, "--config", good]),
        ("guardctl replay", [chat, "--compare", "default", good]),
        ("guardctl tune", [chat, "--candidate", "2/3/4"]),
    ):
        result = guardctl(*command.split()[1:], *map(str, arguments), "--json")
        contract.hold(FORMS[command].document, json.loads(result.stdout), command)
    forms = [FORMS[command].document for command in ("guardctl config check", "guardctl replay")]
    assert contract.never_there(*forms) == set()
    assert {("ConcernedRun", "file"), ("ConcernedRun", "turn")} <= contract.held.seen


def test_what_installing_prints(guardctl: Guardctl, contract: Contract, tmp_path: Path):
    form = FORMS["guardctl install"].document
    for arguments in (["--dry-run"], ["--yes"], ["--yes", "--uninstall"]):
        result = guardctl("install", "claude-code", *arguments, "--json", HOME=str(tmp_path))
        contract.hold(form, json.loads(result.stdout), str(arguments))
    assert contract.never_there(form) == set()


def test_what_the_benchmark_prints(guardctl: Guardctl, contract: Contract, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(whole, "QUICK", whole.Effort(1, 1, 1, 1, 0.05, 1, 100))
    form = FORMS["guardctl bench"].document
    contract.hold(form, json.loads(guardctl("bench", "--quick", "--json").stdout), "bench")
    assert contract.never_there(form) == set()


def test_what_the_demo_prints(guardctl: Guardctl, contract: Contract):
    form = FORMS["guardctl demo"].document
    contract.hold(form, json.loads(guardctl("demo", "--json").stdout), "demo")
    assert contract.never_there(form) == {
        "Run.wouldBe",
        "Call.wouldBe",
        "Call.maskedOutcome",
        "Call.changes",
        "Call.beside",
        "Call.failure",
        "Call.unchanged",
        "History.nextCursor",
    }
