"""Gemini CLI.

It gives neither calls nor turns an id: outcomes belong to the newest such call, and the run is the session,
started fresh by each prompt.

Releases are known that fire `PreCompress` before every request to the model, whether anything is compressed or not.
Hooked there, it arms the post-compaction guard anew before each call, so `guardctl install` leaves it out.
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
    ended,
    event_name,
    prompt,
    scope,
    text,
    without_lines,
)

SOURCE = "gemini-cli"

VOLATILE_LINES = {"run_shell_command": ("Process Group PGID: ", "Background PIDs: ")}
"""By tool, lines in the texts of a result that differ each time."""


def request(event: Event) -> Request:
    """Say what an event asks of the daemon.

    Raises:
        NotUnderstoodError: nothing.
    """
    name = event_name(event)
    if name in ("BeforeTool", "AfterTool"):
        return _of_tool(event, name)
    if name == "BeforeAgent":
        return prompt(_scope(event))
    if name == "AfterAgent":
        return ended(_scope(event))
    if name == "PreCompress":
        return compaction(_scope(event), text(event, "trigger"))
    raise NotUnderstoodError(f"{name} is not guarded")


def answer(event: Event, moment: str, message: str) -> dict[str, object]:
    """Put a verdict into the agent's words."""
    if moment == DENY:
        return {"decision": "deny", "reason": message}
    if moment == HALT:
        return {"decision": "deny", "reason": message, "continue": False, "stopReason": message}
    if moment == STOP:
        return {"continue": False, "stopReason": message}
    return {"hookSpecificOutput": {"hookEventName": event_name(event), "additionalContext": message}}


def _of_tool(event: Event, name: str) -> Request:
    tool = text(event, "tool_name")
    params = call(_scope(event), tool, "", event.get("tool_input"))
    if name == "BeforeTool":
        return before(params)
    response = event.get("tool_response", ABSENT)
    if not isinstance(response, dict):
        return after(params, result=response)
    if tool in VOLATILE_LINES:
        response = {key: without_lines(value, *VOLATILE_LINES[tool]) for key, value in response.items()}
    if response.get("error") is None:
        return after(params, result=response)
    return after(params, error=response)


def _scope(event: Event) -> Scope:
    return scope(SOURCE, "", "", text(event, "session_id"))
