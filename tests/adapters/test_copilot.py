"""GitHub Copilot CLI: what each of its events asks, in both of its spellings, and how it is answered."""

import pytest

from guardd.adapters import copilot
from guardd.adapters.events import DENY, HALT, STOP, TELL, NotUnderstoodError

SESSION = {"source": "copilot", "agentId": "copilot", "sessionKey": "s"}
ARGS = {"command": "make test", "description": "Test"}
ASKED = {**SESSION, "toolName": "bash", "args": ARGS, "once": True}


def camel(**fields):
    return {"sessionId": "s", "timestamp": 1764500000000, "cwd": "/w", **fields}


def snake(name, **fields):
    common = {"session_id": "s", "timestamp": "2026-11-30T10:00:00Z", "cwd": "/w"}
    return {**common, "hook_event_name": name, **fields}


CAMEL_CALL = {"toolName": "bash", "toolArgs": ARGS}
SNAKE_CALL = {"tool_name": "bash", "tool_input": ARGS}
DONE = {"resultType": "success", "textResultForLlm": "ok"}
SNAKE_DONE = {"result_type": "success", "text_result_for_llm": "ok"}
FRESH = ("run.start", SESSION | {"fresh": True})
COMPACTED = (
    "compaction.record",
    SESSION | {"willRetry": True, "reason": "auto", "once": True, "newestRun": True},
)
EVENTS = {
    "preToolUse": (camel(**CAMEL_CALL), ("tool.before", ASKED)),
    "preToolUse, arguments as text": (
        camel(toolName="bash", toolArgs='{"command": "make test", "description": "Test"}'),
        ("tool.before", ASKED),
    ),
    "preToolUse with an id": (
        camel(**CAMEL_CALL, toolCallId="call_1"),
        ("tool.before", ASKED | {"toolCallId": "call_1"}),
    ),
    "PreToolUse": (snake("PreToolUse", **SNAKE_CALL), ("tool.before", ASKED)),
    "postToolUse": (camel(**CAMEL_CALL, toolResult=dict(DONE)), ("tool.after", ASKED | {"result": DONE})),
    "postToolUse, denied": (
        camel(**CAMEL_CALL, toolResult={"resultType": "denied", "textResultForLlm": "no"}),
        ("tool.after", ASKED | {"error": "no"}),
    ),
    "PostToolUse": (
        snake("PostToolUse", **SNAKE_CALL, tool_result=dict(SNAKE_DONE)),
        ("tool.after", ASKED | {"result": SNAKE_DONE}),
    ),
    "PostToolUse, failed": (
        snake("PostToolUse", **SNAKE_CALL, tool_result={"result_type": "failure"}),
        ("tool.after", ASKED | {"error": "failure"}),
    ),
    "postToolUseFailure": (camel(**CAMEL_CALL, error="boom"), ("tool.after", ASKED | {"error": "boom"})),
    "PostToolUseFailure": (
        snake("PostToolUseFailure", **SNAKE_CALL, error="boom"),
        ("tool.after", ASKED | {"error": "boom"}),
    ),
    "userPromptSubmitted": (camel(prompt="go"), FRESH),
    "UserPromptSubmit": (snake("UserPromptSubmit", prompt="go"), FRESH),
    "userPromptSubmitted, named": (snake("userPromptSubmitted", prompt="go"), FRESH),
    "preCompact": (camel(transcriptPath="/t", trigger="auto", customInstructions=""), COMPACTED),
    "PreCompact": (snake("PreCompact", trigger="auto"), COMPACTED),
    "agentStop": (
        camel(transcriptPath="/t", stopReason="end_turn"),
        ("run.end", SESSION | {"status": "completed"}),
    ),
    "Stop": (snake("Stop", stop_reason="end_turn"), ("run.end", SESSION | {"status": "completed"})),
}


@pytest.mark.parametrize(("given", "request_"), EVENTS.values(), ids=EVENTS)
def test_what_an_event_asks(given, request_):
    assert copilot.request(given) == request_


@pytest.mark.parametrize(
    "given",
    [
        camel(source="new", initialPrompt="go"),
        camel(reason="complete"),
        camel(agentName="x", stopReason="end_turn"),
        camel(error={"message": "x"}, errorContext="system", recoverable=True),
        snake("SessionStart", source="new"),
    ],
)
def test_others_are_not_guarded(given):
    with pytest.raises(NotUnderstoodError):
        copilot.request(given)


@pytest.mark.parametrize(
    ("shown", "reported"),
    [
        ("ok\n<shellId: 12 completed with exit code 0>", "ok\n<shellId:  completed with exit code 0>"),
        (
            "<command started in background with shellId: 3>",
            "<command started in background with shellId: >",
        ),
        ("<command started in background with shellId: build>",) * 2,
        ("see shellId: 12",) * 2,
        ("<shellId: 12 completed>\nno",) * 2,
        ("",) * 2,
    ],
)
def test_the_number_of_a_shell_is_not_reported(shown, reported):
    for tool, expected in (("bash", reported), ("powershell", reported), ("view", shown)):
        result = {"resultType": "success", "textResultForLlm": shown, "toolTelemetry": {"durationMs": 7}}
        _, params = copilot.request(camel(toolName=tool, toolArgs={}, toolResult=result))
        assert params["result"] == {"resultType": "success", "textResultForLlm": expected}


@pytest.mark.parametrize(
    ("moment", "answer"),
    [
        (DENY, {"permissionDecision": "deny", "permissionDecisionReason": "why"}),
        (HALT, {"permissionDecision": "deny", "permissionDecisionReason": "why"}),
        (STOP, {"additionalContext": "why"}),
        (TELL, {"additionalContext": "why"}),
    ],
)
def test_how_it_is_answered(moment, answer):
    assert copilot.answer(camel(), moment, "why") == answer
