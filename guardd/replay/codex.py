"""Rollout files of Codex: an item a line, in an envelope of `type` and `payload`; in older ones without."""

import json
import re
from collections.abc import Iterable, Iterator
from typing import Any

from guardd.replay.turns import Call, Entry, Failed, OpenCalls, Result, Skip, Skipped, Turn, name_of, text_of

NAME = "Codex rollout"

_ENVELOPES = ("session_meta", "response_item", "event_msg", "turn_context", "compacted")
_CALLS = {"function_call": "arguments", "custom_tool_call": "input", "local_shell_call": "action"}
"""Where each kind of call has its arguments."""
_OUTPUTS = ("function_call_output", "custom_tool_call_output")
_VOLATILE = re.compile(r"^(?:Chunk ID|Wall time): .*\n?", re.MULTILINE)
"""What stands above a command's output and is new each time; with it no two outcomes would be alike."""
_OUTPUT = "\nOutput:\n"
"""Between those lines and the output."""


def matches(entry: Entry) -> bool:
    """Whether an entry can only be of this format."""
    if isinstance(entry.get("payload"), dict):
        return entry.get("type") in _ENVELOPES
    if entry.get("type") == "message":
        return isinstance(entry.get("role"), str) and "message" not in entry
    return entry.get("type") in (*_CALLS, *_OUTPUTS)


def turns(entries: Iterable[Entry], skipped: Skipped) -> Iterator[Turn]:
    """A turn for each message of the user's."""
    turn, waiting = Turn("turn-0"), OpenCalls()
    for number, entry in enumerate(entries, 1):
        item = entry.get("payload", entry)
        if not isinstance(item, dict):
            skipped[Skip.MALFORMED] += 1
            continue
        kind = name_of(item.get("type"))
        if kind == "user_message" or (kind == "message" and item.get("role") == "user"):
            yield turn
            turn, waiting = Turn(f"turn-{number}"), OpenCalls()
        elif kind in _CALLS:
            _call(item, turn, waiting, skipped)
        elif kind in _OUTPUTS:
            waiting.settle(item.get("call_id"), _outcome(item.get("output")), skipped)
    yield turn


def _call(item: Entry, turn: Turn, waiting: OpenCalls, skipped: Skipped) -> None:
    kind = item["type"]
    name = "local_shell" if kind == "local_shell_call" else name_of(item.get("name"))
    if name is None:
        skipped[Skip.MALFORMED] += 1
        return
    args = item.get(_CALLS[kind])
    if kind == "function_call":
        args = decoded(args)
    call = Call(name, args, name_of(item.get("call_id")))
    turn.begin(call)
    waiting.add(call)


def _outcome(output: Any) -> Result | Failed:  # noqa: ANN401 - any JSON value
    if isinstance(output, dict) and "content" in output:  # older versions
        content = _lasting(output["content"])
        return Failed(content) if output.get("success") is False else Result(content)
    return Result(_lasting(output))


def _lasting(output: Any) -> Any:  # noqa: ANN401 - any JSON value
    """An output without what is new each time: how long it took, and the number of its piece."""
    output = text_of(output)
    if not isinstance(output, str):
        return output
    inside = decoded(output)
    if isinstance(inside, dict) and isinstance(inside.get("metadata"), dict) and "output" in inside:
        return {"output": inside["output"], "exit_code": inside["metadata"].get("exit_code")}
    above, divider, below = output.partition(_OUTPUT)
    return f"{_VOLATILE.sub('', above)}{divider}{below}" if divider else output


def decoded(text: object) -> Any:  # noqa: ANN401 - any JSON value
    """The JSON value in a text; what is none, as it is."""
    if not isinstance(text, str):
        return text
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text
