from dataclasses import dataclass
from typing import Any

import pytest
from support.databases import new_call
from support.detections import any_detection

from guardd.store.opening import Database
from guardd.store.rows import RunRow, Scope
from guardd.vocabulary import Action, CallState, Detector, Level, MarkerKind

READ = b"signature: read."


@dataclass
class Past:
    """Writes what an operator then looks at."""

    database: Database

    @property
    def store(self):
        return self.database.store

    @property
    def core(self):
        return self.database.core

    def run(
        self,
        name: str = "r1",
        at: int = 1,
        agent: str | None = None,
        source: str = "default",
        kind: str = "run",
    ) -> RunRow:
        return self.store.enter_run(Scope(source, kind, name), agent, at)

    def call(self, run: RunRow, **columns: Any) -> int:
        """Add a call; its seq."""
        seq = self.store.run_by_id(run.id).newest_seq + 1
        state = columns.pop("state", CallState.OK)
        outcome = b"o" if state in (CallState.OK, CallState.ERROR) else None
        self.store.insert_call(
            new_call(run, seq, **({"signature": READ, "state": state, "outcome": outcome} | columns))
        )
        return seq

    def detection(
        self,
        run: RunRow,
        seq: int | None = 1,
        action: Action = Action.WARN,
        detector: Detector = Detector.GENERIC_REPEAT,
        *,
        count: int = 3,
        at: int = 1,
        observed: bool = False,
        paired: str | None = None,
        reason: str | None = None,
    ) -> int:
        found = any_detection(
            detector=detector,
            level=Level.WARNING if action is Action.WARN else Level.CRITICAL,
            action=action,
            count=count,
            threshold=3,
            paired_tool=paired,
            reason=reason,
        )
        return self.store.insert_detection(run, seq, found, notify=True, observed=observed, now=at)

    def marker(self, run: RunRow, kind: MarkerKind = MarkerKind.COMPACTION, at: int = 1, **rest: Any) -> int:
        return self.store.insert_marker(self.store.run_by_id(run.id), kind, at, **rest)

    def reset(self, run: RunRow) -> None:
        self.store.reset_run(self.store.run_by_id(run.id), None, 1)


@pytest.fixture
def past(database):
    database.store.begin()
    return Past(database)
