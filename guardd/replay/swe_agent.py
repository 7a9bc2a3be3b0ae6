"""Trajectories of SWE-agent: one turn of commands and what was observed."""

from collections.abc import Iterable, Iterator

from guardd.replay.turns import Call, Entry, Result, Skip, Skipped, Turn

NAME = "SWE-agent trajectory"


def matches(entry: Entry) -> bool:
    """Whether an entry can only be of this format."""
    return isinstance(entry.get("trajectory"), list)


def turns(entries: Iterable[Entry], skipped: Skipped) -> Iterator[Turn]:
    """One turn for each trajectory; a command's first word is the tool."""
    for number, entry in enumerate(entries):
        steps = entry.get("trajectory")
        if not isinstance(steps, list):
            skipped[Skip.MALFORMED] += 1
            continue
        turn = Turn(f"trajectory-{number}")
        for step in steps:
            action = step.get("action") if isinstance(step, dict) else None
            if not isinstance(action, str):
                skipped[Skip.MALFORMED] += 1
            elif words := action.split(maxsplit=1):  # without, the model said nothing that could be run
                result = Result(step["observation"]) if "observation" in step else None
                turn.steps.append(Call(words[0], {"command": action}, None, result))
        yield turn
