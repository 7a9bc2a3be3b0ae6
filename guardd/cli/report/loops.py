"""From verdicts to episodes: those about the same call, close together, are one."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from guardd.cli.paging import History
from guardd.cli.report.model import Loop
from guardd.vocabulary import Detector

WINDOW = 30
"""How many calls the detectors look back by default, for where no configuration says."""

_COUNTED_BACK = (
    Detector.GENERIC_REPEAT,
    Detector.PING_PONG,
    Detector.KNOWN_POLL_NO_PROGRESS,
    Detector.GLOBAL_CIRCUIT_BREAKER,
)

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
    loop = replace(loop, begun_with=_begun_with(loop.events[0], past))
    assert loop.span is not None
    first, last = loop.span
    among = [call for call in past.calls if first <= call["seq"] <= last]
    numbers = {event["seq"] for event in loop.events} | {*(loop.counted or ()), *loop.begun_with}
    if loop.strongest["detector"] == "unknown_tool_repeat":
        its = [call for call in among if call["toolName"] == loop.strongest["toolName"]]
    else:
        kinds = {call["signature"] for call in among if call["seq"] in numbers}
        its = [call for call in among if call["signature"] in kinds]
    signatures = list(dict.fromkeys(call["signature"] for call in its))
    return replace(loop, signatures=signatures, calls=len(its) or None)


def _begun_with(event: Event, past: History) -> list[int]:
    """The calls that a verdict counted, by the number that it gives: a database file has no other way to tell.

    A repeat counts the calls before it that are the same, an alternation the call itself too (detection.md, rules 2
    to 5); what other rules count is not of one kind, or not counted from the beginning.
    """
    if event["detector"] not in _COUNTED_BACK:
        return []
    until = [call for call in past.calls if call["seq"] <= event["seq"]]
    if event["detector"] == Detector.PING_PONG:
        kinds, more = {call["signature"] for call in until[-2:]}, 0
    else:
        kinds, more = {call["signature"] for call in until[-1:]}, 1
    its = [call["seq"] for call in until if call["signature"] in kinds]
    return its[-(event["count"] + more) :]
