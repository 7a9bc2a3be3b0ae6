from typing import Any

import pytest

from guardd.client import operations
from guardd.client.exceptions import GuardUnavailable
from guardd.client.operations import UNSET, Operation, Scope
from guardd.client.verdict import CompactionGuard, RunStart, Verdict

SCOPE = Scope("r1", "s1", "a1")
SENT_SCOPE = {"source": "cli", "runId": "r1", "sessionKey": "s1", "agentId": "a1"}


def after(**outcome: object) -> dict[str, object]:
    given: dict[str, object] = {"result": UNSET, "error": None, "duration_ms": None, **outcome}
    operation = operations.after_call("cli", Scope(), "exec", None, None, **given)  # type: ignore[arg-type]
    return dict(operation.params)


def test_what_is_asked_before_a_call():
    operation = operations.before_call("cli", SCOPE, "exec", {"a": 1}, "c1")
    assert operation.method == "tool.before"
    assert operation.params == {**SENT_SCOPE, "toolName": "exec", "toolCallId": "c1", "args": {"a": 1}}
    assert operation.gate
    assert operation.degraded("gone") == Verdict("allow", degraded="gone")


def test_what_was_not_given_is_not_sent():
    operation = operations.before_call("cli", Scope(), "exec", None, None)
    assert operation.params == {"source": "cli", "toolName": "exec"}


@pytest.mark.parametrize(
    ("outcome", "sent"),
    [
        ({}, {}),
        ({"result": None}, {"result": None}),
        ({"result": 0, "duration_ms": 12.6}, {"result": 0, "durationMs": 13}),
        ({"error": "boom"}, {"error": "boom"}),
        ({"error": ValueError("boom")}, {"error": "ValueError: boom"}),
        ({"result": 1, "error": {"code": 5}}, {"error": {"code": 5}}),
        ({"duration_ms": -1}, {"durationMs": 0}),
    ],
)
def test_what_is_reported_after_a_call(outcome: dict[str, object], sent: dict[str, object]):
    assert after(**outcome) == {"source": "cli", "toolName": "exec", **sent}


def test_reports_are_no_gates():
    reports: list[Operation[Any]] = [
        operations.after_call("cli", SCOPE, "exec", None, None, result=1, error=None, duration_ms=None),
        operations.record_compaction(
            "cli", SCOPE, will_retry=False, reason="overflow", tokens_before=9, tokens_after=3
        ),
        operations.start_run("cli", SCOPE, metadata={"a": 1}, fresh=True),
        operations.end_run("cli", SCOPE, "failed", "why"),
    ]
    assert not any(report.gate for report in reports)
    assert [report.degraded("gone") for report in reports] == [
        Verdict("allow", degraded="gone"),
        CompactionGuard(armed=False, remaining=0, degraded="gone"),
        RunStart(resumed=False, calls=0, status="active", degraded="gone"),
        False,
    ]
    assert [dict(report.params) for report in reports[1:]] == [
        {**SENT_SCOPE, "willRetry": False, "reason": "overflow", "tokensBefore": 9, "tokensAfter": 3},
        {**SENT_SCOPE, "metadata": {"a": 1}, "fresh": True},
        {**SENT_SCOPE, "status": "failed", "reason": "why"},
    ]


def test_mistakes_of_the_program_raise():
    with pytest.raises(TypeError, match="run_id must be a string"):
        Scope(run_id=5)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="tool must be a string"):
        operations.before_call("cli", SCOPE, None, {}, None)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="call_id must be a string"):
        operations.before_call("cli", SCOPE, "exec", {}, 7)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="completed, failed, aborted"):
        operations.end_run("cli", SCOPE, "active", None)


def test_a_run_that_is_named_in_no_way_gets_an_id():
    assert operations.scope_of_run(None, None, "a").run_id != operations.scope_of_run("", None, "a").run_id
    assert operations.scope_of_run(None, "s", None) == Scope(session_key="s")


def test_an_answer_that_means_nothing_counts_as_none():
    operation = operations.before_call("cli", SCOPE, "exec", {}, None)
    with pytest.raises(GuardUnavailable, match=r"not understood.*'pause'"):
        operations.read(operation, {"action": "pause"})
