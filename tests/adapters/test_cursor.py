"""Cursor: what each of its events asks, in shapes that were recorded, and how it is answered."""

import json

import pytest

from guardd.adapters import cursor
from guardd.adapters.events import DENY, HALT, STOP, TELL, NotUnderstoodError

TURN = {"source": "cursor", "agentId": "cursor", "sessionKey": "c", "runId": "g"}
INPUT = {"command": "make test", "cwd": "", "timeout": 30000}
ASKED = {**TURN, "toolName": "Shell", "toolCallId": "a0dc9ba3", "args": INPUT, "once": True}


def event(name, **fields):
    common = {
        "conversation_id": "c",
        "generation_id": "g",
        "model": "composer-2-fast",
        "cursor_version": "3.6.21",
        "workspace_roots": ["/w"],
    }
    return {**common, "hook_event_name": name, **fields}


def shell(name, **fields):
    return event(name, tool_name="Shell", tool_input=INPUT, tool_use_id="a0dc9ba3", cwd="", **fields)


EVENTS = [
    (shell("preToolUse"), ("tool.before", ASKED)),
    (
        shell("postToolUse", tool_output='{"output":"1\\n","exitCode":0}', duration=79.238),
        ("tool.after", ASKED | {"result": {"output": "1\n", "exitCode": 0}, "durationMs": 79.238}),
    ),
    (shell("postToolUse", tool_output="text"), ("tool.after", ASKED | {"result": "text"})),
    (shell("postToolUse"), ("tool.after", ASKED)),
    (
        shell("postToolUseFailure", error_message="timed out", failure_type="timeout", duration=0),
        ("tool.after", ASKED | {"error": "timed out", "durationMs": 0}),
    ),
    (
        shell("postToolUseFailure", failure_type="timeout"),
        ("tool.after", ASKED | {"error": "timeout"}),
    ),
    (event("beforeSubmitPrompt", prompt="go"), ("run.start", TURN | {"fresh": True})),
    (event("stop", status="completed"), ("run.end", TURN | {"status": "completed"})),
    (event("stop", status="aborted"), ("run.end", TURN | {"status": "aborted"})),
    (event("stop", status="error"), ("run.end", TURN | {"status": "failed"})),
    (
        event("preCompact", trigger="auto", context_tokens=190_000),
        ("compaction.record", TURN | {"willRetry": True, "reason": "auto", "once": True, "newestRun": True}),
    ),
]


@pytest.mark.parametrize(("given", "request_"), EVENTS, ids=[given["hook_event_name"] for given, _ in EVENTS])
def test_what_an_event_asks(given, request_):
    assert cursor.request(given) == request_


@pytest.mark.parametrize("name", sorted(cursor.SPECIAL))
def test_the_special_hooks_ask_nothing(name):
    assert cursor.request(event(name, command="make test")) is None


@pytest.mark.parametrize("name", ["subagentStart", "afterAgentThought", "sessionEnd"])
def test_others_are_not_guarded(name):
    with pytest.raises(NotUnderstoodError, match=f"{name} is not guarded"):
        cursor.request(event(name))


def test_without_a_generation_the_conversation_is_the_run():
    _, params = cursor.request(shell("preToolUse") | {"generation_id": ""})
    assert "runId" not in params
    assert params["sessionKey"] == "c"


def test_what_the_agent_adds_is_not_reported():
    output = {"exitCode": 0, "stdout": "ok", "executionTime": 12, "localExecutionTimeMs": 9, "pid": 7}
    _, params = cursor.request(shell("postToolUse", tool_output=json.dumps(output)))
    assert params["result"] == {"exitCode": 0, "stdout": "ok"}
    other = shell("postToolUse", tool_output=json.dumps(output)) | {"tool_name": "MCP:clock:now"}
    assert cursor.request(other)[1]["result"] == output


@pytest.mark.parametrize(
    ("moment", "answer"),
    [
        (DENY, {"permission": "deny", "user_message": "why", "agent_message": "why"}),
        (HALT, {"permission": "deny", "user_message": "why", "agent_message": "why"}),
        (STOP, {"additional_context": "why"}),
        (TELL, {"additional_context": "why"}),
    ],
)
def test_how_it_is_answered(moment, answer):
    assert cursor.answer(event("preToolUse"), moment, "why") == answer
