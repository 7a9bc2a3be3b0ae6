"""Gemini CLI: what each of its events asks, and how it is answered."""

import pytest

from guardd.adapters import gemini_cli
from guardd.adapters.events import DENY, HALT, STOP, TELL

SESSION = {"source": "gemini-cli", "agentId": "gemini-cli", "sessionKey": "s"}
COMMAND = {"command": "make test"}
ASKED = {**SESSION, "toolName": "run_shell_command", "args": COMMAND, "once": True}


def event(name, **fields):
    common = {"session_id": "s", "transcript_path": "", "cwd": "/w", "timestamp": "2026-11-30T10:00:00Z"}
    return {**common, "hook_event_name": name, **fields}


def shell(name, **fields):
    return event(name, tool_name="run_shell_command", tool_input=COMMAND, **fields)


FAILED = {"llmContent": "Exit Code: 2", "returnDisplay": "x", "error": {"message": "x", "type": "shell"}}
EVENTS = [
    (shell("BeforeTool"), ("tool.before", ASKED)),
    (
        shell("AfterTool", tool_response={"llmContent": "ok", "returnDisplay": "ok"}),
        ("tool.after", ASKED | {"result": {"llmContent": "ok", "returnDisplay": "ok"}}),
    ),
    (shell("AfterTool", tool_response=FAILED), ("tool.after", ASKED | {"error": FAILED})),
    (
        shell("AfterTool", tool_response={"llmContent": "ok", "error": None}),
        ("tool.after", ASKED | {"result": {"llmContent": "ok", "error": None}}),
    ),
    (shell("AfterTool"), ("tool.after", ASKED)),
    (event("BeforeAgent", prompt="go"), ("run.start", SESSION | {"fresh": True})),
    (event("AfterAgent", prompt="go"), ("run.end", SESSION | {"status": "completed"})),
    (
        event("PreCompress", trigger="manual"),
        (
            "compaction.record",
            SESSION | {"willRetry": False, "reason": "manual", "once": True, "newestRun": True},
        ),
    ),
]


@pytest.mark.parametrize(("given", "request_"), EVENTS, ids=[given["hook_event_name"] for given, _ in EVENTS])
def test_what_an_event_asks(given, request_):
    assert gemini_cli.request(given) == request_


def test_what_the_agent_adds_is_not_reported():
    text = "Command: make test\nOutput: ok\nBackground PIDs: 4501, 4502\nProcess Group PGID: 4500"
    response = {"llmContent": text, "returnDisplay": text}
    _, params = gemini_cli.request(shell("AfterTool", tool_response=response))
    shown = "Command: make test\nOutput: ok"
    assert params["result"] == {"llmContent": shown, "returnDisplay": shown}
    parts = {"llmContent": [{"text": "a"}], "returnDisplay": text}
    other = shell("AfterTool", tool_response=parts) | {"tool_name": "read_file"}
    assert gemini_cli.request(other)[1]["result"] == parts


@pytest.mark.parametrize(
    ("moment", "answer"),
    [
        (DENY, {"decision": "deny", "reason": "why"}),
        (HALT, {"decision": "deny", "reason": "why", "continue": False, "stopReason": "why"}),
        (STOP, {"continue": False, "stopReason": "why"}),
        (TELL, {"hookSpecificOutput": {"hookEventName": "AfterTool", "additionalContext": "why"}}),
    ],
)
def test_how_it_is_answered(moment, answer):
    assert gemini_cli.answer(event("AfterTool"), moment, "why") == answer
