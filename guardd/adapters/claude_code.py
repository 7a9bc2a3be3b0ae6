"""Claude Code.

A turn is a session's prompt; releases without `prompt_id` give the session, started fresh by each prompt. A
sub-agent is a run of its own, and remains one when a later prompt wakes it.

``continue: false`` before a call ends the turn only where the call is not denied, and then it is made (2.1.197).
So an abort denies, and the turn is ended by `PostToolBatch`, which comes after denied calls too.
"""

from guardd.adapters.events import (
    ABSENT,
    DENY,
    HALT,
    STOP,
    Event,
    NotUnderstoodError,
    Request,
    Scope,
    Volatile,
    after,
    before,
    call,
    compaction,
    ended,
    event_name,
    joined,
    prompt,
    scope,
    text,
    without,
)

SOURCE = "claude-code"

VOLATILE: Volatile = {
    "Bash": ("backgroundTaskId", "persistedOutputPath", "rawOutputPath"),
    "BashOutput": ("timestamp",),
    "Glob": ("durationMs",),
    "Grep": ("durationMs",),
    "WebFetch": ("durationMs",),
    "WebSearch": ("durationSeconds", "results.*.tool_use_id"),
    "Task": ("agentId", "outputFile", "totalDurationMs", "totalTokens", "totalToolUseCount", "usage"),
    "Agent": ("agentId", "outputFile", "totalDurationMs", "totalTokens", "totalToolUseCount", "usage"),
}


def request(event: Event) -> Request:
    """Say what an event asks of the daemon.

    Raises:
        NotUnderstoodError: nothing.
    """
    name = event_name(event)
    if name in ("PreToolUse", "PostToolUse", "PostToolUseFailure"):
        return _of_tool(event, name)
    if name == "PostToolBatch":  # asks only whether the run was stopped: nothing is reported of any call
        return after(call(_scope(event), name, "", None))
    of_agent = name in ("SubagentStart", "SubagentStop")
    if of_agent and not text(event, "agent_id"):
        raise NotUnderstoodError(f"{name} without the id of the agent")
    if name in ("UserPromptSubmit", "SubagentStart"):
        return prompt(_scope(event))
    if name in ("Stop", "SubagentStop"):
        return ended(_scope(event))
    if name in ("PreCompact", "PostCompact"):
        return compaction(_scope(event), text(event, "trigger"))
    if name == "SessionStart" and text(event, "source") == "compact":
        return compaction(_scope(event), "")
    raise NotUnderstoodError(f"{name} is not guarded")


def answer(event: Event, moment: str, message: str) -> dict[str, object]:
    """Put a verdict into the agent's words."""
    name = event_name(event)
    if moment == STOP:
        return {"continue": False, "stopReason": message}
    if moment in (DENY, HALT):
        denial: dict[str, object] = {
            "hookSpecificOutput": {
                "hookEventName": name,
                "permissionDecision": "deny",
                "permissionDecisionReason": message,
            }
        }
        return denial if moment == DENY else {"continue": False, "stopReason": message, **denial}
    return {"hookSpecificOutput": {"hookEventName": name, "additionalContext": message}}


def _of_tool(event: Event, name: str) -> Request:
    tool = text(event, "tool_name")
    params = call(_scope(event), tool, text(event, "tool_use_id"), event.get("tool_input"))
    if name == "PreToolUse":
        return before(params)
    duration = event.get("duration_ms")
    if name == "PostToolUseFailure":
        error = event.get("error")
        return after(params, error="" if error is None else error, duration=duration)
    result = without(event.get("tool_response", ABSENT), VOLATILE.get(tool, ()))
    return after(params, result=result, duration=duration)


def _scope(event: Event) -> Scope:
    session, agent = text(event, "session_id"), text(event, "agent_id")
    turn = text(event, "prompt_id")
    if agent:
        session = run = joined(session, agent)
    else:
        run = joined(session, turn) if turn else ""
    return scope(SOURCE, text(event, "agent_type"), run, session)
