"""The plain model of the rules says what the labels say, so that it can be trusted where there are none."""

import json
from typing import Any

import pytest
from support import model
from support.labelled import Labelled, load

from guardd.config import LoopSettings, parse
from guardd.fingerprint import Arguments, Fingerprinter

KEY = b"any key"
ITEMS = {name: load(name) for name in ("streams", "cases")}


def raw(event: dict[str, Any], key: str) -> bytes | None:
    return json.dumps(event[key]).encode() if key in event else None


def put(run: model.Run, event: dict[str, Any], settings: LoopSettings) -> dict[str, Any]:
    """What the model says to an event, in the form of the labels."""
    if event["op"] == "compaction":
        return run.compaction(settings, will_retry=event.get("willRetry", True))._asdict()
    if event["op"] == "reset":
        run.reset()
        return {}
    prints = Fingerprinter(KEY)
    arguments = Arguments.parse(raw(event, "args"))
    signature = prints.signature(event["tool"], arguments)
    asked = model.Asked(event["tool"], signature, prints.is_poll(event["tool"], arguments), event["call"])
    if event["op"] == "before":
        answer = run.before(asked, settings, observing=False)
        return {"action": answer.action} | detection(answer, event["expect"])
    outcome = prints.outcome(event["tool"], arguments, raw(event, "result"), raw(event, "error"))
    came = outcome and model.Came(outcome.fingerprint, outcome.missing_tool)
    answer, guarded = run.after(asked, came, settings, observing=False)
    said: dict[str, Any] = {"abort": answer.action == "abort"} | guarded._asdict()
    if answer.action == "abort":
        return said | detection(answer, event["expect"])
    if answer.action == "warn" and event["labelled_warnings"]:
        return said | {"warn": detection(answer, event["expect"].get("warn", {}))}
    return said


def detection(answer: model.Answer, expected: dict[str, Any]) -> dict[str, Any]:
    found = answer.found
    if found is None:
        return {}
    said = {
        "detector": found.detector,
        "count": found.count,
        "pairedTool": found.paired,
        "notify": answer.notify,
    }
    return {key: value for key, value in said.items() if key in expected or key in ("detector", "count")}


def assert_labels(item: Labelled) -> None:
    settings = parse(json.dumps(item.config)).loop_settings(item.agent_id)
    runs: dict[str, model.Run] = {}
    for position, event in enumerate(item.events):
        run = runs.setdefault(event["run"], model.Run())
        assert put(run, event, settings) == event["expect"], (item.id, position)


@pytest.mark.parametrize("item", ITEMS["cases"], ids=lambda item: item.id)
def test_every_case(item):
    assert_labels(item)


def test_every_stream():
    for item in ITEMS["streams"]:
        assert_labels(item)
