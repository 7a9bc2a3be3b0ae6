import json

from guardd.protocol.gateway_methods import (
    AfterVerdict,
    DetectionResult,
    GuardState,
    Nothing,
    RunStarted,
    Verdict,
)
from guardd.protocol.jsonrpc import encode
from guardd.vocabulary import Action, Detector, Level, RunStatus


def test_an_allow_says_no_more_than_that():
    assert encode(Verdict(action=Action.ALLOW.word, seq=17)) == b'{"action":"allow","seq":17}'


def test_a_verdict_with_a_detection():
    detection = DetectionResult(
        detector=Detector.GENERIC_REPEAT,
        level=Level.WARNING,
        count=12,
        threshold=10,
        tool_name="exec",
        paired_tool_name=None,
        notify=True,
        warning_key="k",
        message="m",
    )
    wire = {
        "detector": "generic_repeat",
        "level": "warning",
        "count": 12,
        "threshold": 10,
        "toolName": "exec",
        "pairedToolName": None,
        "notify": True,
        "warningKey": "k",
        "message": "m",
    }
    verdict = Verdict(action="allow", seq=17, detection=detection, would_be="warn")
    assert json.loads(encode(verdict)) == {"action": "allow", "seq": 17, "detection": wire, "wouldBe": "warn"}


def test_the_other_results():
    after = AfterVerdict(action="allow", compaction_guard=GuardState(armed=True, remaining=2))
    assert json.loads(encode(after)) == {
        "action": "allow",
        "compactionGuard": {"armed": True, "remaining": 2},
    }
    started = RunStarted(resumed=True, calls=3, status=RunStatus.ACTIVE)
    assert json.loads(encode(started)) == {"resumed": True, "calls": 3, "status": "active"}
    assert encode(Nothing()) == b"{}"
