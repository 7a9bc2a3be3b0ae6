"""GitHub Copilot CLI.

An event comes in camel case, without its name, or in snake case with it, by how its hook is configured. It gives
turns no id: the run is the session, started fresh by each prompt. Every exit status but 0 denies. No hook can end
a turn: an abort denies every further call.
"""

from guardd.adapters.events import (
    ABSENT,
    DENY,
    HALT,
    Event,
    NotUnderstoodError,
    Request,
    Scope,
    after,
    before,
    call,
    compaction,
    ended,
    prompt,
    scope,
    text,
    without,
)

SOURCE = "copilot"

VOLATILE = ("toolTelemetry", "tool_telemetry", "sessionLog", "session_log")
SHELLS = frozenset({"bash", "powershell"})
SHELL_MARK = "shellId: "
"""In the line with which a command's output ends; the number that follows counts the session's shells."""

_SHOWN = ("textResultForLlm", "text_result_for_llm")
_NAMES = {
    "preToolUse": "PreToolUse",
    "postToolUse": "PostToolUse",
    "postToolUseFailure": "PostToolUseFailure",
    "userPromptSubmitted": "UserPromptSubmit",
    "UserPromptSubmitted": "UserPromptSubmit",
    "agentStop": "Stop",
    "preCompact": "PreCompact",
}


def request(event: Event) -> Request:
    """Say what an event asks of the daemon.

    Raises:
        NotUnderstoodError: nothing.
    """
    name = _name(event)
    if name in ("PreToolUse", "PostToolUse", "PostToolUseFailure"):
        return _of_tool(event, name)
    if name == "UserPromptSubmit":
        return prompt(_scope(event))
    if name == "Stop":
        return ended(_scope(event))
    if name == "PreCompact":
        return compaction(_scope(event), text(event, "trigger"))
    raise NotUnderstoodError(f"{name or 'an event of unknown kind'} is not guarded")


def answer(_event: Event, moment: str, message: str) -> dict[str, object]:
    """Put a verdict into the agent's words."""
    if moment in (DENY, HALT):
        return {"permissionDecision": "deny", "permissionDecisionReason": message}
    return {"additionalContext": message}


def _name(event: Event) -> str:
    """Return the event's name in Pascal case; without one, what its fields make of it."""
    name = text(event, "hook_event_name", "hookEventName")
    if name:
        return _NAMES.get(name, name)
    if "toolName" in event:
        if "toolResult" in event:
            return "PostToolUse"
        return "PostToolUseFailure" if "error" in event else "PreToolUse"
    if "prompt" in event:
        return "UserPromptSubmit"
    if "trigger" in event:
        return "PreCompact"
    return "Stop" if "stopReason" in event and "agentName" not in event else ""


def _of_tool(event: Event, name: str) -> Request:
    tool = text(event, "toolName", "tool_name")
    args = event["toolArgs"] if "toolArgs" in event else event.get("tool_input")
    params = call(_scope(event), tool, text(event, "toolCallId", "tool_call_id", "tool_use_id"), args)
    if name == "PreToolUse":
        return before(params)
    if name == "PostToolUseFailure":
        error = event.get("error")
        return after(params, error="" if error is None else error)
    result = event["toolResult"] if "toolResult" in event else event.get("tool_result", ABSENT)
    if not isinstance(result, dict):
        return after(params, result=result)
    kind = text(result, "resultType", "result_type")
    shown = text(result, *_SHOWN)
    if kind not in ("", "success"):
        return after(params, error=shown or kind)
    without(result, VOLATILE)
    if tool in SHELLS:
        result |= {name: _without_shell_number(shown) for name in _SHOWN if name in result}
    return after(params, result=result)


def _without_shell_number(shown: str) -> str:
    """Return a command's output without the number of the shell in its last line."""
    start, newline, end = shown.rstrip().rpartition("\n")
    before_mark, mark, after_mark = end.partition(SHELL_MARK)
    if not (mark and end.startswith("<")):
        return shown
    return f"{start}{newline}{before_mark}{mark}{after_mark.lstrip('0123456789')}"


def _scope(event: Event) -> Scope:
    return scope(SOURCE, "", "", text(event, "sessionId", "session_id"))
