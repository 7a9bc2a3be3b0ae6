"""The story that the demo plays: an agent that loops, and guardd, which is asked before and after each call.

The agent and its tools are made up; guardd and all that it says are real. Each answer is compared with the one
that the story has in store for it, so a story that comes to its end is true.
"""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from guardd.cli.errors import Failure
from guardd.client.blocking import GuardClient
from guardd.client.blocking_run import Run
from guardd.client.exceptions import GuardUnavailable
from guardd.client.verdict import Verdict
from guardd.own_daemon.daemon import OwnDaemon
from guardd.protocol.errors import RpcError

LOOPING_RUN = "demo-loop"
COMPACTED_RUN = "demo-compaction"

THRESHOLDS = {"warningThreshold": 3, "criticalThreshold": 5, "globalCircuitBreakerThreshold": 8}
"""Far below the defaults, for a short story."""

PATIENCE_SECONDS = 10.0


class Step(NamedTuple):
    """Something that happened.

    Attributes:
        kind: `act`, `call`, `outcome`, `kill`, `start` or `compaction`.
        details: What there is to say of it, by the names of the protocol.
    """

    kind: str
    details: Mapping[str, Any]

    def document(self) -> dict[str, Any]:
        """The step as JSON."""
        return {"step": self.kind, **self.details}


Tell = Callable[[Step], None]


class Answer(NamedTuple):
    """What guardd is to say."""

    action: str
    detector: str | None = None
    counted: int | None = None


class _Tool(NamedTuple):
    """A tool call of the agent's, and what comes of it."""

    name: str
    args: Mapping[str, str]
    result: str


_TEST = _Tool("exec", {"command": "make test"}, "FAILED test_login.py::test_redirect")
_OTHER = _Tool("exec", {"command": "git diff"}, "")
_PLAN = _Tool("read", {"path": "PLAN.md"}, "1. find the bug")
_LOG = _Tool("exec", {"command": "cat ci.log"}, "(212,000 lines)")
_SOURCE = _Tool("read", {"path": "src/login.py"}, "def login(): ...")

_ALLOW = Answer("allow")
_LOOP = (
    *(_ALLOW,) * 3,
    *(Answer("warn", "generic_repeat", count) for count in (3, 4)),
    *(Answer("block", "generic_repeat", count) for count in (5, 6, 7)),
    Answer("abort", "generic_repeat", 8),
)
"""What is said to the same call with the same result, with these `THRESHOLDS`."""

_KILLED_IN = 5
_WINDOW = 3
_PERSISTED = Answer("abort", "compaction_loop_persisted", _WINDOW)


def play(daemon: OwnDaemon, tell: Tell) -> None:
    """Play the story against a daemon that runs.

    Args:
        daemon: The daemon; it is killed and started again on the way.
        tell: Told of each step as it happens.

    Raises:
        Failure: guardd said something else than the story has in store.
        Breakdown: The daemon does not start again.
    """
    try:
        with GuardClient(daemon.socket, timeout=PATIENCE_SECONDS, fail_closed=True) as client:
            _loop(_Agent(client.run(LOOPING_RUN, agent_id="coder"), tell), daemon)
            _compaction(_Agent(client.run(COMPACTED_RUN, agent_id="researcher"), tell))
    except (GuardUnavailable, RpcError) as error:
        raise _wrong(str(error)) from error


def _loop(agent: "_Agent", daemon: OwnDaemon) -> None:
    agent.act("An agent runs the same command again and again, and gets the same result.")
    for number, expected in enumerate(_LOOP, 1):
        agent.ask(_TEST, expected)
        if number == _KILLED_IN:
            _kill(agent, daemon, calls=number)
        if expected.action in ("allow", "warn"):
            agent.report(_TEST, expected)
    agent.ask(_OTHER, _LOOP[-1])


def _kill(agent: "_Agent", daemon: OwnDaemon, calls: int) -> None:
    """Kill the daemon in the middle of a call, and start it again."""
    agent.tell(Step("kill", {"pid": daemon.kill(), "signal": "SIGKILL"}))
    pid = daemon.start()
    with GuardClient(daemon.socket, timeout=PATIENCE_SECONDS) as client:
        known: Any = client.request("run.get", {"run": LOOPING_RUN})
    _check("calls known after the restart", calls, known["calls"])
    agent.tell(Step("start", {"pid": pid, "calls": known["calls"]}))


def _compaction(agent: "_Agent") -> None:
    agent.act("Another agent loops right after its context overflowed and was compacted.")
    for tool in (_PLAN, _LOG):
        agent.ask(tool, _ALLOW)
        agent.report(tool, _ALLOW)
    agent.compact()
    for left in range(_WINDOW - 1, 0, -1):
        agent.ask(_SOURCE, _ALLOW)
        agent.report(_SOURCE, _ALLOW, left)
    agent.ask(_SOURCE, _ALLOW)
    agent.report(_SOURCE, _PERSISTED)


class _Agent:
    """An agent in a run of its own, with the gateway that asks guardd for it.

    Args:
        run: The run.
        tell: Told of each step.
    """

    def __init__(self, run: Run, tell: Tell) -> None:
        self.tell = tell
        self._run = run
        self._calls = 0

    def act(self, title: str) -> None:
        self.tell(Step("act", {"title": title, "run": self._run.scope.run_id}))

    def ask(self, tool: _Tool, expected: Answer) -> None:
        """Ask before a call."""
        self._calls += 1
        verdict = self._run.before_call(tool.name, tool.args, self._call_id)
        self._told("call", tool, expected, verdict, {"args": tool.args})

    def report(self, tool: _Tool, expected: Answer, remaining: int = 0) -> None:
        """Report what came of the call that was asked about last.

        Args:
            tool: The call.
            expected: What guardd is to say.
            remaining: How many more outcomes the guard is to watch then.
        """
        content = {"content": [{"type": "text", "text": tool.result}]}
        verdict = self._run.after_call(tool.name, tool.args, result=content, call_id=self._call_id)
        self._told("outcome", tool, expected, verdict, {"result": tool.result, "remaining": remaining})
        guard = verdict.compaction_guard
        left = guard.remaining if guard else None
        _check(f"the attempts left after call {self._calls}", remaining, left)

    def compact(self) -> None:
        """Report a compaction after an overflow."""
        tokens = {"tokensBefore": 198_000, "tokensAfter": 41_000}
        guard = self._run.record_compaction(
            reason="overflow", tokens_before=tokens["tokensBefore"], tokens_after=tokens["tokensAfter"]
        )
        _check("the guard after the compaction", (True, _WINDOW), (guard.armed, guard.remaining))
        self.tell(Step("compaction", {**tokens, "armed": guard.armed, "remaining": guard.remaining}))

    @property
    def _call_id(self) -> str:
        return f"call_{self._calls}"

    def _told(
        self, kind: str, tool: _Tool, expected: Answer, verdict: Verdict, details: Mapping[str, Any]
    ) -> None:
        if verdict.degraded:
            raise _wrong(verdict.degraded)
        found = verdict.detection
        answer = Answer(verdict.action, *((found.detector, found.count) if found else ()))
        _check(f"the answer to call {self._calls}", expected, answer)
        _check(f"the number of call {self._calls}", self._calls, verdict.seq)
        detection = found and {
            "detector": found.detector,
            "count": found.count,
            "threshold": found.threshold,
            "notify": found.notify,
            "message": found.message,
        }
        about = {"run": self._run.scope.run_id, "seq": verdict.seq, "toolName": tool.name, **details}
        self.tell(Step(kind, {**about, "action": verdict.action, "detection": detection}))


def _check(what: str, expected: object, found: object) -> None:
    if expected != found:
        raise _wrong(f"{what} should be {_words(expected)}, and was {_words(found)}")


def _wrong(what: str) -> Failure:
    return Failure(f"the demo went wrong: {what}", "This is a bug of guardd: please report it")


def _words(value: object) -> str:
    return (
        " ".join(str(part) for part in value if part is not None) if isinstance(value, tuple) else str(value)
    )
