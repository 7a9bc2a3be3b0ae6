"""A run's history as lines: its calls in order, repeats folded into one line, the markers between them."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from guardd.cli.text import plural

_ALIKE = ("toolName", "state", "action", "wouldBe", "detector")

MARKERS = {
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
    waiting = list(markers)
    result: list[Group | Marker] = []
    for call in calls:
        while waiting and waiting[0]["afterSeq"] < call["seq"]:
            result.append(waiting.pop(0))
        previous = result[-1] if result else None
        joined = previous.and_then(call) if isinstance(previous, Group) and not expand else None
        if joined:
            result[-1] = joined
        else:
            result.append(Group(call, call, 1))
    return result + waiting


def marker_text(marker: Marker) -> str:
    """What a marker says."""
    text = MARKERS.get(marker["kind"], str(marker["kind"]).replace("_", " "))
    if marker.get("reason"):
        text += f" ({marker['reason']})"
    if marker["kind"] == "reset":
        return f"{text}: what came before no longer counts"
    if marker["kind"] != "compaction":
        return text
    if not marker["armed"]:
        return f"{text}, guard not armed"
    window = marker.get("windowSize")
    return f"{text}, guard armed" + (f" for {plural(window, 'attempt')}" if window else "")
