"""The pieces of which every adapter is made."""

import pytest

from guardd.adapters import events
from guardd.adapters.events import ABSENT, NotUnderstoodError

SCOPE = {"source": "x", "agentId": "x", "sessionKey": "s"}


def test_a_field_counts_if_it_is_a_text_that_is_not_empty():
    event = {"a": "", "b": 7, "c": None, "d": "found", "e": "later"}
    assert events.text(event, "a", "b", "c", "missing", "d", "e") == "found"
    assert events.text(event, "a", "b") == ""


def test_ids_are_joined_without_those_that_are_missing():
    assert events.joined("a", "", "b") == "a/b"
    assert events.joined("", "b") == "b"
    assert events.joined("", "") == ""


def test_a_scope_names_what_there_is():
    assert events.scope("x", "", "", "s") == SCOPE
    assert events.scope("x", "main", "r", "") == {"source": "x", "agentId": "main", "runId": "r"}
    with pytest.raises(NotUnderstoodError):
        events.scope("x", "main", "", "")


def test_a_call_has_a_tool():
    assert events.call(SCOPE, "t", "", None) == {**SCOPE, "toolName": "t", "args": None, "once": True}
    with pytest.raises(NotUnderstoodError):
        events.call(SCOPE, "", "c", None)


@pytest.mark.parametrize(
    ("given", "outcome"),
    [
        ({}, {}),
        ({"result": ABSENT}, {}),
        ({"result": None}, {"result": None}),
        ({"result": "r", "error": None}, {"result": "r"}),
        ({"result": "r", "error": ""}, {"error": ""}),
        ({"duration": 1.5}, {"durationMs": 1.5}),
        ({"duration": True}, {}),
        ({"duration": "1"}, {}),
    ],
)
def test_an_outcome_is_an_error_a_result_or_neither(given, outcome):
    assert events.after({"p": 1}, **given) == ("tool.after", {"p": 1, **outcome})


@pytest.mark.parametrize(
    ("trigger", "retries"), [("auto", True), ("", True), ("new", True), ("manual", False)]
)
def test_only_a_compaction_by_hand_is_not_retried_after(trigger, retries):
    method, params = events.compaction(SCOPE, trigger)
    assert (method, params["willRetry"]) == ("compaction.record", retries)
    assert params.get("reason", "") == trigger


@pytest.mark.parametrize(
    ("given", "decoded"),
    [
        ('{"a": 1}', {"a": 1}),
        ("[1]", [1]),
        ("{half", "{half"),
        ("7", "7"),
        ("text", "text"),
        ("", ""),
        ("[" * 100_000, "[" * 100_000),
        ({"a": 1}, {"a": 1}),
        (None, None),
    ],
)
def test_json_in_a_text_is_taken_for_what_it_holds(given, decoded):
    assert events.decoded(given) == decoded


@pytest.mark.parametrize(
    ("value", "left"),
    [
        ({"a": 1, "b": {"c": 2, "d": 3}}, {"b": {"d": 3}}),
        ({"b": [1]}, {"b": [1]}),
        ({"l": [{"i": 1, "t": 2}, 7, {"t": 3}]}, {"l": [{"t": 2}, 7, {"t": 3}]}),
        ({"l": {"i": 1}}, {"l": {"i": 1}}),
        ("text", "text"),
        (None, None),
    ],
)
def test_volatile_fields_are_taken_out(value, left):
    assert events.without(value, ("a", "b.c", "l.*.i")) == left


def test_lines_are_taken_out_of_texts_alone():
    assert events.without_lines("a: 1\nb\na: 2\n a: 3", "a: ", "x") == "b\n a: 3"
    assert events.without_lines(["a: 1"], "a: ") == ["a: 1"]
