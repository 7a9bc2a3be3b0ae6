import json
from types import SimpleNamespace

import msgspec
import pytest

from guardd.daemon.answers import event_line, event_of, wire_guard, wire_verdict, wire_verdict_after
from guardd.detect.detection import Detection
from guardd.guard import CompactionGuard, Event, Verdict
from guardd.protocol import operator_results as results
from guardd.protocol.jsonrpc import encode
from guardd.store.rows import Scope
from guardd.vocabulary import Action, Detector, Level

DETECTION = Detection(
    detector=Detector.PING_PONG,
    level=Level.CRITICAL,
    action=Action.BLOCK,
    count=7,
    threshold=5,
    tool="read",
    paired_tool="write",
    warning_key="the key",
)
WIRE_DETECTION = {
    "detector": "ping_pong",
    "level": "critical",
    "count": 7,
    "threshold": 5,
    "toolName": "read",
    "pairedToolName": "write",
    "notify": True,
    "warningKey": "the key",
}


def plain(value: object) -> dict[str, object]:
    decoded: dict[str, object] = json.loads(encode(value))
    return decoded


def test_a_plain_verdict_says_no_more_than_it_must():
    assert plain(wire_verdict(Verdict(Action.ALLOW, 3))) == {"action": "allow", "seq": 3}
    assert plain(wire_verdict(Verdict(Action.ALLOW, None))) == {"action": "allow"}


def test_a_detection_is_told_whole():
    wire = plain(wire_verdict(Verdict(Action.BLOCK, 3, DETECTION, notify=True)))
    detection = wire.pop("detection")
    assert isinstance(detection, dict)
    assert "read" in detection.pop("message")
    assert (wire, detection) == ({"action": "block", "seq": 3}, WIRE_DETECTION)


def test_what_was_observed_says_what_it_would_be():
    wire = plain(wire_verdict(Verdict(Action.ALLOW, 3, DETECTION, notify=True, would_be=Action.BLOCK)))
    assert (wire["action"], wire["wouldBe"]) == ("allow", "block")
    assert "detection" in wire


def test_a_verdict_afterwards_has_the_guard_too():
    verdict = Verdict(Action.WARN, 3, DETECTION, notify=False)
    wire = plain(wire_verdict_after(verdict, CompactionGuard(armed=True, remaining=2)))
    assert wire.pop("compactionGuard") == {"armed": True, "remaining": 2}
    assert wire == plain(wire_verdict(verdict))


def test_a_guard_by_itself():
    assert plain(wire_guard(CompactionGuard(armed=False, remaining=0))) == {"armed": False, "remaining": 0}


@pytest.mark.parametrize("would_be", [None, Action.BLOCK])
def test_an_event_is_one_line_that_nobody_answers(would_be: Action | None):
    action = Action.BLOCK if would_be is None else Action.ALLOW
    run = SimpleNamespace(scope=Scope("default", "run", "r"), agent_id="a")
    event = Event(run, Verdict(action, 4, DETECTION, notify=True, would_be=would_be), 1000)
    line = event_line(event_of(event))
    assert line.count(b"\n") == 1
    message = json.loads(line)
    assert (message["jsonrpc"], message["method"]) == ("2.0", "event")
    told = msgspec.convert(message["params"], results.Event, strict=True)
    assert (told.run, told.seq, told.action) == ("r", 4, action.word)
    assert message["params"].get("wouldBe") == (would_be and would_be.word)
