"""The guard's answers in the forms of the protocol."""

from msgspec import UNSET, UnsetType

from guardd.detect.messages import message
from guardd.guard import CompactionGuard, Event, Verdict
from guardd.protocol import gateway_methods as wire
from guardd.protocol import jsonrpc
from guardd.store.reading.events import wire_event


def wire_verdict(verdict: Verdict) -> wire.Verdict:
    """The result of `tool.before`."""
    return wire.Verdict(
        action=verdict.action.word,
        seq=UNSET if verdict.seq is None else verdict.seq,
        detection=_detection(verdict),
        would_be=UNSET if verdict.would_be is None else verdict.would_be.word,
    )


def wire_verdict_after(verdict: Verdict, guard: CompactionGuard) -> wire.AfterVerdict:
    """The result of `tool.after`."""
    before = wire_verdict(verdict)
    return wire.AfterVerdict(
        action=before.action,
        seq=before.seq,
        detection=before.detection,
        would_be=before.would_be,
        compaction_guard=wire_guard(guard),
    )


def wire_guard(guard: CompactionGuard) -> wire.GuardState:
    """The state of the post-compaction guard."""
    return wire.GuardState(armed=guard.armed, remaining=guard.remaining)


def event_of(event: Event) -> dict[str, object]:
    """What those who watch are told, as `event.list` tells it too."""
    assert event.verdict.detection is not None
    return wire_event(
        event.run.scope,
        event.run.agent_id,
        event.verdict.seq,
        event.verdict.detection,
        observed=event.verdict.would_be is not None,
        at=event.at,
    )


def event_line(event: dict[str, object]) -> bytes:
    """The notification of an event, ready to be sent."""
    return jsonrpc.frame([jsonrpc.notification("event", event)])


def _detection(verdict: Verdict) -> wire.DetectionResult | UnsetType:
    detection = verdict.detection
    if detection is None:
        return UNSET
    return wire.DetectionResult(
        detector=detection.detector,
        level=detection.level,
        count=detection.count,
        threshold=detection.threshold,
        tool_name=detection.tool,
        paired_tool_name=detection.paired_tool,
        notify=verdict.notify,
        warning_key=detection.warning_key,
        message=message(detection),
    )
