"""Claude Code: what each of its events asks, in shapes that were recorded, and how it is answered."""

import pytest
from support.agents import ClaudeCode

from guardd.adapters import claude_code
from guardd.adapters.events import DENY, HALT, STOP, TELL, NotUnderstoodError

SCOPE = {"source": "claude-code", "agentId": "claude-code", "sessionKey": "s"}
TURN = SCOPE | {"runId": "s/p"}


def event(name, **fields):
    common = {
        "session_id": "s",
        "prompt_id": "p",
        "transcript_path": "/t.jsonl",
        "cwd": "/w",
        "permission_mode": "default",
    }
    return {**common, "hook_event_name": name, **fields}


def call(tool, tool_input, **fields):
    return {"tool_name": tool, "tool_input": tool_input, "tool_use_id": "toolu_01X8MDn58", **fields}


def asked(tool, args):
    return {**TURN, "toolName": tool, "toolCallId": "toolu_01X8MDn58", "args": args, "once": True}


BASH = {"command": "ls missing"}
STDOUT = {"stdout": "a\n", "stderr": "", "interrupted": False, "isImage": False, "noOutputExpected": False}
EVENTS = [
    (event("PreToolUse", **call("Bash", BASH)), ("tool.before", asked("Bash", BASH))),
    (
        event("PostToolUse", **call("Bash", BASH, tool_response=dict(STDOUT), duration_ms=17)),
        ("tool.after", asked("Bash", BASH) | {"result": STDOUT, "durationMs": 17}),
    ),
    (
        event(
            "PostToolUseFailure",
            **call("Bash", BASH, error="Exit code 2", is_interrupt=False, duration_ms=146),
        ),
        ("tool.after", asked("Bash", BASH) | {"error": "Exit code 2", "durationMs": 146}),
    ),
    (event("PostToolUseFailure", **call("Bash", BASH)), ("tool.after", asked("Bash", BASH) | {"error": ""})),
    (event("PostToolUse", **call("Bash", BASH)), ("tool.after", asked("Bash", BASH))),
    (
        event("PostToolUse", **call("Bash", BASH, tool_response=None)),
        ("tool.after", asked("Bash", BASH) | {"result": None}),
    ),
    (
        event("PostToolBatch", tool_calls=[call("Bash", BASH, tool_response="no")]),
        ("tool.after", {**TURN, "toolName": "PostToolBatch", "args": None, "once": True}),
    ),
    (event("UserPromptSubmit", prompt="go"), ("run.start", TURN | {"fresh": True})),
    (event("Stop", stop_hook_active=False), ("run.end", TURN | {"status": "completed"})),
    (
        event("PreCompact", trigger="auto", custom_instructions=""),
        (
            "compaction.record",
            TURN | {"willRetry": True, "reason": "auto", "once": True, "newestRun": True},
        ),
    ),
    (
        event("PostCompact", trigger="manual", compact_summary="…"),
        (
            "compaction.record",
            TURN | {"willRetry": False, "reason": "manual", "once": True, "newestRun": True},
        ),
    ),
    (
        event("SessionStart", source="compact"),
        ("compaction.record", TURN | {"willRetry": True, "once": True, "newestRun": True}),
    ),
]


@pytest.mark.parametrize(("given", "request_"), EVENTS, ids=[given["hook_event_name"] for given, _ in EVENTS])
def test_what_an_event_asks(given, request_):
    assert claude_code.request(given) == request_


@pytest.mark.parametrize("source", ["startup", "resume", "clear", "fork"])
def test_other_starts_of_a_session_ask_nothing(source):
    with pytest.raises(NotUnderstoodError):
        claude_code.request(event("SessionStart", source=source))


def test_without_a_prompt_id_the_session_is_the_run():
    _, params = claude_code.request(ClaudeCode(prompt_ids=False).before("toolu_1"))
    assert "runId" not in params


def test_a_sub_agent_is_a_run_of_its_own_whatever_the_prompt():
    name = {"agent_id": "a1", "agent_type": "Explore"}
    expected = {"source": "claude-code", "agentId": "Explore", "runId": "s/a1", "sessionKey": "s/a1"}
    for turn in ("p", "q"):
        for given in ("SubagentStart", "SubagentStop", "PreCompact"):
            _, params = claude_code.request(event(given, **name) | {"prompt_id": turn})
            assert expected.items() <= params.items()


@pytest.mark.parametrize("name", ["SubagentStart", "SubagentStop"])
def test_a_sub_agent_without_an_id_is_not_taken_for_the_main_one(name):
    with pytest.raises(NotUnderstoodError):
        claude_code.request(event(name, agent_type="x"))


RESULTS = [
    ("Bash", STDOUT | {"backgroundTaskId": "bix46i2qi"}, STDOUT),
    (
        "BashOutput",
        {"shellId": "b1", "stdout": "", "timestamp": "2026-11-30T10:00:00Z"},
        {"shellId": "b1", "stdout": ""},
    ),
    ("Glob", {"filenames": [], "durationMs": 6, "numFiles": 0}, {"filenames": [], "numFiles": 0}),
    ("WebFetch", {"code": 200, "result": "r", "durationMs": 812}, {"code": 200, "result": "r"}),
    (
        "WebSearch",
        {
            "query": "q",
            "results": [{"tool_use_id": "srvtoolu_1", "content": []}, "text"],
            "durationSeconds": 1.5,
        },
        {"query": "q", "results": [{"content": []}, "text"]},
    ),
    (
        "Agent",
        {
            "status": "completed",
            "agentId": "a4d2c8f1",
            "content": [{"type": "text", "text": "12"}],
            "totalTokens": 12450,
            "totalDurationMs": 48211,
            "totalToolUseCount": 7,
            "usage": {"input_tokens": 8320},
        },
        {"status": "completed", "content": [{"type": "text", "text": "12"}]},
    ),
    ("mcp__clock__now", {"durationMs": 6, "timestamp": 7}, {"durationMs": 6, "timestamp": 7}),
    ("Read", [1], [1]),
    ("Bash", "text", "text"),
]


@pytest.mark.parametrize(("tool", "response", "reported"), RESULTS, ids=[tool for tool, _, _ in RESULTS])
def test_what_the_agent_adds_is_not_reported(tool, response, reported):
    _, params = claude_code.request(event("PostToolUse", **call(tool, {}, tool_response=response)))
    assert params["result"] == reported


@pytest.mark.parametrize(
    ("moment", "name", "answer"),
    [
        (
            DENY,
            "PreToolUse",
            {
                "hookSpecificOutput": {
                    "hookEventName": "PreToolUse",
                    "permissionDecision": "deny",
                    "permissionDecisionReason": "why",
                }
            },
        ),
        (
            HALT,
            "PreToolUse",
            {
                "continue": False,
                "stopReason": "why",
                "hookSpecificOutput": {
                    "hookEventName": "PreToolUse",
                    "permissionDecision": "deny",
                    "permissionDecisionReason": "why",
                },
            },
        ),
        (STOP, "PostToolUseFailure", {"continue": False, "stopReason": "why"}),
        (
            TELL,
            "PostToolUse",
            {"hookSpecificOutput": {"hookEventName": "PostToolUse", "additionalContext": "why"}},
        ),
        (
            TELL,
            "PostToolUseFailure",
            {"hookSpecificOutput": {"hookEventName": "PostToolUseFailure", "additionalContext": "why"}},
        ),
    ],
)
def test_how_it_is_answered(moment, name, answer):
    assert claude_code.answer(event(name), moment, "why") == answer
