"""guardd's own export, written and read."""

import io
import json

from guardd.replay import export
from guardd.replay.reading import read
from guardd.replay.turns import Call, Compaction, Fingerprints, Reset, Skip

RUN = {
    "run": "r1",
    "source": "openclaw",
    "agentId": "main",
    "status": "active",
    "startedAt": "2026-03-01T10:00:00.000Z",
    "lastActivityAt": "2026-03-01T11:00:00.000Z",
    "calls": 2,
}
CALL = {
    "seq": 3,
    "toolName": "exec",
    "toolCallId": "c1",
    "state": "error",
    "preview": "secret",
    "repeat": 1,
    "at": "2026-03-01T11:00:00.000Z",
    "signature": "a" * 32,
    "outcome": "b" * 32,
    "missingTool": "nope",
    "isPoll": True,
}
BLOCKED = CALL | {"seq": 4, "state": "blocked", "outcome": None, "missingTool": None, "isPoll": False}


BEYOND = CALL | {
    "maskedOutcome": "c" * 32,
    "changes": True,
    "failure": "d" * 32,
    "unchanged": True,
    "beside": 2,
}


def marker(kind, after_seq, *, armed=False):
    return {"kind": kind, "afterSeq": after_seq, "armed": armed, "at": "2026-03-01T11:00:00.000Z"}


def turns_of(lines):
    text = "\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines)
    found = read(io.BufferedReader(io.BytesIO(text.encode())))
    return found.format, list(found.turns), dict(found.skipped)


def test_lines_stand_in_order_without_arguments():
    markers = [marker("compaction", 3, armed=True), marker("reset", 3), marker("daemon_restart", 2)]
    head, *lines = export.lines(RUN, [CALL, BLOCKED], markers)
    assert head == {"format": "guardd-export", "version": 1} | {
        key: value for key, value in RUN.items() if key != "calls"
    }
    assert [line.get("marker", line.get("seq")) for line in lines] == [
        "daemon_restart", 3, "compaction", "reset", 4,
    ]  # fmt: skip
    assert not any("preview" in line or "kind" in line for line in lines)


def test_what_the_rules_beyond_the_documented_ones_need_is_read():
    _known, (turn,), _skipped = turns_of(export.lines(RUN, [BEYOND], []))
    known = Fingerprints("a" * 32, "b" * 32, True, "nope", True, "c" * 32, True, "d" * 32, True)
    assert turn.calls[0].fingerprints == known
    assert turn.calls[0].beside


def test_what_was_written_is_read():
    markers = [marker("compaction", 3, armed=True), marker("reset", 3), marker("gateway_restart", 3)]
    lines = [*export.lines(RUN, [CALL, BLOCKED], markers), *export.lines(RUN | {"run": "r2"}, [CALL], [])]
    known, (turn, other), skipped = turns_of(lines)
    assert known is export
    assert (turn.id, turn.agent_id, turn.status, other.id) == ("r1", "main", RUN["status"], "r2")
    assert turn.steps == [
        Call(
            "exec",
            call_id="c1",
            fingerprints=Fingerprints("a" * 32, "b" * 32, True, "nope", True),
            seq=3,
        ),
        Compaction(armed=True),
        Reset(),
        Call(
            "exec",
            call_id="c1",
            fingerprints=Fingerprints("a" * 32, None, False, None, False),
            seq=4,
            stopped=True,
        ),
    ]
    assert skipped == {}


def test_lines_that_are_no_calls_are_counted():
    head = next(export.lines(RUN, [], []))
    broken = [{"x": 1}, CALL | {"signature": "xyz"}, CALL | {"outcome": "Z" * 32}, CALL | {"toolName": ""}]
    _, (turn,), skipped = turns_of([CALL, head, CALL, *broken])
    assert len(turn.calls) == 1
    assert skipped == {Skip.MALFORMED: 5}
