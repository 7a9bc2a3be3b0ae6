"""What the adapters share: reading an agent's event, and putting a question to the daemon."""

import json

Event = dict[str, object]
"""An agent's event as it stood on stdin."""

Scope = dict[str, str]
"""The scope parameters of the protocol."""

Request = tuple[str, dict[str, object]]
"""A method of the protocol and its parameters."""

Volatile = dict[str, tuple[str, ...]]
"""By tool, what an agent adds to a result that differs each time: dotted paths, ``*`` for each of a list."""

ABSENT = object()
"""No result, which is not the same as a ``null`` one."""

DENY = "deny"
"""A call is about to be made, and must not be."""
HALT = "halt"
"""The same, and the turn is over."""
STOP = "stop"
"""A call has been made, and the turn is over."""
TELL = "tell"
"""A call has been made, and the model is to be told something."""


class NotUnderstoodError(Exception):
    """An event that says nothing to guardd, or lacks what it would need; the text says why."""


def text(event: Event, *names: str) -> str:
    """Return the first of the fields that is a non-empty string, else an empty one."""
    for name in names:
        value = event.get(name)
        if isinstance(value, str) and value:
            return value
    return ""


def joined(*ids: str) -> str:
    """Return one id made of those that are not empty."""
    return "/".join(filter(None, ids))


def event_name(event: Event) -> str:
    """Return what happened, as most agents name it.

    Raises:
        NotUnderstoodError: the event does not say.
    """
    name = text(event, "hook_event_name")
    if not name:
        raise NotUnderstoodError("an event without hook_event_name")
    return name


def scope(source: str, agent: str, run: str, session: str) -> Scope:
    """Return the scope of an event.

    Args:
        source: the adapter's name.
        agent: whose thresholds apply; empty for the adapter's name.
        run: the turn's id; empty where the session is the run.
        session: the session's id.

    Raises:
        NotUnderstoodError: neither a turn nor a session: such calls must not be judged together.
    """
    if not (run or session):
        raise NotUnderstoodError("an event without the id of its session")
    found = {"source": source, "agentId": agent or source}
    if run:
        found["runId"] = run
    if session:
        found["sessionKey"] = session
    return found


def call(of: Scope, tool: str, call_id: str, args: object) -> dict[str, object]:
    """Return the parameters that name a call.

    Args:
        of: its scope.
        tool: the tool's name.
        call_id: the agent's id of the call; empty where it gives none.
        args: the tool's arguments; a JSON document in a string is taken for what it holds.

    Raises:
        NotUnderstoodError: the tool has no name.
    """
    if not tool:
        raise NotUnderstoodError("an event without the name of its tool")
    params: dict[str, object] = {**of, "toolName": tool, "args": decoded(args), "once": True}
    if call_id:
        params["toolCallId"] = call_id
    return params


def before(params: dict[str, object]) -> Request:
    """Ask whether a call may be made."""
    return "tool.before", params


def after(
    params: dict[str, object], *, result: object = ABSENT, error: object = None, duration: object = None
) -> Request:
    """Report what a call came to.

    Args:
        params: the call, see `call`.
        result: what it returned, `ABSENT` where the event does not say; counts where there is no error.
        error: what it failed with.
        duration: how long it took, in milliseconds, if that is a number.
    """
    outcome: dict[str, object] = {}
    if error is not None:
        outcome["error"] = error
    elif result is not ABSENT:
        outcome["result"] = result
    if isinstance(duration, (int, float)) and not isinstance(duration, bool):
        outcome["durationMs"] = duration
    return "tool.after", {**params, **outcome}


def prompt(of: Scope) -> Request:
    """Report a new prompt: what came before no longer counts."""
    return "run.start", {**of, "fresh": True}


def ended(of: Scope, status: str = "completed") -> Request:
    """Report the end of a turn: completed, failed or aborted."""
    return "run.end", {**of, "status": status}


def compaction(of: Scope, trigger: str) -> Request:
    """Report a compaction, which several events may announce; the agent goes on, unless a person asked for it."""
    params: dict[str, object] = {**of, "willRetry": trigger != "manual", "once": True, "newestRun": True}
    if trigger:
        params["reason"] = trigger
    return "compaction.record", params


def decoded(value: object) -> object:
    """Return what a JSON document in a string holds, if it is an object or a list, and anything else as it is."""
    if isinstance(value, str) and value[:1] in ("{", "["):
        try:
            return json.loads(value)
        except (ValueError, RecursionError):
            pass
    return value


def without(value: object, paths: tuple[str, ...]) -> object:
    """Take volatile fields out of a result, in place, and return it."""
    for path in paths:
        _remove(value, path.split("."))
    return value


def without_lines(value: object, *beginnings: str) -> object:
    """Return a text without the lines that begin so; anything else as it is."""
    if not isinstance(value, str):
        return value
    return "\n".join(line for line in value.split("\n") if not line.startswith(beginnings))


def _remove(value: object, path: list[str]) -> None:
    name, *rest = path
    if name == "*":
        for member in value if isinstance(value, list) else ():
            _remove(member, rest)
    elif isinstance(value, dict):
        if not rest:
            value.pop(name, None)
        elif name in value:
            _remove(value[name], rest)
