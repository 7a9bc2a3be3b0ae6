"""Whatever gateways and operators do, and however often the daemon restarts, guardd says what detection.md says.

The guard works on a real database file; `tests/daemon/test_any_history.py` asks a daemon.
"""

from pathlib import Path

from hypothesis import settings
from hypothesis.stateful import invariant, rule
from support.guarding import Guarded, run_scope
from support.histories import Histories

from guardd.store.reading import run_history
from guardd.store.reading.history import HistoryPage


class OfTheGuard(Histories):
    def make(self, directory: Path) -> Guarded:
        return Guarded(directory / "guardd.db")

    @invariant()
    def runs_stand_alike(self):
        for name, run in self.runs.items():
            row = self.guard.run(run_scope(name))
            assert row.newest_seq == len(run.calls)
            assert row.reset_seq == run.reset_after
            assert (row.abort_detection_id is not None) is (run.aborted is not None)

    @rule()
    def histories_are_alike(self):
        for name, run in self.runs.items():
            row = self.guard.run(run_scope(name))
            found = run_history(self.guard.database.core, row.id, HistoryPage(1000), None)["calls"]
            assert [(call["seq"], call["toolName"], call["state"]) for call in found] == [
                (call.seq, call.asked.tool, self.state(call)) for call in run.calls
            ]


OfTheGuard.TestCase.settings = settings(max_examples=30, stateful_step_count=30, deadline=None)
test_any_history = OfTheGuard.TestCase
