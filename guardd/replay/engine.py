"""Plays turns to the engine that the daemon runs, on a database in memory."""

import sqlite3
from dataclasses import replace
from types import TracebackType
from typing import NamedTuple, Self

from sqlalchemy import create_engine
from sqlalchemy.pool import StaticPool

from guardd.config import Config
from guardd.detect.messages import message
from guardd.fingerprint import VERSION
from guardd.guard import Event, Guard, Report, calls, compaction, lifecycle
from guardd.replay.findings import Finding, Findings
from guardd.replay.recorded import RecordedFingerprinter, request_of
from guardd.replay.turns import Call, Compaction, Step, Turn
from guardd.store.rows import Scope
from guardd.store.schema import metadata
from guardd.store.store import Store
from guardd.vocabulary import Action, ScopeKind

_KEY = b"of fingerprints that are forgotten with each turn"


class _UnderWay(NamedTuple):
    """A call whose outcome is not reported yet, its report, and what that was answered with."""

    call: Call
    report: Report
    action: Action


class Engine:
    """A guard that judges recorded turns, each as a run of its own that is forgotten afterwards.

    It enforces whatever `guardd.mode` says: the question is what would be done. A call that it blocks was made
    all the same when it was recorded; it counts as the blocked attempt that it would have been, and what came
    of it does not count.

    Args:
        config: The settings.
        agent_id: Whose settings hold for turns that do not say whose they are.
    """

    def __init__(self, config: Config, agent_id: str | None = None) -> None:
        self._connection = sqlite3.connect(":memory:", isolation_level=None)
        engine = create_engine("sqlite://", creator=lambda: self._connection, poolclass=StaticPool)
        metadata.create_all(engine)
        self._connection.execute("insert into fingerprint_keys values (?, ?, 0)", (VERSION, _KEY))
        self._store = Store(self._connection)
        self._agent_id = agent_id
        self._published: list[Event] = []
        settings = replace(config.settings, mode="enforce")
        config = replace(config, settings=settings)
        self._guard = Guard(self._store, config, _KEY, self._published.append, RecordedFingerprinter)
        self._guard.keeps_previews = False
        self._now = 0
        self._under_way: list[_UnderWay] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._connection.close()

    def play(self, turn: Turn, findings: Findings) -> None:
        """Play a turn, and add what was found."""
        self._store.begin()
        try:
            scope = Scope("replay", ScopeKind.RUN, turn.id)
            agent_id = self._agent_id or turn.agent_id
            for step in turn.steps:
                if not (isinstance(step, Call) and step.beside):
                    self._end_calls(turn, findings)
                self._play(scope, agent_id, turn, step, findings)
            self._end_calls(turn, findings)
        finally:
            self._under_way.clear()
            self._store.rollback()
        findings.turns += 1

    def _play(self, scope: Scope, agent_id: str | None, turn: Turn, step: Step, findings: Findings) -> None:
        self._now += 1
        if isinstance(step, Call):
            report = Report(scope, agent_id, step.tool, step.call_id, request_of(step)[0])
            before = calls.before(self._guard, report, self._now)
            self._under_way.append(_UnderWay(step, report, before.action))
            self._note(turn, step, findings)
        elif isinstance(step, Compaction):
            compaction.record(self._guard, scope, agent_id, self._now, will_retry=step.armed)
        elif (run := self._store.find_run(scope)) is not None:
            lifecycle.reset(self._guard, run, None, self._now)

    def _end_calls(self, turn: Turn, findings: Findings) -> None:
        """Report the outcomes of the calls that were made beside each other, in their order."""
        for call, report, answered in self._under_way:
            _args, result, error = request_of(call)
            after, _guard = calls.after(self._guard, report, result, error, None, self._now)
            findings.calls += 1
            findings.stopped += call.stopped
            findings.actions[max(answered, after.action).word] += 1
            self._note(turn, call, findings)
        self._under_way.clear()

    def _note(self, turn: Turn, call: Call, findings: Findings) -> None:
        findings.detections += (_finding(event, turn, call) for event in self._published)
        self._published.clear()


def _finding(event: Event, turn: Turn, call: Call) -> Finding:
    verdict, found = event.verdict, event.verdict.detection
    assert found is not None
    assert verdict.seq is not None
    return Finding(
        turn=turn.id,
        seq=verdict.seq if call.seq is None else call.seq,
        action=found.action.word,
        detector=found.detector.value,
        level=found.level.value,
        counted=found.count,
        threshold=found.threshold,
        tool=found.tool,
        paired_tool=found.paired_tool,
        notify=verdict.notify,
        message=message(found),
    )
