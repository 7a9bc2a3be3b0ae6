"""The random histories of `tests/guard/test_any_history.py`, over the socket of a daemon that is killed on the way."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

from hypothesis import HealthCheck, settings
from hypothesis.stateful import rule
from support.daemon import Daemon
from support.databases import make_database
from support.guarding import MISSING
from support.histories import Histories

from guardd.detect.detection import Detection
from guardd.guard import Verdict
from guardd.store.rows import Scope
from guardd.vocabulary import Action, Detector, Level, RunStatus


class Daemoned:
    """Speaks as `support.guarding.Guarded` does, to a daemon."""

    def __init__(self, directory: Path) -> None:
        make_database(directory / "guardd.db")
        self.daemon = Daemon(directory).start()

    def close(self) -> None:
        self.daemon.close()

    def restart(self) -> None:
        """Kill it, and start it again."""
        self.daemon.restart()

    def configure(self, loop: dict[str, Any], agents: dict[str, Any], mode: str) -> None:
        listed = [{"id": name, "tools": {"loopDetection": block}} for name, block in agents.items()]
        self.daemon.configure(
            {"tools": {"loopDetection": loop}, "agents": {"list": listed}, "guardd": {"mode": mode}}
        )
        self.daemon.ask("config.reload")

    def before(self, tool: str, args: Any, call_id: str | None, **rest: Any) -> Verdict:
        return verdict_of(self.daemon.ask("tool.before", **report(tool, args, call_id, **rest)))

    def after(self, tool: str, args: Any, call_id: str | None, **rest: Any) -> tuple[Verdict, Any]:
        outcome = {
            name: rest.pop(name) for name in ("result", "error") if rest.get(name, MISSING) is not MISSING
        }
        answer = self.daemon.ask("tool.after", **report(tool, args, call_id, **rest), **outcome)
        return verdict_of(answer), SimpleNamespace(**answer["compactionGuard"])

    def compaction(self, scope: Scope, agent: str | None, *, will_retry: bool, once: bool) -> Any:
        asked = {"runId": scope.name, "willRetry": will_retry, "once": once} | of_agent(agent)
        return SimpleNamespace(**self.daemon.ask("compaction.record", **asked))

    def start(self, scope: Scope, *, fresh: bool) -> Any:
        return SimpleNamespace(**self.daemon.ask("run.start", runId=scope.name, fresh=fresh))

    def end(self, status: RunStatus, scope: Scope) -> None:
        self.daemon.ask("run.end", runId=scope.name, status=status)

    def reset(self, scope: Scope) -> None:
        self.daemon.ask("run.reset", run=scope.name)

    def abort(self, scope: Scope) -> None:
        self.daemon.ask("run.abort", run=scope.name, reason="enough")


def report(
    tool: str, args: Any, call_id: str | None, *, scope: Scope, agent: str | None, once: bool
) -> dict[str, Any]:
    asked = {"runId": scope.name, "toolName": tool, "args": args, "once": once} | of_agent(agent)
    return asked if call_id is None else asked | {"toolCallId": call_id}


def of_agent(agent: str | None) -> dict[str, str]:
    return {} if agent is None else {"agentId": agent}


def verdict_of(answer: dict[str, Any]) -> Verdict:
    """A reply as the guard has it."""
    action, would_be = (
        None if word is None else Action[word.upper()] for word in (answer["action"], answer.get("wouldBe"))
    )
    assert action is not None
    told = answer.get("detection")
    if told is None:
        return Verdict(action, answer.get("seq"))
    assert told["message"]
    detection = Detection(
        detector=Detector(told["detector"]),
        level=Level(told["level"]),
        action=would_be or action,
        count=told["count"],
        threshold=told["threshold"],
        tool=told["toolName"],
        paired_tool=told["pairedToolName"],
        warning_key=told["warningKey"],
    )
    return Verdict(action, answer.get("seq"), detection, told["notify"], would_be)


class OfTheDaemon(Histories):
    def make(self, directory: Path) -> Daemoned:
        return Daemoned(directory)

    @rule()
    def histories_are_alike(self) -> None:
        for name, run in self.runs.items():
            found = self.guard.daemon.ask("run.history", run=name)["calls"]
            assert [(call["seq"], call["toolName"], call["state"]) for call in found] == [
                (call.seq, call.asked.tool, self.state(call)) for call in run.calls
            ]


OfTheDaemon.TestCase.settings = settings(
    max_examples=8,
    stateful_step_count=25,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)
test_any_history = OfTheDaemon.TestCase
