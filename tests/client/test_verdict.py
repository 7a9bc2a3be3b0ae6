import pytest

from guardd.client.verdict import (
    CompactionGuard,
    Detection,
    RunStart,
    Verdict,
    read_compaction_guard,
    read_run_start,
    read_verdict,
)

DETECTION = {
    "detector": "ping_pong",
    "level": "warning",
    "count": 12,
    "threshold": 10,
    "toolName": "exec",
    "pairedToolName": "read",
    "notify": True,
    "warningKey": "k",
    "message": "You repeat yourself.",
}


def test_a_verdict_is_read_whole():
    answer = {
        "action": "warn",
        "seq": 17,
        "detection": DETECTION,
        "compactionGuard": {"armed": True, "remaining": 2},
    }
    verdict = read_verdict(answer)
    assert verdict == Verdict(
        action="warn",
        seq=17,
        detection=Detection(
            detector="ping_pong",
            level="warning",
            count=12,
            threshold=10,
            tool_name="exec",
            paired_tool_name="read",
            notify=True,
            warning_key="k",
            message="You repeat yourself.",
        ),
        compaction_guard=CompactionGuard(armed=True, remaining=2),
    )
    assert verdict.allowed
    assert verdict.message == verdict.notice == "You repeat yourself."
    with pytest.raises(AttributeError):
        verdict.action = "allow"  # type: ignore[misc]


@pytest.mark.parametrize(
    ("action", "allowed"), [("allow", True), ("warn", True), ("block", False), ("abort", False)]
)
def test_what_is_allowed(action: str, allowed: bool):  # noqa: FBT001 - a parameter of the test
    assert read_verdict({"action": action}).allowed is allowed


def test_a_newer_daemon_is_understood():
    verdict = read_verdict({"action": "block", "new": [1], "detection": {"detector": "newer", "more": {}}})
    assert not verdict.allowed
    assert verdict.detection
    assert verdict.detection.detector == "newer"
    assert verdict.message is None


@pytest.mark.parametrize("answer", [None, [], {}, {"action": "pause"}, {"action": 1}, {"action": ["allow"]}])
def test_an_answer_without_a_known_action_is_no_verdict(answer: object):
    with pytest.raises(ValueError, match=r"action|object"):
        read_verdict(answer)


def test_members_of_wrong_types_are_neutral():
    verdict = read_verdict({"action": "warn", "seq": "1", "detection": {"count": True, "message": 5}})
    assert verdict.seq is None
    assert verdict.detection
    assert (verdict.detection.count, verdict.detection.message) == (0, None)


@pytest.mark.parametrize(("action", "notify"), [("allow", True), ("warn", False)])
def test_there_is_no_notice_when_observing_or_when_it_was_given_already(action: str, notify: bool):  # noqa: FBT001 - a parameter of the test
    verdict = read_verdict(
        {"action": action, "wouldBe": "warn", "detection": {**DETECTION, "notify": notify}}
    )
    assert verdict.message
    assert verdict.notice is None
    assert verdict.would_be == "warn"


def test_the_other_answers():
    assert read_compaction_guard({"armed": True, "remaining": 3}) == CompactionGuard(armed=True, remaining=3)
    assert read_run_start({"resumed": True, "calls": 7, "status": "aborted", "x": 1}) == RunStart(
        resumed=True, calls=7, status="aborted"
    )
    for read in (read_compaction_guard, read_run_start):
        with pytest.raises(ValueError, match="no object"):
            read("text")
