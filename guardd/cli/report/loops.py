"""From verdicts to episodes: those about the same call, close together, are one."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from guardd.cli.paging import History
from guardd.cli.report.model import Loop

WINDOW = 30
"""How many calls the detectors look back by default, for where no configuration says."""

Event = Mapping[str, Any]


def episodes(past: History, events: Sequence[Event], window: int = WINDOW) -> list[Loop]:
    """Put a run's verdicts into episodes.

    An episode ends where a reset forgives it, and where more calls than the detectors look back at pass without
    a verdict about the same call.

    Args:
        past: The run's calls and markers.
        events: Its verdicts, in order.
        window: How many calls the detectors look back.
    """
    signatures = {call["seq"]: call["signature"] for call in past.calls}
    resets = [marker["afterSeq"] for marker in past.markers if marker["kind"] == "reset"]
    found: list[list[Event]] = []
    newest: dict[Hashable, list[Event]] = {}
    for event in events:
        subject = _subject(event, signatures)
        going_on = newest.get(subject)
        if going_on is None or not _continues(going_on[-1], event, resets, window):
            going_on = newest[subject] = []
            found.append(going_on)
        going_on.append(event)
    return [Loop(events=several) for several in found]


def _subject(event: Event, signatures: Mapping[int, str]) -> Hashable:
    """What a verdict is about, so that two about the same are known: calls by signature, if they are stored."""
    seq, detector = event["seq"], str(event["detector"])
    if seq is None:
        return detector
    if detector == "unknown_tool_repeat" or seq not in signatures:
        return (event["toolName"], event["pairedToolName"])
    if detector == "ping_pong":
        return frozenset((signatures[seq], signatures.get(seq - 1, "")))
    return signatures[seq]


def _continues(before: Event, event: Event, resets: Sequence[int], window: int) -> bool:
    if before["seq"] is None or event["seq"] is None:
        return False
    forgiven = any(before["seq"] <= after < event["seq"] for after in resets)
    return not forgiven and event["seq"] - before["seq"] <= window


def with_calls(loop: Loop, past: History) -> Loop:
    """A loop with the calls that it consists of: of its signatures, or of a tool that does not exist."""
    if loop.span is None:
        return loop
    first, last = loop.span
    among = [call for call in past.calls if first <= call["seq"] <= last]
    numbers = {event["seq"] for event in loop.events} | set(loop.counted or ())
    if loop.strongest["detector"] == "unknown_tool_repeat":
        its = [call for call in among if call["toolName"] == loop.strongest["toolName"]]
    else:
        kinds = {call["signature"] for call in among if call["seq"] in numbers}
        its = [call for call in among if call["signature"] in kinds]
    signatures = list(dict.fromkeys(call["signature"] for call in its))
    return replace(loop, signatures=signatures, calls=len(its) or None)
