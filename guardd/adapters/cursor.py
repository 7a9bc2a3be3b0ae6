"""Cursor.

Calls are judged by the generic hooks alone. The special ones (`beforeShellExecution` and the like) fire for the
same calls, without their ids, so that they could not be told from other calls; they are let through unasked. A
generation is a turn. No hook can end a turn: an abort denies every further call.
"""

from guardd.adapters.events import (
    ABSENT,
    DENY,
    HALT,
    Event,
    NotUnderstoodError,
    Request,
    Scope,
    Volatile,
    after,
    before,
    call,
    compaction,
    decoded,
    ended,
    event_name,
    prompt,
    scope,
    text,
    without,
)

SOURCE = "cursor"

SPECIAL = frozenset(
    {
        "beforeShellExecution",
        "afterShellExecution",
        "beforeMCPExecution",
        "afterMCPExecution",
        "beforeReadFile",
        "afterFileEdit",
    }
)
"""Those that fire beside the generic ones."""

VOLATILE: Volatile = {
    "Shell": ("executionTime", "localExecutionTimeMs", "pid", "shellId", "outputLocation"),
    "Task": ("agentId", "durationMs"),
}

_ENDS = {"aborted": "aborted", "error": "failed"}


def request(event: Event) -> Request | None:
    """Say what an event asks of the daemon; None where another event of the same call does.

    Raises:
        NotUnderstoodError: nothing.
    """
    name = event_name(event)
    if name in SPECIAL:
        return None
    if name in ("preToolUse", "postToolUse", "postToolUseFailure"):
        return _of_tool(event, name)
    if name == "beforeSubmitPrompt":
        return prompt(_scope(event))
    if name == "stop":
        return ended(_scope(event), _ENDS.get(text(event, "status"), "completed"))
    if name == "preCompact":
        return compaction(_scope(event), text(event, "trigger"))
    raise NotUnderstoodError(f"{name} is not guarded")


def answer(_event: Event, moment: str, message: str) -> dict[str, object]:
    """Put a verdict into the agent's words."""
    if moment in (DENY, HALT):
        return {"permission": "deny", "user_message": message, "agent_message": message}
    return {"additional_context": message}


def _of_tool(event: Event, name: str) -> Request:
    tool = text(event, "tool_name")
    params = call(_scope(event), tool, text(event, "tool_use_id"), event.get("tool_input"))
    if name == "preToolUse":
        return before(params)
    duration = event.get("duration")
    if name == "postToolUseFailure":
        return after(params, error=text(event, "error_message", "failure_type"), duration=duration)
    result = without(decoded(event.get("tool_output", ABSENT)), VOLATILE.get(tool, ()))
    return after(params, result=result, duration=duration)


def _scope(event: Event) -> Scope:
    return scope(SOURCE, "", text(event, "generation_id"), text(event, "conversation_id", "session_id"))
