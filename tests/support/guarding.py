"""A guard over a database file, spoken to as the daemon does: each report is a transaction of its own."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

from support.databases import close, make_database

from guardd.config import Config, parse
from guardd.guard import CompactionGuard, Event, Guard, Report, Verdict, calls, compaction, lifecycle
from guardd.guard.lifecycle import Started
from guardd.store.opening import open_database
from guardd.store.rows import RunRow, Scope
from guardd.vocabulary import RunStatus, ScopeKind

T = TypeVar("T")

LOOP = {
    "enabled": True,
    "warningThreshold": 3,
    "criticalThreshold": 6,
    "unknownToolThreshold": 4,
    "globalCircuitBreakerThreshold": 9,
}
"""Loop detection with low thresholds."""

MISSING: Any = object()
"""No arguments, no result, no error: not even null."""


def config(loop: Mapping[str, Any] | None = None, agents: Any = (), **guardd: Any) -> Config:
    """A configuration of those blocks."""
    agents = [{"id": name, "tools": {"loopDetection": block}} for name, block in dict(agents).items()]
    document = {"tools": {"loopDetection": loop or {}}, "agents": {"list": agents}, "guardd": guardd}
    return parse(json.dumps(document))


def run_scope(name: str, source: str = "default") -> Scope:
    """The scope of a run id."""
    return Scope(source, ScopeKind.RUN, name)


class Guarded:
    """A guard that can be closed and opened again.

    Attributes:
        scope: the run that is meant where none is named.
        now: the time, one millisecond later with each report.
        events: what was published.
    """

    def __init__(self, path: Path, loop: Mapping[str, Any] | None = None, **rest: Any) -> None:
        self.path = make_database(path)
        self.scope = run_scope("r1")
        self.now = 0
        self.events: list[Event] = []
        self._config = config(loop, **rest)
        self._open()

    def _open(self) -> None:
        self.database = open_database(self.path, "normal", self.now)
        self.store = self.database.store
        self.guard = Guard(self.store, self._config, self.database.key, self.events.append)

    def close(self) -> None:
        """Let go of the file, as a process does that ends."""
        close(self.database)

    def restart(self) -> None:
        """Another guard on the same file."""
        self.close()
        self._open()

    def configure(self, loop: Mapping[str, Any] | None = None, **rest: Any) -> None:
        """Take other settings."""
        self._config = config(loop, **rest)
        self.guard.configure(self._config)

    def transact(self, work: Callable[[int], T]) -> T:
        """Do something in a transaction at the next moment."""
        self.now += 1
        self.store.begin()
        try:
            result = work(self.now)
        except BaseException:
            self.store.rollback()
            raise
        self.store.commit()
        return result

    def report(
        self,
        tool: str,
        args: Any = MISSING,
        call_id: str | None = None,
        *,
        scope: Scope | None = None,
        agent: str | None = None,
        once: bool = False,
    ) -> Report:
        """A report of a call."""
        return Report(scope or self.scope, agent, tool, call_id, _json(args), once)

    def before(self, tool: str, args: Any = MISSING, call_id: str | None = None, **rest: Any) -> Verdict:
        """`tool.before`."""
        report = self.report(tool, args, call_id, **rest)
        return self.transact(lambda now: calls.before(self.guard, report, now))

    def after(
        self,
        tool: str,
        args: Any = MISSING,
        call_id: str | None = None,
        *,
        result: Any = MISSING,
        error: Any = MISSING,
        duration_ms: int | None = None,
        **rest: Any,
    ) -> tuple[Verdict, CompactionGuard]:
        """`tool.after`."""
        report = self.report(tool, args, call_id, **rest)
        return self.transact(
            lambda now: calls.after(self.guard, report, _json(result), _json(error), duration_ms, now)
        )

    def call(self, tool: str, args: Any = MISSING, result: Any = "same", **rest: Any) -> Verdict:
        """Ask for a call and, unless it is stopped, report its result; the verdict before it."""
        verdict = self.before(tool, args, **rest)
        if verdict.action.word in ("allow", "warn"):
            self.after(tool, args, result=result, **rest)
        return verdict

    def miss(self, tool: str, args: Any = MISSING, **rest: Any) -> Verdict:
        """Ask for a call of a tool that does not exist, which its outcome says; the verdict before it."""
        verdict = self.before(tool, args, **rest)
        if verdict.action.word in ("allow", "warn"):
            self.after(tool, args, error=f"Tool {tool} not found", **rest)
        return verdict

    def compaction(
        self, scope: Scope | None = None, agent: str | None = None, **rest: Any
    ) -> CompactionGuard:
        """`compaction.record`."""
        return self.transact(
            lambda now: compaction.record(self.guard, scope or self.scope, agent, now, **rest)
        )

    def start(self, scope: Scope | None = None, agent: str | None = None, **rest: Any) -> Started:
        """`run.start`."""
        return self.transact(lambda now: lifecycle.start(self.guard, scope or self.scope, agent, now, **rest))

    def end(
        self,
        status: RunStatus = RunStatus.COMPLETED,
        reason: str | None = None,
        scope: Scope | None = None,
    ) -> None:
        """`run.end`."""
        self.transact(lambda now: lifecycle.end(self.guard, scope or self.scope, status, reason, now))

    def reset(self, reason: str | None = None, scope: Scope | None = None) -> None:
        """`run.reset`."""
        self.transact(lambda now: lifecycle.reset(self.guard, self.run(scope), reason, now))

    def abort(self, reason: str | None = "enough", scope: Scope | None = None) -> None:
        """`run.abort`."""
        self.transact(lambda now: lifecycle.abort(self.guard, self.run(scope), reason, now))

    def run(self, scope: Scope | None = None) -> RunRow:
        """How a run stands."""
        run = self.store.find_run(scope or self.scope)
        assert run is not None
        return run

    def query(self, sql: str, *values: Any) -> list[tuple[Any, ...]]:
        """Look into the database."""
        return self.database.connection.execute(sql, values).fetchall()

    def states(self) -> list[int]:
        """The states of the run's calls."""
        return [
            state
            for (state,) in self.query("select state from calls where run_id = ? order by seq", self.run().id)
        ]

    def markers(self) -> list[tuple[str, int]]:
        """Kind and place of the run's markers."""
        return self.query("select kind, after_seq from markers where run_id = ? order by id", self.run().id)


def _json(value: Any) -> bytes | None:
    """A value as it stands in a frame; bytes are sent as they are."""
    if value is MISSING or isinstance(value, bytes):
        return None if value is MISSING else value
    return json.dumps(value).encode()
