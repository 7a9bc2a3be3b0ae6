"""Codex CLI.

Unknown keys in an answer let the call through, and so does ``continue: false`` before a tool: an abort denies
there, and stops the turn after the next call that was let through.
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
    after,
    before,
    call,
    compaction,
    decoded,
    ended,
    event_name,
    joined,
    prompt,
    scope,
    text,
    without,
    without_lines,
)

SOURCE = "codex"

VOLATILE = ("metadata.duration_seconds", "wall_time_seconds", "chunk_id")
VOLATILE_LINES = ("Wall time: ", "Chunk ID: ")
"""Above the output of a command, in the releases that show a head of lines to hooks."""
HEAD_END = "Output:\n"


def request(event: Event) -> Request:
    """Say what an event asks of the daemon.

    Raises:
        NotUnderstoodError: nothing.
    """
    name = event_name(event)
    if name in ("PreToolUse", "PostToolUse"):
        return _of_tool(event, name)
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
    if moment == STOP:
        return {"continue": False, "stopReason": message}
    said: dict[str, object] = {"hookEventName": event_name(event)}
    if moment in (DENY, HALT):
        said |= {"permissionDecision": "deny", "permissionDecisionReason": message}
    else:
        said["additionalContext"] = message
    return {"hookSpecificOutput": said}


def _of_tool(event: Event, name: str) -> Request:
    tool = text(event, "tool_name")
    params = call(_scope(event), tool, text(event, "tool_use_id"), event.get("tool_input"))
    if name == "PreToolUse":
        return before(params)
    result = event.get("tool_response", ABSENT)
    if not tool.startswith("mcp__"):
        result = _normal(result)
    return after(params, result=result)


def _normal(result: object) -> object:
    """Return a result of one of the agent's own tools without how long it took."""
    result = without(decoded(result), VOLATILE)
    if isinstance(result, str):
        head, end, output = result.partition(HEAD_END)
        if end:
            return f"{without_lines(head, *VOLATILE_LINES)}{end}{output}"
    return result


def _scope(event: Event) -> Scope:
    session, agent = text(event, "session_id"), text(event, "agent_id")
    run = text(event, "turn_id")
    if agent:
        session = joined(session, agent)
        run = joined(run, agent) if run else session
    return scope(SOURCE, text(event, "agent_type"), run, session)
