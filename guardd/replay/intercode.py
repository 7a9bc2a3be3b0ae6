"""Episodes of InterCode: one a line, with its calls and their results."""

from collections.abc import Iterable, Iterator

from guardd.replay.turns import Call, Entry, Failed, Result, Skip, Skipped, Turn, name_of

NAME = "InterCode episodes"


def matches(entry: Entry) -> bool:
    """Whether an entry can only be of this format."""
    return isinstance(entry.get("calls"), list)


def turns(entries: Iterable[Entry], skipped: Skipped) -> Iterator[Turn]:
    """One turn for each episode."""
    for number, entry in enumerate(entries):
        calls = entry.get("calls")
        if not isinstance(calls, list):
            skipped[Skip.MALFORMED] += 1
            continue
        turn = Turn(f"episode-{number}")
        for call in calls:
            name = name_of(call.get("tool")) if isinstance(call, dict) else None
            if name is None:
                skipped[Skip.MALFORMED] += 1
                continue
            turn.steps.append(Call(name, call.get("args"), name_of(call.get("id")), _outcome(call)))
        yield turn


def _outcome(call: Entry) -> Result | Failed | None:
    if call.get("error") is not None:
        return Failed(call["error"])
    return Result(call["result"]) if "result" in call else None
