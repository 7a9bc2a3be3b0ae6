"""A real daemon with runs of every kind, and reports about them."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from support.daemon import Daemon
from support.page import Node, parse

from guardd.cli.guardctl import program

LOW = {
    "enabled": True,
    "warningThreshold": 3,
    "criticalThreshold": 5,
    "globalCircuitBreakerThreshold": 8,
    "unknownToolThreshold": 3,
}
HOSTILE_TOOL = "</script><img src=x onerror=alert(1)>'\"&amp;\n\u202e\0🔧"
HOSTILE_COMMAND = "\"'><script>alert(1)</script>\n\t\u2066\u05e9\u05dc\u2069 🙈 \0 {{ 7 * 7 }} {% raw %}"


class Agent:
    """Makes the calls of a run."""

    def __init__(self, daemon: Daemon, run: str, agent: str = "coder") -> None:
        self._daemon = daemon
        self._scope = {"runId": run, "source": "story", "agentId": agent}
        self.name = f"story/{run}"

    def ask(self, method: str, **params: Any) -> Any:
        return self._daemon.ask(method, runId=self._scope["runId"], source="story", **params)

    def call(
        self, tool: str, args: Any, result: str = "ok", times: int = 1, error: str | None = None
    ) -> None:
        for _ in range(times):
            asked = self._scope | {"toolName": tool, "args": args}
            if self._daemon.ask("tool.before", **asked)["action"] in ("allow", "warn"):
                outcome = {"result": result} if error is None else {"error": error}
                self._daemon.ask("tool.after", **asked, **outcome)


def looping(daemon: Daemon) -> None:
    agent = Agent(daemon, "looping")
    for number in range(5):
        agent.call("read", {"path": f"src/{number}.py"}, f"text {number}")
    agent.call("exec", {"command": "make test"}, "1 failed", times=4)
    agent.ask("compaction.record", willRetry=False)
    agent.call("exec", {"command": "make test"}, "2 failed")
    for _ in range(5):
        agent.call("read", {"path": "Makefile"}, "all:")
        agent.call("ls", {"path": "build"}, "nothing")
    daemon.ask("run.reset", run=agent.name, reason="looked at it")
    agent.call(
        "exec", {"command": "curl -H 'Authorization: Bearer sk-secret1234567890'"}, "refused", times=12
    )


def healthy(daemon: Daemon) -> None:
    agent = Agent(daemon, "healthy", "other")
    for number in range(60):
        agent.call(("read", "edit", "exec")[number % 3], {"path": f"src/{number}.py"}, f"text {number}")
    agent.ask("run.end", status="completed")


def hostile(daemon: Daemon) -> None:
    agent = Agent(daemon, '<b>run</b>"\u202e', "<i>agent</i>")
    agent.call(HOSTILE_TOOL, {"command": HOSTILE_COMMAND}, times=4)
    agent.call("nothing_there", {"a": 1}, times=5, error="unknown tool nothing_there")
    daemon.ask("run.abort", run=agent.name, reason="</p><script>alert(2)</script>")


@pytest.fixture(scope="session")
def told(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    """A daemon with the runs story/looping, story/healthy, story/empty and a hostile one."""
    config = {
        "tools": {"loopDetection": LOW},
        "agents": {"list": [{"id": "other", "tools": {"loopDetection": {"criticalThreshold": 6}}}]},
    }
    with Daemon(tmp_path_factory.mktemp("told"), config).start() as daemon:
        for story in (looping, healthy, hostile):
            story(daemon)
        daemon.ask("run.start", runId="empty", source="story")
        yield daemon


Report = Callable[..., Any]


@pytest.fixture(scope="session")
def report(told: Daemon) -> Report:
    """Runs guardctl report against that daemon; the result has stdout, stderr and the exit status."""

    def run(*arguments: str) -> Any:
        return CliRunner().invoke(program, ["--socket", str(told.socket), "report", *arguments])

    return run


@pytest.fixture(scope="session")
def page(report: Report) -> Callable[[str], Node]:
    """The page about a run, parsed."""

    def read(run: str) -> Node:
        result = report(run, "-o", "-")
        assert (result.exit_code, result.stderr) == (0, "")
        return parse(result.stdout)

    return read


@pytest.fixture
def files(report: Report, tmp_path: Path) -> Callable[[str], Path]:
    """The page about a run, in a file."""

    def write(run: str) -> Path:
        file = tmp_path / f"{len(list(tmp_path.iterdir()))}.html"
        result = report(run, "-o", str(file))
        assert result.exit_code == 0, result.stderr
        return file

    return write
