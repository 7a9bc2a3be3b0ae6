"""A run's history as lines: its calls in order, repeats folded into one line, the markers between them.

What is folded is a call that repeats itself, and several calls that come in turn.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from guardd.cli.text import plural

_ALIKE = ("toolName", "state", "action", "wouldBe", "detector")

LONGEST_CYCLE = 6
"""Of how many lines a cycle is found; detection looks at pairs, and people see no longer ones."""

FEWEST_ROUNDS = 3
"""How often a cycle must come to be folded: the first round stays, and one round more is no loop."""

MARKERS = {
    "abort": "aborted by hand",
    "compaction": "compaction",
    "reset": "reset",
    "gateway_restart": "the gateway restarted",
    "daemon_restart": "guardd restarted",
}


@dataclass(frozen=True, slots=True)
class Group:
    """Calls that repeat each other, one after the other, with the same outcome and verdict.

    Attributes:
        first: The first call, as in `run.history`.
        last: The last one.
        size: How many they are.
    """

    first: dict[str, Any]
    last: dict[str, Any]
    size: int

    def and_then(self, call: dict[str, Any]) -> "Group | None":
        """The group with one more call, or None if that one is another."""
        repeats = call["seq"] == self.last["seq"] + 1 and call["repeat"] == self.last["repeat"] + 1
        if not repeats or any(call.get(field) != self.last.get(field) for field in _ALIKE):
            return None
        return Group(self.first, call, self.size + 1)


class Again(NamedTuple):
    """The groups just before it come again in the same order, with the same outcomes and verdicts.

    Attributes:
        of: How many groups that are.
        times: How many times more they come.
        first: The first call that is folded away.
        last: The last one.
    """

    of: int
    times: int
    first: dict[str, Any]
    last: dict[str, Any]


Marker = dict[str, Any]


def lines(
    calls: Sequence[dict[str, Any]], markers: Iterable[Marker], *, expand: bool = False
) -> list[Group | Marker]:
    """Put calls and markers in order.

    Args:
        calls: In order of seq.
        markers: In order of `afterSeq`; each comes after the call of that number.
        expand: Leave every call on a line of its own.
    """
    waiting = list(markers)[::-1]
    result: list[Group | Marker] = []
    for call in calls:
        while waiting and waiting[-1]["afterSeq"] < call["seq"]:
            result.append(waiting.pop())
        previous = result[-1] if result else None
        joined = previous.and_then(call) if isinstance(previous, Group) and not expand else None
        if joined:
            result[-1] = joined
        else:
            result.append(Group(call, call, 1))
    return result + waiting[::-1]


def in_turn(entries: Sequence[Group | Marker]) -> list[Group | Again | Marker]:
    """The entries, of which those that come in turn again and again are left out after their first round."""
    shapes = [_shape(entry) for entry in entries]
    result: list[Group | Again | Marker] = []
    place = 0
    while place < len(entries):
        length, rounds = _cycle(shapes, place)
        result += entries[place : place + length]
        if rounds > 1:
            first, last = entries[place + length], entries[place + length * rounds - 1]
            assert isinstance(first, Group)
            assert isinstance(last, Group)
            result.append(Again(length, rounds - 1, first.first, last.last))
        place += length * rounds
    return result


def _shape(entry: Group | Marker) -> tuple[Any, ...] | None:
    """What is equal for groups that can stand for each other; None for a marker, which stands for itself."""
    if not isinstance(entry, Group):
        return None
    call = entry.last
    return (entry.size, call.get("signature"), *(call.get(field) for field in _ALIKE))


def _cycle(shapes: Sequence[tuple[Any, ...] | None], place: int) -> tuple[int, int]:
    """The length of the shortest cycle that begins at a place, and how often it comes; 1 and 1 for none."""
    for length in range(2, LONGEST_CYCLE + 1):
        pattern = shapes[place : place + length]
        if None in pattern:
            break
        rounds = 1
        while shapes[place + length * rounds : place + length * (rounds + 1)] == pattern:
            rounds += 1
        if rounds >= FEWEST_ROUNDS:
            return length, rounds
    return 1, 1


def again_text(again: Again) -> str:
    """What stands in place of the rounds that are left out."""
    return (
        f"the {again.of} above in turn, {again.times:,} times more: {again.first['seq']}-{again.last['seq']}"
    )


def marker_text(marker: Marker) -> str:
    """What a marker says."""
    text = MARKERS.get(marker["kind"], str(marker["kind"]).replace("_", " "))
    if marker.get("reason"):
        text += f" ({marker['reason']})"
    if marker["kind"] == "reset":
        return f"{text}: what came before no longer counts"
    if marker["kind"] == "abort" and marker.get("observed"):
        return f"{text}, and let through: guardd was observing"
    if marker["kind"] != "compaction":
        return text
    if not marker["armed"]:
        return f"{text}, guard not armed"
    window = marker.get("windowSize")
    return f"{text}, guard armed" + (f" for {plural(window, 'attempt')}" if window else "")
