"""Session files of the pi coding agent and of OpenClaw, which came of it: a message a line."""

from collections.abc import Iterable, Iterator

from guardd.replay.turns import (
    Call,
    Entry,
    Failed,
    OpenCalls,
    Result,
    Skip,
    Skipped,
    Turn,
    name_of,
    parts_of,
    text_of,
)

NAME = "pi or OpenClaw session"

_ROLES = ("user", "assistant", "toolResult")


def matches(entry: Entry) -> bool:
    """Whether an entry can only be of this format."""
    message = entry.get("message")
    return entry.get("type") == "message" and isinstance(message, dict) and message.get("role") in _ROLES


def turns(entries: Iterable[Entry], skipped: Skipped) -> Iterator[Turn]:
    """A turn for each message of the user's."""
    turn, waiting = Turn("turn-0"), OpenCalls()
    for number, entry in enumerate(entries, 1):
        if entry.get("type") != "message":
            continue
        message = entry.get("message")
        if not isinstance(message, dict):
            skipped[Skip.MALFORMED] += 1
            continue
        role, content = message.get("role"), message.get("content")
        if role == "user":
            yield turn
            turn, waiting = Turn(f"turn-{number}"), OpenCalls()
        elif role == "assistant":
            for part in parts_of(content):
                if part.get("type") == "toolCall":
                    _call(part, turn, waiting, skipped)
        elif role == "toolResult":
            waiting.settle(message.get("toolCallId"), _outcome(message), skipped)
    yield turn


def _call(part: Entry, turn: Turn, waiting: OpenCalls, skipped: Skipped) -> None:
    name = name_of(part.get("name"))
    if name is None:
        skipped[Skip.MALFORMED] += 1
        return
    call = Call(name, part.get("arguments"), name_of(part.get("id")))
    turn.begin(call)
    waiting.add(call)


def _outcome(message: Entry) -> Result | Failed:
    if message.get("isError"):
        return Failed(text_of(message.get("content")))
    return Result({key: message[key] for key in ("content", "details") if key in message})
