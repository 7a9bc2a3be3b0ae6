"""What happened in a run, in sentences for somebody who has never seen guardd."""

from collections.abc import Iterator, Sequence
from typing import Any

from guardd.cli.report.model import ORDER, Loop, Report, Step, said
from guardd.cli.report.moments import seconds_between
from guardd.cli.text import plural, safe
from guardd.cli.times import length

MOST_TOLD = 3
"""Loops that get sentences of their own; the rest are counted."""

_WHAT = {
    "unknown_tool_repeat": "called {tool}, a tool that does not exist",
    "known_poll_no_progress": "polled with {tool} and saw no change",
    "ping_pong": "went back and forth between {tool} and {paired}",
    "compaction_loop_persisted": "went on calling {tool} with the same arguments after its context was compacted",
}
_REPEATED = "called {tool} with the same arguments"
_ONE_TOOL_IN_TURN = "went back and forth between two calls of {tool}"
_DID = {"warn": "warned at", "block": "blocked", "abort": "ended the run at"}
_WOULD_HAVE = {
    "warn": "would have warned at",
    "block": "would have blocked",
    "abort": "would have ended the run at",
}
_TOGETHER = {"warn": "warned of them", "block": "blocked calls", "abort": "ended the run"}


def story(report: Report) -> list[str]:
    """The sentences, a paragraph each; the first says the most."""
    loops = [loop for loop in report.loops if loop.span]
    by_hand = [loop.strongest for loop in report.loops if not loop.span]
    told = [_loop(loop) for loop in loops[:MOST_TOLD]]
    if len(loops) > 1:
        told.insert(0, _several(report, loops))
    if len(loops) > MOST_TOLD:
        told.append(f"{plural(len(loops) - MOST_TOLD, 'more loop')} came after these; all are below.")
    if not loops:
        told.append(_healthy(report))
    told += [_sentence(safe(event["message"])) for event in by_hand]
    return told + list(_refused(report)) + list(_in_between(report))


def _several(report: Report, loops: Sequence[Loop]) -> str:
    """What the loops came to, taken together."""
    calls = plural(len(report.past.calls), "call")
    answered = [loop.strongest for loop in loops if not loop.strongest.get("wouldBe")]
    if not answered:
        return f"guardd found {plural(len(loops), 'loop')} in {calls}, and only looked on."
    strongest = max((said(event) for event in answered), key=ORDER.index)
    return f"guardd found {plural(len(loops), 'loop')} in {calls}, and {_TOGETHER[strongest]}."


def _healthy(report: Report) -> str:
    calls = report.past.calls
    if not calls:
        return "The agent has made no calls."
    tools = len({call["toolName"] for call in calls})
    took = length(run_seconds(report.run))
    return f"The agent made {plural(len(calls), 'call')} with {plural(tools, 'tool')} in {took}. guardd found no loop."


def run_seconds(run: Any) -> float:  # noqa: ANN401 - a run of the wire
    """How long a run took, or takes up to its newest activity."""
    return seconds_between(run["startedAt"], max(run["endedAt"] or "", run["lastActivityAt"]))


def title(loop: Loop) -> str:
    """What an agent did in a loop."""
    event = loop.strongest
    what = _WHAT.get(event["detector"], _REPEATED)
    if event["detector"] == "ping_pong" and event["pairedToolName"] == event["toolName"]:
        what = _ONE_TOOL_IN_TURN
    return what.format(tool=_name(event["toolName"]), paired=_name(event["pairedToolName"] or ""))


def _loop(loop: Loop) -> str:
    calls = "" if loop.calls is None else f", {plural(loop.calls, 'call')} in all"
    if loop.calls and loop.strongest["detector"] not in _WHAT:
        calls = f" {plural(loop.calls, 'time')}"
    deeds = _joined([_deed(step) for step in loop.steps])
    return f"The agent {title(loop)}{calls}. guardd {deeds}."


def _deed(step: Step) -> str:
    numbers = [event["seq"] for event in step.events]
    first, last = numbers[0], numbers[-1]
    done = (_WOULD_HAVE if step.observed else _DID)[step.action]
    if step.action == "abort":  # once is enough, however often it was said
        return f"{done} call {first}"
    match len(numbers):
        case 1:
            return f"{done} call {first}"
        case 2:
            return f"{done} calls {first} and {last}"
        case many if many == last - first + 1:
            return f"{done} calls {first} to {last}"
        case many:
            return f"{done} {plural(many, 'call')} between {first} and {last}"


def _refused(report: Report) -> Iterator[str]:
    """The calls that came after the end of the run, and were answered without another look."""
    own = {event["seq"] for loop in report.loops for event in loop.events}
    refused = [call for call in report.past.calls if call["action"] == "abort" and call["seq"] not in own]
    if refused:
        were = "was" if len(refused) == 1 else "were"
        yield f"{plural(len(refused), 'further call')} of the agent {were} refused, because the run had been ended."


def _in_between(report: Report) -> Iterator[str]:
    """What else happened, and how it ended."""
    markers = [marker["kind"] for marker in report.past.markers]
    happened = [
        (markers.count("compaction"), "the context was compacted"),
        (markers.count("reset"), "what came before was forgiven"),
        (markers.count("gateway_restart"), "the gateway restarted"),
        (markers.count("daemon_restart"), "guardd restarted"),
    ]
    parts = [f"{what}{'' if times == 1 else f' {times:,} times'}" for times, what in happened if times]
    if parts:
        yield _sentence(f"In between, {_joined(parts)}")


def _joined(parts: Sequence[str]) -> str:
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"


def _name(tool: str) -> str:
    return safe(tool) or "a tool without a name"


def _sentence(words: str) -> str:
    return words if words.endswith((".", "!", "?")) else f"{words}."
