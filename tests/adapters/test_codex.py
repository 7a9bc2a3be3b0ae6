"""Codex CLI: what each of its events asks, and how it is answered."""

import json

import pytest

from guardd.adapters import codex
from guardd.adapters.events import DENY, HALT, STOP, TELL, NotUnderstoodError

TURN = {"source": "codex", "agentId": "codex", "sessionKey": "s", "runId": "t"}
COMMAND = {"command": "make test"}
ASKED = {**TURN, "toolName": "Bash", "toolCallId": "call_abc", "args": COMMAND, "once": True}


def event(name, **fields):
    common = {
        "session_id": "s",
        "turn_id": "t",
        "transcript_path": None,
        "cwd": "/w",
        "model": "gpt-5",
        "permission_mode": "default",
    }
    return {**common, "hook_event_name": name, **fields}


def bash(name, **fields):
    return event(name, tool_name="Bash", tool_input=COMMAND, tool_use_id="call_abc", **fields)


EVENTS = [
    (bash("PreToolUse"), ("tool.before", ASKED)),
    (bash("PostToolUse", tool_response="ok\n"), ("tool.after", ASKED | {"result": "ok\n"})),
    (bash("PostToolUse"), ("tool.after", ASKED)),
    (event("UserPromptSubmit", prompt="go"), ("run.start", TURN | {"fresh": True})),
    (event("Stop", stop_hook_active=False), ("run.end", TURN | {"status": "completed"})),
    (
        event("PreCompact", trigger="auto"),
        ("compaction.record", TURN | {"willRetry": True, "reason": "auto", "once": True, "newestRun": True}),
    ),
    (
        event("PostCompact", trigger="manual"),
        (
            "compaction.record",
            TURN | {"willRetry": False, "reason": "manual", "once": True, "newestRun": True},
        ),
    ),
]


@pytest.mark.parametrize(("given", "request_"), EVENTS, ids=[given["hook_event_name"] for given, _ in EVENTS])
def test_what_an_event_asks(given, request_):
    assert codex.request(given) == request_


def test_a_compaction_without_a_turn_names_the_session():
    given = event("SessionStart", source="compact")
    del given["turn_id"]
    _, params = codex.request(given)
    assert "runId" not in params
    assert params["sessionKey"] == "s"
    with pytest.raises(NotUnderstoodError):
        codex.request(given | {"source": "startup"})


def test_a_sub_agent_is_a_run_of_its_own():
    _, params = codex.request(bash("PreToolUse", agent_id="a", agent_type="worker"))
    assert (params["runId"], params["sessionKey"], params["agentId"]) == ("t/a", "s/a", "worker")


HEAD = "Chunk ID: {0}\nWall time: 0.{0} seconds\nProcess exited with code 0\nOutput:\nWall time: 3\n"


@pytest.mark.parametrize("name", ["SubagentStart", "SubagentStop"])
def test_a_sub_agent_without_an_id_is_not_taken_for_the_main_one(name):
    with pytest.raises(NotUnderstoodError):
        codex.request(event(name, agent_type="x"))


RESULTS = [
    ("Bash", HEAD.format(1), "Process exited with code 0\nOutput:\nWall time: 3\n"),
    ("Bash", "Wall time: 3\n", "Wall time: 3\n"),
    (
        "apply_patch",
        json.dumps({"output": "Success.", "metadata": {"exit_code": 0, "duration_seconds": 0.1}}),
        {"output": "Success.", "metadata": {"exit_code": 0}},
    ),
    ("Bash", {"output": "ok", "wall_time_seconds": 0.05, "chunk_id": "3f"}, {"output": "ok"}),
    ("Bash", '{"a": half', '{"a": half'),
    ("mcp__clock__now", {"chunk_id": 1}, {"chunk_id": 1}),
    ("mcp__clock__now", HEAD.format(1), HEAD.format(1)),
]


@pytest.mark.parametrize(("tool", "response", "reported"), RESULTS)
def test_what_the_agent_adds_is_not_reported(tool, response, reported):
    _, params = codex.request(bash("PostToolUse", tool_response=response) | {"tool_name": tool})
    assert params["result"] == reported


@pytest.mark.parametrize("moment", [DENY, HALT])
def test_before_a_call_it_knows_only_a_denial(moment):
    assert codex.answer(bash("PreToolUse"), moment, "why") == {
        "hookSpecificOutput": {
            "hookEventName": "PreToolUse",
            "permissionDecision": "deny",
            "permissionDecisionReason": "why",
        }
    }


def test_after_a_call_it_can_be_told_and_stopped():
    assert codex.answer(bash("PostToolUse"), STOP, "why") == {"continue": False, "stopReason": "why"}
    assert codex.answer(bash("PostToolUse"), TELL, "why") == {
        "hookSpecificOutput": {"hookEventName": "PostToolUse", "additionalContext": "why"}
    }
