"""The labelled events: what a real detector said to them, and how to put them to guardd."""

import gzip
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from guardd.config import parse

DATA = Path(__file__).parent.parent / "data" / "conformance"
OPENCLAW = "openclaw-2026.9"
"""The profile, and the folder of what that release said."""

Json = dict[str, Any]


@dataclass(frozen=True)
class Labelled:
    """One stream or case: events with what is expected of each."""

    id: str
    config: Json
    agent_id: str | None
    events: list[Json]


def load(name: str, folder: str = "") -> list[Labelled]:
    """The streams or cases of a file."""
    with gzip.open(DATA / folder / f"{name}.jsonl.gz", "rt") as lines:
        items = [
            Labelled(item["id"], item["config"], item["agentId"], item["events"])
            for item in map(json.loads, lines)
        ]
    for item in items:
        for event in item.events:
            # Elsewhere, what `after` repeats is not labelled.
            event["labelled_warnings"] = (name, folder) == ("cases", "")
    return items


def load_pairs(name: str, folder: str = "") -> list[Json]:
    """The pairs of a file."""
    with (DATA / folder / f"{name}.jsonl").open() as lines:
        return [json.loads(line) for line in lines]


def resolved(item: Labelled) -> Json:
    """The loop detection of an item's agent, so that many items can be agents of one configuration."""
    settings = parse(json.dumps(item.config)).loop_settings(item.agent_id)
    block = {
        "historySize": settings.history_size,
        "warningThreshold": settings.warning_threshold,
        "criticalThreshold": settings.critical_threshold,
        "unknownToolThreshold": settings.unknown_tool_threshold,
        "globalCircuitBreakerThreshold": settings.global_circuit_breaker_threshold,
        "detectors": {
            "genericRepeat": settings.generic_repeat,
            "knownPollNoProgress": settings.known_poll_no_progress,
            "pingPong": settings.ping_pong,
        },
        "postCompactionGuard": {"windowSize": settings.compaction_window},
    }
    return block if settings.enabled is None else block | {"enabled": settings.enabled}


def request(event: Json, agent_id: str | None, prefix: str = "") -> tuple[str, Json]:
    """The method and parameters that report an event."""
    params: Json = {"runId": prefix + event.get("run", "r1")}
    if agent_id is not None:
        params["agentId"] = agent_id
    match event["op"]:
        case "before" | "after":
            params |= {"toolName": event["tool"], "toolCallId": event["call"]}
            params |= {key: event[key] for key in ("args", "result", "error") if key in event}
            return f"tool.{event['op']}", params
        case "compaction":
            return "compaction.record", params | {"willRetry": event.get("willRetry", True)}
        case "reset":
            return "run.start", params | {"fresh": True}
    raise AssertionError(event["op"])


def observed(event: Json, answer: Json) -> Json:
    """An answer in the form of the event's expectation, with as much detail as that has."""
    expected = event["expect"]
    match event["op"]:
        case "before":
            return {"action": answer["action"], **_detection(answer, expected)}
        case "after":
            seen = {"abort": answer["action"] == "abort", **answer["compactionGuard"]}
            if seen["abort"]:
                seen |= _detection(answer, expected)
            elif answer["action"] == "warn" and event["labelled_warnings"]:
                seen["warn"] = _detection(answer, expected.get("warn", {}))
            return seen
        case "compaction":
            return answer
    return {}


def _detection(answer: Json, expected: Json) -> Json:
    detection = answer.get("detection")
    if detection is None:
        return {}
    seen = {"detector": detection["detector"], "count": detection["count"]}
    if "pairedTool" in expected:
        seen["pairedTool"] = detection["pairedToolName"]
    if "notify" in expected:
        seen["notify"] = detection["notify"]
    return seen
