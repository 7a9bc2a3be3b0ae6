"""`guardctl hook AGENT`: one event of an agent on stdin, the agent's own answer on stdout.

Never denies by accident. Exit statuses other than 0 deny in some agents, so there is none: what goes wrong is one
line on stderr, and the call goes through.
"""

import json
import os
import select
import time
from importlib import import_module

from guardd.adapters.asking import NotAnsweredError, ask
from guardd.adapters.events import DENY, HALT, STOP, TELL, NotUnderstoodError

AGENTS = {
    "claude-code": "claude_code",
    "codex": "codex",
    "gemini-cli": "gemini_cli",
    "cursor": "cursor",
    "copilot": "copilot",
}
"""The agents by the names that people type, and their modules."""

PATIENCE = 1.0
"""Seconds for everything: reading the event, asking, and being answered."""
LARGEST_EVENT = 64 * 1024 * 1024
_CHUNK = 1 << 20
_STDIN, _STDOUT, _STDERR = 0, 1, 2

_MOMENTS = {
    ("tool.before", "block"): DENY,
    ("tool.before", "abort"): HALT,
    ("tool.after", "abort"): STOP,
    ("tool.after", "warn"): TELL,
}
"""What the agent is to do about an action; a warning before a call is repeated after it."""


def run(agent: str, socket_path: str | None = None) -> None:
    """Read an event from stdin, ask the daemon, and write the agent's answer to stdout.

    Args:
        agent: whose event it is.
        socket_path: the daemon's socket; None for `$GUARDD_SOCKET`, else the usual places.
    """
    deadline = time.monotonic() + PATIENCE
    try:
        answer = respond(agent, _read_event(deadline), socket_path, deadline)
        if answer is not None:
            _write(_STDOUT, answer)
    except (NotUnderstoodError, NotAnsweredError) as reason:
        _complain(str(reason))
    except BaseException as error:  # noqa: BLE001 - whatever it is, it must not become a denial
        _complain(f"{type(error).__name__}: {error}")


def respond(agent: str, data: bytes, socket_path: str | None, deadline: float) -> bytes | None:
    """Return the agent's answer to an event, as JSON text; None where there is nothing to say.

    Args:
        agent: whose event it is.
        data: what it wrote.
        socket_path: the daemon's socket; None for the usual places.
        deadline: until when, by `time.monotonic`.

    Raises:
        NotUnderstoodError: the event says nothing to guardd, or there is no such agent.
        NotAnsweredError: the daemon is away, slow, or refuses.
    """
    if agent not in AGENTS:
        raise NotUnderstoodError(f"there is no agent {agent!r}, only {', '.join(AGENTS)}")
    adapter = import_module(f"guardd.adapters.{AGENTS[agent]}")
    event = _decoded(data)
    request = adapter.request(event)
    if request is None:
        return None
    method, params = request
    verdict = ask(method, params, socket_path, deadline)
    moment = _MOMENTS.get((method, str(verdict.get("action"))))
    detection = verdict.get("detection")
    if moment is None or not isinstance(detection, dict):
        return None
    if moment == TELL and detection.get("notify") is not True:
        return None
    answer = adapter.answer(event, moment, str(detection.get("message")))
    return json.dumps(answer).encode("ascii") + b"\n"


def _decoded(data: bytes) -> dict[str, object]:
    try:
        event = json.loads(data)
    except (ValueError, RecursionError):
        raise NotUnderstoodError("stdin is not the JSON of an event") from None
    if not isinstance(event, dict):
        raise NotUnderstoodError("stdin is not a JSON object")
    return event


def _read_event(deadline: float) -> bytes:
    """Return all of stdin, as far as it has come when the time is up."""
    chunks: list[bytes] = []
    size = 0
    while size <= LARGEST_EVENT:
        ready, _, _ = select.select([_STDIN], [], [], max(0, deadline - time.monotonic()))
        if not ready:
            raise NotUnderstoodError("stdin was not closed in time")
        chunk = os.read(_STDIN, _CHUNK)
        if not chunk:
            return b"".join(chunks)
        chunks.append(chunk)
        size += len(chunk)
    raise NotUnderstoodError("the event is too large")


def _write(descriptor: int, data: bytes) -> None:
    while data:
        data = data[os.write(descriptor, data) :]


def _complain(reason: str) -> None:
    line = " ".join(f"guardctl hook: {reason}; the call goes through".split())
    try:
        _write(_STDERR, f"{line}\n".encode(errors="backslashreplace"))
    except OSError:  # nobody listens
        return


def main(arguments: list[str]) -> None:
    """Run a hook with the arguments that followed its name, and end the process with status 0.

    Unknown options are of no account: a typing error in an agent's settings must not deny its calls.
    """
    agent, socket_path = "", None
    rest = iter(arguments)
    for argument in rest:
        option, equals, value = argument.partition("=")
        if option == "--socket":
            socket_path = value if equals else next(rest, None)
        elif not (agent or argument.startswith("-")):
            agent = argument
    run(agent, socket_path)
    os._exit(0)  # nothing is left to flush, and taking the interpreter apart would be a tenth of the cost
