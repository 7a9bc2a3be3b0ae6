"""Chat messages with `tool_calls`, as OpenAI's API takes them: one conversation, or one an entry."""

from collections.abc import Iterable, Iterator
from itertools import chain

from guardd.replay.codex import decoded
from guardd.replay.turns import Call, Entry, OpenCalls, Result, Skip, Skipped, Turn, name_of, parts_of

NAME = "OpenAI chat messages"

_CONVERSATION = ("messages", "traj")
_ROLES = ("system", "developer", "user", "assistant", "tool", "function")


def matches(entry: Entry) -> bool:
    """Whether an entry can only be of this format."""
    return _conversation(entry) is not None or (entry.get("role") in _ROLES and "type" not in entry)


def _conversation(entry: Entry) -> list[Entry] | None:
    for key in _CONVERSATION:
        messages = entry.get(key)
        if isinstance(messages, list) and any(isinstance(one, dict) and "role" in one for one in messages):
            return messages
    return None


def turns(entries: Iterable[Entry], skipped: Skipped) -> Iterator[Turn]:
    """A turn for each message of the user's in each conversation."""
    entries = iter(entries)
    for number, entry in enumerate(entries):
        conversation = _conversation(entry)
        if conversation is None:
            yield from _turns(chain([entry], entries), "", skipped)
        else:
            yield from _turns(conversation, f"{number}/", skipped)


def _turns(messages: Iterable[object], prefix: str, skipped: Skipped) -> Iterator[Turn]:
    turn, waiting = Turn(f"{prefix}turn-0"), OpenCalls()
    for number, message in enumerate(messages):
        if not isinstance(message, dict):
            skipped[Skip.NOT_AN_OBJECT] += 1
            continue
        role = message.get("role")
        if role == "user":
            yield turn
            turn, waiting = Turn(f"{prefix}turn-{number}"), OpenCalls()
        elif role == "assistant":
            for call in _calls(message, skipped):
                turn.begin(call)
                waiting.add(call)
        elif role in ("tool", "function"):
            waiting.settle(message.get("tool_call_id"), Result(message.get("content")), skipped)
    yield turn


def _calls(message: Entry, skipped: Skipped) -> Iterator[Call]:
    asked = parts_of(message.get("tool_calls"))
    if message.get("function_call"):  # the form before tool_calls
        asked = [{"function": message["function_call"]}]
    for one in asked:
        # Tools without a schema are called `custom`, with a text.
        function = one.get("function") or one.get("custom")
        name = name_of(function.get("name")) if isinstance(function, dict) else None
        if not isinstance(function, dict) or name is None:
            skipped[Skip.MALFORMED] += 1
            continue
        args = function["arguments"] if "arguments" in function else function.get("input")
        yield Call(name, decoded(args), name_of(one.get("id")))
