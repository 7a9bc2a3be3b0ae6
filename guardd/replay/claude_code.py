"""Session files of Claude Code: an entry a line; sub-agents may stand among them."""

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

NAME = "Claude Code session"

_TYPES = ("user", "assistant")


def matches(entry: Entry) -> bool:
    """Whether an entry can only be of this format."""
    return (
        (entry.get("type") in _TYPES or "sessionId" in entry)
        and isinstance(entry.get("message"), dict)
        and entry["message"].get("role") in _TYPES
    )


def turns(entries: Iterable[Entry], skipped: Skipped) -> Iterator[Turn]:
    """A turn for each message of the user's, and for each that a sub-agent is given."""
    open_turns: dict[tuple[str | None, bool, str | None], Turn] = {}
    waiting = OpenCalls()
    for number, entry in enumerate(entries, 1):
        if entry.get("type", "user") not in _TYPES:
            continue
        message = entry.get("message")
        if not isinstance(message, dict):
            skipped[Skip.MALFORMED] += 1
            continue
        who = (name_of(entry.get("sessionId")), bool(entry.get("isSidechain")), name_of(entry.get("agentId")))
        content = message.get("content")
        if _is_asked(entry, message, content) or who not in open_turns:
            if who in open_turns:
                yield open_turns[who]
            open_turns[who] = Turn(f"turn-{number}")
        for part in parts_of(content):
            _take(part, open_turns[who], waiting, skipped)
    yield from open_turns.values()


def _is_asked(entry: Entry, message: Entry, content: object) -> bool:
    """Whether it is what somebody asked for, not a tool's result or a note of the program's."""
    if message.get("role") != "user" or entry.get("isMeta"):
        return False
    return isinstance(content, str) or not any(
        part.get("type") == "tool_result" for part in parts_of(content)
    )


def _take(part: Entry, turn: Turn, waiting: OpenCalls, skipped: Skipped) -> None:
    if part.get("type") == "tool_use":
        name = name_of(part.get("name"))
        if name is None:
            skipped[Skip.MALFORMED] += 1
            return
        call = Call(name, part.get("input"), name_of(part.get("id")))
        turn.begin(call)
        waiting.add(call)
    elif part.get("type") == "tool_result":
        content = part.get("content")
        outcome = Failed(text_of(content)) if part.get("is_error") else Result(content)
        waiting.settle(part.get("tool_use_id"), outcome, skipped)
