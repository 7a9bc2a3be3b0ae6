import json
from typing import Any, Protocol

import pytest
from support.labelled import load

from guardd.fingerprint import Arguments, Fingerprinter, Outcome
from guardd.fingerprint.outcomes import missing_tool, normal_form
from guardd.fingerprint.tools import Tools


class Same(Protocol):
    def __call__(
        self, one: object, other: object, tool: str = "read", args: object = None, kind: str = "result"
    ) -> bool: ...


def arguments(value: object = None):
    return Arguments.parse(json.dumps(value).encode())


@pytest.fixture
def same(fingerprinter: Fingerprinter) -> Same:
    """Say whether two results of a call are alike."""

    def compare(
        one: object, other: object, tool: str = "read", args: object = None, kind: str = "result"
    ) -> bool:
        found = []
        for value in (one, other):
            raw = {"result": None, "error": None, kind: json.dumps(value).encode()}
            found.append(fingerprinter.outcome(tool, arguments(args), **raw))
        assert all(outcome.failed == (kind == "error") for outcome in found)
        return found[0].fingerprint == found[1].fingerprint

    return compare


def raw_of(event: dict[str, object]) -> dict[str, bytes | None]:
    return {key: json.dumps(event[key]).encode() if key in event else None for key in ("result", "error")}


def text(*parts: str, **rest: object):
    return {"content": [{"type": "text", "text": part} for part in parts], **rest}


def test_labelled_pairs(outcome_pairs: list[dict[str, Any]], fingerprinter: Fingerprinter):
    def outcome(pair: dict[str, Any], side: str) -> Outcome | None:
        return fingerprinter.outcome(pair["tool"], arguments(pair["args"]), **raw_of(pair[side]))

    assert len(outcome_pairs) == 78
    wrong = [
        pair["name"] for pair in outcome_pairs if (outcome(pair, "a") == outcome(pair, "b")) != pair["same"]
    ]
    assert wrong == []


def test_every_recorded_outcome_has_a_fingerprint(fingerprinter: Fingerprinter):
    count = 0
    for case in load("cases"):
        for event in case.events:
            if "result" in event or "error" in event:
                assert fingerprinter.outcome(event["tool"], arguments(event["args"]), **raw_of(event))
                count += 1
    assert count > 400


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ({}, {"content": None, "details": None}, True),
        ({}, {"content": [], "details": {}, "_meta": {"t": 1}}, True),
        ({}, text(" \n"), True),
        ({}, {"details": []}, False),
        ({}, {"isError": False}, False),
        ({}, [], False),
        ({}, None, False),
        ({"content": "a"}, {"content": ["a"]}, False),
        ({"content": "a"}, text("a"), False),
        (text("\ufeff\u00a0a\u2028"), text("a"), True),
        (text("a\x1c"), text("a"), False),
        (text("a ", " b"), text("a \n b"), True),
        (text("a", "", "b"), text("a\n\nb"), True),
        (text("a\r\nb"), text("a\nb"), False),
        (text("a"), {"content": [{"type": "text", "text": "a", "_meta": {"n": 1}}]}, True),
        (text("a"), {"content": [{"type": "text", "text": "a", "annotations": {}}]}, False),
        (text("a"), {"content": [{"type": "thinking", "text": "a"}]}, False),
        (text("a"), {"content": [{"type": "text", "text": "a"}, {"type": "text", "text": 1}]}, False),
        (text("a"), text("a", newKey=1), False),
        (
            text("a", details={"x": 1, "y": 2}),
            {"details": {"y": 2, "x": 1}, "content": text("a")["content"]},
            True,
        ),
        ("a", " a", False),
        (5, "5", False),
        (True, 1, False),
        (1, 1.0, True),
        (10**20, 1e20, True),
        (2**70, 2**70 + 1, False),
    ],
)
def test_any_tool(same: Same, one: object, other: object, *, expected: bool):
    assert same(one, other) is expected


def test_other_parts_count_with_their_place(same: Same):
    image = {"type": "image", "data": "x"}
    a, b = text("a", "b")["content"]
    assert same({"content": [a, image, b]}, {"content": [a, {**image, "_meta": 1}, b]})
    assert not same({"content": [a, image, b]}, {"content": [image, a, b]})
    assert not same({"content": [a, image, b]}, {"content": [a, b, image]})
    assert same({"content": [*text("", " a")["content"], image]}, {"content": [a, image]})
    assert same({"content": [image, *text("a", " ")["content"]]}, {"content": [image, a]})
    assert same({"content": [*text(" ")["content"], image]}, {"content": [image]})
    assert not same({"content": [image, image]}, {"content": [image]})
    assert not same({"content": ["a"]}, {"content": [["a"]]})


def details(status: object, **fields: object):
    return {"details": {"status": status, **fields}}


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        (details("completed", exitCode=0), details("completed", exitCode=0.0, pid=4), True),
        (details("completed", exitCode=0), details("failed", exitCode=0), False),
        (details("completed", exitCode=True), details("completed"), True),
        (details("completed", exitCode=1e300), details("completed"), False),
        (details("completed", timedOut="yes"), details("completed"), True),
        (details("completed", aggregated=" a\n"), details("completed", aggregated="a"), True),
        (details("completed", aggregated=" "), details("completed", aggregated=None), True),
        ({**details("completed"), **text("a ")}, details("completed", aggregated="a"), True),
        (details("completed", aggregated=[1]), details("completed", aggregated=[2]), False),
        (details("completed"), {**details("completed"), "isError": True}, True),
        (details("running", tail=None), details("running", pid=1), True),
        (details("running", tail="a"), details("running", tail="a "), False),
        (details("approval-pending", reason=None), details("approval-pending", id=4), True),
        (details("approval-pending"), details("approval-unavailable"), False),
        (details("approval-pending", warningText="a"), details("approval-pending", warningText="b"), False),
        (details("killed", pid=1), details("killed", pid=2), False),
        (details(["completed"], pid=1), details(["completed"], pid=2), False),
        ({"details": "a"}, {"details": "b"}, False),
        ("a", "b", False),
    ],
)
def test_exec(same: Same, one: object, other: object, *, expected: bool):
    assert same(one, other, tool="exec", args={"command": "make"}) is expected


@pytest.mark.parametrize(
    ("action", "one", "other", "expected"),
    [
        ("poll", details("running", exitCode=None), details("running", totalLines=4), True),
        ("poll", details("running", exitCode=1), details("running", exitCode=2), False),
        ("poll", text("a"), {**text(" a"), "details": None, "isError": True}, True),
        ("log", details("running", aggregated="a"), details("running", aggregated="b"), True),
        ("log", details("running", exitSignal="a"), details("running", exitSignal="b"), False),
        ("Log", details("running", aggregated="a"), details("running", aggregated="b"), False),
        (["log"], details("running", aggregated="a"), details("running", aggregated="b"), False),
        ("log", "a", "b", False),
    ],
)
def test_process(same: Same, action: object, one: object, other: object, *, expected: bool):
    assert same(one, other, tool="process", args={"action": action}) is expected


def delivered(**fields: object):
    return {"details": {"deep": [{"message": {"text": "t", **fields}}]}}


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        (delivered(id="1", senderId="s"), delivered(id="2", senderId="s"), True),
        (delivered(id="1", accountId="s"), delivered(id="2", accountId="s"), True),
        (delivered(id="1", conversation={"a": 1}), delivered(id="2", conversation={"a": 1}), True),
        (delivered(id="1", conversation="c"), delivered(id="2", conversation="c"), False),
        (delivered(id=1, senderId="s"), delivered(id=2, senderId="s"), False),
        (delivered(id="1"), delivered(id="2"), False),
        (delivered(senderId="s", id="1", text=1), delivered(senderId="s", id="2", text=1), False),
        (
            {"details": {"id": "1", "text": "", "direction": "out"}},
            {"details": {"id": "2", "text": "", "direction": "out"}},
            True,
        ),
        ({"details": [{"ts": 1}]}, {"details": [{"createdAt": 2}]}, True),
        ({"details": {}}, text("sent", isError=True), True),
        ({"details": "a"}, {"details": "b"}, False),
        ("a", "b", False),
    ],
)
def test_sending(same: Same, one: object, other: object, *, expected: bool):
    assert same(one, other, tool="sessions_send") is expected
    assert same(one, other, tool="message", args={"action": "reply"}) is expected


def test_sending_strips_at_any_depth():
    nested = '{"details":' + '[{"a":' * 400 + '{"ts":TS}' + "}]" * 400 + "}"
    results = [json.loads(nested.replace("TS", ts)) for ts in "12"]
    one, other = (normal_form("sessions_send", arguments(), result, sending=True) for result in results)
    assert one == other


def test_results_that_the_decoder_refuses_follow_the_same_rules(fingerprinter: Fingerprinter):
    def outcome(raw: bytes) -> bytes:
        return fingerprinter.outcome("exec", arguments(), raw, None).fingerprint

    completed = b'{"content":[],"details":{"status":"completed","aggregated":"\\ud800","pid":%d}}'
    assert outcome(completed % 1) == outcome(completed % 2)
    assert outcome(completed % 1) != outcome(completed.replace(b"d800", b"d801") % 1)
    deep = b'{"_meta":%d,"details":{"status":"x","x":' + b"[" * 5000 + b"]" * 5000 + b"}}"
    assert outcome(deep % 1) == outcome(deep % 2) != outcome(deep.replace(b'"x"', b'"y"') % 1)
    too_deep = b'{"details":%d,"x":' + b"[" * 200_000 + b"]" * 200_000 + b"}"
    assert outcome(too_deep % 1) == outcome(too_deep % 1) != outcome(too_deep % 2)


def test_neither_result_nor_error_is_no_outcome(fingerprinter: Fingerprinter):
    assert fingerprinter.outcome("t", arguments(), None, None) is None
    assert fingerprinter.outcome("t", arguments(), None, b" null ") is None
    assert fingerprinter.outcome("t", arguments(), b"null", None).failed is False
    assert fingerprinter.outcome("t", arguments(), b"null", b"null").failed is False


def test_given_both_the_error_counts(fingerprinter: Fingerprinter):
    both = fingerprinter.outcome("t", arguments(), b"1", b'"e"')
    assert both == fingerprinter.outcome("t", arguments(), None, b'"e"')
    assert both.failed


def test_an_error_is_never_a_result(fingerprinter: Fingerprinter):
    error = fingerprinter.outcome("t", arguments(), None, b'"a"')
    assert error.fingerprint != fingerprinter.outcome("t", arguments(), b'"a"', None).fingerprint


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        (5, "5", True),
        (5.0, "5", True),
        (True, "true", True),
        ({"b": 1, "a": [1.0]}, '{"a":[1],"b":1}', True),
        ("", [], False),
        ("a", "a ", False),
        ("\ud800", "\ud801", False),
        (["\ud800"], '["\ud800"]', True),
    ],
)
def test_errors(same: Same, one: object, other: object, *, expected: bool):
    assert same(one, other, kind="error") is expected


def test_an_error_that_is_too_deep_is_its_bytes(fingerprinter: Fingerprinter):
    error = b"[" * 200_000 + b"]" * 200_000
    deep = fingerprinter.outcome("t", arguments(), None, error)
    assert deep.failed
    assert deep == fingerprinter.outcome("t", arguments(), None, b" " + error)


@pytest.mark.parametrize(
    ("error", "name"),
    [
        ("Unknown tool: lookup_0", "lookup_0"),
        ("UNKNOWN TOOL lookup.a-B", "lookup.a-b"),
        ('unknown tool::  "Foo"', "foo"),
        ("failed: unknown tool 'x'.", "x"),
        ("Unknown tool: x.y.", "x.y"),
        ("Tool WebSearch not found", "websearch"),
        ("Error: tool `a` not found, try b", "a"),
        ("Tool 'lookup_1' is not available", "lookup_1"),
        ('{"message":"Tool \\"z\\" not found"}', "z"),
        ("tool a ran; tool b is not available", "b"),
        ("Tool a was not found", None),
        ("unknown tools: a", None),
        ("unknown tool: ...", None),
        ("file not found", None),
        ("the tool is not available", None),
        ("", None),
    ],
)
def test_missing_tools(error: str, name: str | None, fingerprinter: Fingerprinter):
    assert missing_tool(error.encode()) == name
    assert fingerprinter.outcome("t", arguments(), None, json.dumps(error).encode()).missing_tool == name


def test_missing_tools_are_soon_found():
    for piece in ("tool ", "tool", "unknown tool", "tool a", "tool: ", "tool a not ", " "):
        assert missing_tool(piece.encode() * 100_000 + b"!") is None or piece.startswith("unknown")


def test_configured_tools_send():
    tools = Tools(sending=("telegram",))
    assert tools.is_sending("telegram", arguments())
    assert tools.is_sending("sessions_send", arguments())
    assert not tools.is_sending("message", arguments({"action": "read"}))
    assert not tools.is_sending("message", arguments({"action": ["send"]}))
    assert not tools.is_sending("message", arguments("send"))


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        ("Tool process(action=poll, timeout=60000) not found", "process"),
        ("Error: tool `Bash(ls)` is not available", "bash"),
        ("tool: x.y-z() not found", "x.y-z"),
        ("Tool bash(echo $(ls)\nrm a) not found", "bash"),
        ('Tool write({"path": "a", "content": "f(x)"}) not found', "write"),
        ("Tool process not found", "process"),
        ("Unknown tool: process(action=poll)", "process"),
        ("Tool bash(ls) failed: f() not found", None),
        ("Tool bash (ls) not found", None),
        ("Tool bash(f(g(x))) not found", None),
        ("Tool bash(ls not found", None),
        ("bash(ls) not found", None),
    ],
)
def test_a_missing_tool_may_be_named_with_its_arguments(error: str, expected: str | None):
    assert missing_tool(error.encode(), with_arguments=True) == expected
    if "(" in error and not error.startswith("Unknown"):
        assert missing_tool(error.encode()) is None


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        ("<tool_use_error>Error: No such tool available: Foo</tool_use_error>", "foo"),
        ("Error: No such tool available: mcp__files__read. Connect the server first.", "mcp__files__read"),
        ("unsupported call: multi_agent_v1wait_agent", "multi_agent_v1wait_agent"),
        ("unsupported custom tool call: apply_patch", "apply_patch"),
        ("Unsupported call: x\n", "x"),
        (
            "Tool 'foo-bar_baz' does not exist. Available tools that can be called are bash, view.",
            "foo-bar_baz",
        ),
        ("No such tool", None),
        ("No such tool available", None),
        ("main.c:5: unsupported call: foo", None),
        ("unsupported call: foo in main.c", None),
        ("the tool makes an unsupported call: foo", None),
        ("Tool 'foo' does not exist", None),
        ("Tool 'foo' does not exist. Try again.", None),
        ("Table 'foo' does not exist. Available tools", None),
    ],
)
def test_a_missing_tool_may_be_told_in_the_words_of_a_coding_agent(error: str, expected: str | None):
    assert missing_tool(error.encode(), with_arguments=True) == expected
    assert missing_tool(error.encode()) is None


@pytest.mark.parametrize(
    "unit",
    [
        "tool a(", "tool a()", "tool a(tool b()", "tool ", "(", "tool a(()", "tool a(b)", "no such tool available: ",
        "tool a does not exist. ", "unsupported call: ", "unsupported tool call: ", " ", "tool 'a'",
    ],
)  # fmt: skip
def test_a_missing_tool_with_arguments_is_looked_for_in_linear_time(unit: str):
    """Quadratic time would be longer than a test may take."""
    missing_tool((unit * (1_000_000 // len(unit))).encode(), with_arguments=True)
