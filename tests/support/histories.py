"""Whatever gateways and operators do: the same is done to guardd and to the plain model, which keeps all in lists."""

import tempfile
from pathlib import Path
from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule
from support import model
from support.detections import in_plain_words
from support.guarding import config, run_scope

from guardd.detect.messages import message
from guardd.guard import Verdict
from guardd.vocabulary import RunStatus

RUNS = st.sampled_from(["r1", "r1", "r1", "r2"])
AGENTS = st.sampled_from([None, None, None, "alice"])
TOOLS = st.sampled_from(["read", "read", "write", "command_status", "command_status"])
ARGS = st.sampled_from([1, 1, 1, 2])
ONCE = st.sampled_from([False, False, True])
IDS = st.sampled_from([None, None, "call_1", "call_2"])
OUTCOMES = st.sampled_from(
    [
        {"result": "same"},
        {"result": "same"},
        {"result": "other"},
        {"result": None},
        {"error": "it broke"},
        {"error": "Tool gone not found"},
        {"error": "Tool gone not found"},
        {"error": "unknown tool: lost", "result": "same"},
        {},
    ]
)
LIKELY = st.sampled_from([{"result": "same"}] * 4 + [{"error": "Tool gone not found"}] * 2 + [{}])
LOOPS = st.fixed_dictionaries(
    {
        "enabled": st.sampled_from([True] * 7 + [False]),
        "historySize": st.integers(2, 14),
        "warningThreshold": st.integers(1, 4),
        "criticalThreshold": st.integers(2, 6),
        "unknownToolThreshold": st.integers(1, 5),
        "globalCircuitBreakerThreshold": st.integers(3, 10),
        "detectors": st.fixed_dictionaries(
            {
                name: st.sampled_from([True, True, True, False])
                for name in ("genericRepeat", "knownPollNoProgress", "pingPong")
            }
        ),
        "postCompactionGuard": st.fixed_dictionaries({"windowSize": st.integers(1, 4)}),
    }
)
CONFIGS = st.fixed_dictionaries(
    {
        "loop": LOOPS,
        "agents": st.fixed_dictionaries({"alice": LOOPS}),
        "mode": st.sampled_from(["enforce", "enforce", "enforce", "observe"]),
    }
)
MISSING = {"Tool gone not found": "gone", "unknown tool: lost": "lost"}


def came_of(report: dict[str, Any]) -> model.Came | None:
    """What the model is told of an outcome."""
    if "error" in report:
        error = report["error"]
        return model.Came(("error", error), MISSING.get(error), failed=True)
    return model.Came(("result", report["result"])) if "result" in report else None


class Histories(RuleBasedStateMachine):
    """Does the same to guardd and to the model; who inherits says what guardd is, and what must hold besides."""

    def make(self, directory: Path) -> Any:
        """What speaks as `support.guarding.Guarded` does."""
        raise NotImplementedError

    def __init__(self) -> None:
        super().__init__()
        self.directory = tempfile.TemporaryDirectory()
        self.guard: Any = self.make(Path(self.directory.name))
        self.runs: dict[str, model.Run] = {}
        self.agents: dict[str, str] = {}
        self.keys: dict[Any, str] = {}

    def teardown(self) -> None:
        self.guard.close()
        self.directory.cleanup()

    # What is done

    @initialize(chosen=CONFIGS)
    def begin(self, chosen):
        self.configure(chosen)

    @rule(chosen=CONFIGS)
    def configure(self, chosen):
        self.guard.configure(**chosen)
        self.config = config(**chosen)
        self.observing = chosen["mode"] == "observe"

    @rule()
    def restart(self):
        self.guard.restart()

    @rule(run=RUNS, agent=AGENTS, tool=TOOLS, args=ARGS, call_id=IDS, once=ONCE)
    def before(self, run, agent, tool, args, call_id, once):
        self.learn(run, agent)
        expected = self.run(run).before(
            self.asked(tool, args, call_id), self.settings(run), observing=self.observing, once=once
        )
        found = self.guard.before(tool, {"n": args}, call_id, scope=run_scope(run), agent=agent, once=once)
        self.assert_alike(found, expected)

    @rule(run=RUNS, agent=AGENTS, tool=TOOLS, args=ARGS, call_id=IDS, outcome=OUTCOMES, once=ONCE)
    def after(self, run, agent, tool, args, call_id, outcome, once):
        self.learn(run, agent)
        expected, guarded = self.run(run).after(
            self.asked(tool, args, call_id),
            came_of(outcome),
            self.settings(run),
            observing=self.observing,
            once=once,
        )
        found, state = self.guard.after(
            tool, {"n": args}, call_id, scope=run_scope(run), agent=agent, once=once, **outcome
        )
        self.assert_alike(found, expected)
        assert (state.armed, state.remaining) == guarded

    @rule(run=RUNS, tool=TOOLS, args=ARGS, outcome=LIKELY, times=st.integers(2, 7))
    def repeat(self, run, tool, args, outcome, times):
        for _ in range(times):
            self.before(run, None, tool, args, None, once=False)
            self.after(run, None, tool, args, None, outcome, once=False)

    @rule(run=RUNS, outcomes=st.tuples(LIKELY, LIKELY), times=st.integers(2, 8))
    def alternate(self, run, outcomes, times):
        for number in range(times):
            tool = ("read", "write")[number % 2]
            self.before(run, None, tool, 1, None, once=False)
            self.after(run, None, tool, 1, None, outcomes[number % 2], once=False)

    @rule(run=RUNS, tool=TOOLS, args=ARGS, times=st.integers(2, 6))
    def retry(self, run, tool, args, times):
        for _ in range(times):
            self.before(run, None, tool, args, None, once=False)

    @rule(run=RUNS, agent=AGENTS, will_retry=st.sampled_from([True, True, False]), once=ONCE)
    def compaction(self, run, agent, will_retry, once):
        self.learn(run, agent)
        expected = self.run(run).compaction(self.settings(run), will_retry=will_retry, once=once)
        found = self.guard.compaction(run_scope(run), agent, will_retry=will_retry, once=once)
        assert (found.armed, found.remaining) == expected

    @rule(run=RUNS, fresh=st.booleans())
    def start(self, run, fresh):
        is_known = run in self.runs
        if fresh and is_known:
            self.run(run).reset()
        started = self.guard.start(run_scope(run), fresh=fresh)
        assert started.resumed is (is_known and not fresh)
        assert started.calls == len(self.run(run).calls)
        assert started.status == (RunStatus.ABORTED if self.run(run).aborted else RunStatus.ACTIVE)

    @rule(run=RUNS, status=st.sampled_from([RunStatus.COMPLETED, RunStatus.FAILED, RunStatus.ABORTED]))
    def end(self, run, status):
        self.guard.end(status, scope=run_scope(run))

    @rule(run=RUNS)
    def reset(self, run):
        if run in self.runs:
            self.run(run).reset()
            self.guard.reset(scope=run_scope(run))

    @rule(run=RUNS, is_sure=st.sampled_from([False, False, False, True]))
    def abort(self, run, is_sure):
        if run in self.runs and is_sure:
            self.run(run).abort()
            self.guard.abort(scope=run_scope(run))

    # Helpers

    @staticmethod
    def state(call: model.Call) -> str:
        if call.blocked:
            return "blocked"
        return "pending" if call.came is None else "error" if call.came.failed else "ok"

    def run(self, name: str) -> model.Run:
        return self.runs.setdefault(name, model.Run())

    def learn(self, run: str, agent: str | None) -> None:
        if agent is not None:
            self.agents[run] = agent

    def settings(self, run: str):
        return self.config.loop_settings(self.agents.get(run))

    @staticmethod
    def asked(tool: str, args: int, call_id: str | None) -> model.Asked:
        return model.Asked(tool, (tool, args), tool == "command_status", call_id)

    def assert_alike(self, found: Verdict, expected: model.Answer) -> None:
        would_be = None if found.would_be is None else found.would_be.word
        assert (found.action.word, found.seq, would_be) == (
            expected.action,
            expected.seq,
            expected.would_be,
        )
        assert found.notify is expected.notify
        detection, said = found.detection, expected.found
        assert (detection is None) is (said is None)
        if detection is None or said is None:
            return
        assert in_plain_words(detection) == (
            said.detector,
            said.level,
            said.action,
            said.count,
            said.threshold,
            said.paired,
        )
        assert self.keys.setdefault(said.key, detection.warning_key) == detection.warning_key
        assert len(set(self.keys.values())) == len(self.keys)
        assert message(detection)
