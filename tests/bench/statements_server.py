"""The floor's server with guardd's own statements and schema in place of its own, and nothing else of guardd.

    python statements_server.py SOCKET DATABASE

What it costs above the floor is what guardd keeps and looks at; what guardd costs above it is the interpreter's.
"""

import sys
import time
from hashlib import blake2b
from pathlib import Path

import uvloop

from guardd.bench import floor
from guardd.config import parse
from guardd.detect.detection import Question
from guardd.detect.glance import may_match
from guardd.store.opening import open_database
from guardd.store.rows import NewCall, Scope
from guardd.vocabulary import CallState

HISTORY = 30
SETTINGS = parse("{tools: {loopDetection: {enabled: true}}}").loop_settings(None)


class Statements(floor.Work):
    """What is done for a request, in guardd's database."""

    def __init__(self, path: Path) -> None:
        database = open_database(path, "normal", 0)
        self.connection = database.connection
        self._store = database.store

    def answer(self, frame: bytes) -> bytes:
        """As the floor does, each request a transaction."""
        self._store.begin()
        reply = super().answer(frame)
        self._store.commit()
        return reply

    def _before(self, params: floor.Params) -> floor.Verdict:
        now = time.time_ns() // 1_000_000
        run = self._store.enter_run(Scope("default", "run", params.runId), "main", now)
        question = _question(params)
        if may_match(self._store.glance(run, question, HISTORY), run.newest_seq, SETTINGS):
            self._store.figures(run, question, HISTORY)
        self._store.insert_call(
            NewCall(
                run.id, run.newest_seq + 1, params.toolName, question.signature, 1, "call_1", CallState.PENDING,
                None, None, None, None, "make target-1", now, None, None,
            )
        )  # fmt: skip
        return floor.Verdict("allow", run.newest_seq + 1, 0, 0)

    def _after(self, params: floor.Params) -> floor.Done:
        now = time.time_ns() // 1_000_000
        run = self._store.enter_run(Scope("default", "run", params.runId), "main", now)
        outcome = blake2b(params.result, digest_size=16).digest()
        call = self._store.find_open_call(run, _question(params), "call_1")
        assert call is not None
        self._store.attach_outcome(
            run,
            call.seq,
            state=CallState.OK,
            outcome=outcome,
            missing_tool=None,
            guard_marker_id=None,
            duration_ms=12,
        )
        return floor.Done()


def _question(params: floor.Params) -> Question:
    return Question(params.toolName, blake2b(params.args, digest_size=16).digest(), is_poll=False)


if __name__ == "__main__":
    uvloop.run(floor.serve(Path(sys.argv[1]), Path(sys.argv[2]), Statements))
