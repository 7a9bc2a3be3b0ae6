import json

import msgspec
import pytest

from guardd.fingerprint import VERSION, Arguments, Fingerprinter, Outcome
from guardd.fingerprint.fingerprinter import SIZE
from guardd.fingerprint.reading import InvalidJsonError


@pytest.mark.parametrize("raw", [b"null", b" null ", b"{}", b"{ }", b"{\n}"])
def test_missing_null_and_empty_arguments_are_the_same(raw: bytes | None, fingerprinter: Fingerprinter):
    missing, given = Arguments.parse(None), Arguments.parse(raw)
    assert missing == given
    assert fingerprinter.signature("t", missing) == fingerprinter.signature("t", given)


@pytest.mark.parametrize("raw", [b"[]", b'""', b"0", b"false", b'{"a":null}', b"[null]"])
def test_other_empty_values_are_not(raw: bytes | None):
    assert Arguments.parse(raw) != Arguments.parse(None)


def test_arguments_show_their_value():
    arguments = Arguments.parse(b'{"a":1.0}')
    assert arguments.value == {"a": 1}
    assert arguments.get("a") == 1
    assert arguments.get("b") is Arguments.parse(b'["a"]').get("a") is None


def test_arguments_that_are_too_deep_have_bytes_only():
    deep = Arguments.parse(b"[" * 200_000 + b"]" * 200_000)
    assert deep.value is None
    assert deep.canonical.endswith(b"]]]")


def test_arguments_must_be_json():
    with pytest.raises(InvalidJsonError):
        Arguments.parse(b"{")


def test_signatures_tell_calls_apart(fingerprinter: Fingerprinter):
    calls = [
        ("a", b"{}"),
        ("A", b"{}"),
        ("", b"{}"),
        ("a", b'"b"'),
        ('a\0"b"', b"{}"),
        ("a", b'{"a":1}'),
        ("\ud800", b"{}"),
    ]
    signatures = {fingerprinter.signature(tool, Arguments.parse(raw)) for tool, raw in calls}
    assert len(signatures) == len(calls)
    assert {len(signature) for signature in signatures} == {SIZE}


def test_fingerprints_are_keyed_and_lasting():
    arguments = Arguments.parse(b'{"a":1}')
    one, again, other = (Fingerprinter(key) for key in (b"k" * 64, b"k" * 64, b"l"))
    assert one.signature("t", arguments) == again.signature("t", arguments) != other.signature("t", arguments)
    outcomes = [maker.outcome("t", arguments, b"1", None).fingerprint for maker in (one, again, other)]
    assert outcomes[0] == outcomes[1] != outcomes[2]


def test_the_version_is_raised_with_the_fingerprints():
    maker = Fingerprinter(b"k")
    arguments = Arguments.parse(b'{"b":[1,1e30,0.5,"\\u00e9"],"a":null}')
    result = b'{"content":[{"type":"text","text":" a "}],"details":{"x":1}}'
    found = (
        VERSION,
        maker.signature("exec", arguments).hex(),
        maker.outcome("exec", arguments, result, None).fingerprint.hex(),
        maker.outcome("exec", arguments, None, b'"a"').fingerprint.hex(),
    )
    assert found == (
        1,
        "7301f0b057013e1fb17d5a5adfdb9ac8",
        "957621463a117d1426ab462b0c35e26e",
        "a4383f1aa325dd41e4a4dd76e5a3a3b9",
    )


def test_a_call_and_its_outcome_never_look_alike(fingerprinter: Fingerprinter):
    arguments = Arguments.parse(b"{}")
    assert (
        fingerprinter.signature("", arguments)
        != fingerprinter.outcome("", arguments, b"{}", None).fingerprint
    )


@pytest.mark.parametrize("key", [b"", b"k" * 65])
def test_keys_must_fit(key: bytes):
    with pytest.raises(ValueError, match="1 to 64 bytes"):
        Fingerprinter(key)


@pytest.mark.parametrize(
    ("tool", "raw", "poll"),
    [
        ("command_status", None, True),
        ("process", b'{"action":"poll"}', True),
        ("process", b'{"action":"log"}', True),
        ("process", b'{"action":"write"}', False),
        ("process", b'{"action":["poll"]}', False),
        ("process", b'["poll"]', False),
        ("process", None, False),
        ("exec", b'{"action":"poll"}', False),
        ("job_status", None, True),
    ],
)
def test_polls(tool: str, raw: bytes | None, *, poll: bool):
    assert Fingerprinter(b"k", poll_tools=["job_status"]).is_poll(tool, Arguments.parse(raw)) is poll


def test_configured_sending_tools():
    results = [b'{"details":{"messageId":%d}}' % number for number in (1, 2)]
    for sending, same in (((), False), (("telegram",), True)):
        maker = Fingerprinter(b"k", sending_tools=sending)
        one, other = (maker.outcome("telegram", Arguments.parse(None), result, None) for result in results)
        assert (one == other) is same


def masking(**flags: bool) -> Fingerprinter:
    return Fingerprinter(b"key", **(flags or {"masks_volatile": True}))


def text_result(text: str) -> bytes:
    return json.dumps({"content": [{"type": "text", "text": text}], "details": {"at": text}}).encode()


@pytest.mark.parametrize("kind", ["result", "error"])
def test_outcomes_are_also_compared_without_what_differs_by_itself(kind: str):
    def outcome(text: str) -> Outcome:
        raw = {"result": None, "error": None}
        raw[kind] = text_result(text) if kind == "result" else json.dumps(text).encode()
        found = masking().outcome("read", Arguments.parse(None), **raw)
        plain = Fingerprinter(b"key").outcome("read", Arguments.parse(None), **raw)
        assert found is not None
        assert msgspec.structs.replace(found, masked=None) == plain
        return found

    one, other, more = (
        outcome("12 passed in 1.2s"),
        outcome("12 passed in 3.4s"),
        outcome("13 passed in 1.2s"),
    )
    assert one.masked == other.masked is not None
    assert one.fingerprint != other.fingerprint
    assert one.masked not in {more.masked, one.fingerprint}
    assert outcome("12 passed").masked is None
    assert outcome("\x1b[1mred\x1b[0m").masked == outcome("red").fingerprint


def test_outcomes_that_cannot_be_masked_have_their_fingerprint_only():
    deep = b'["5 ms",' + b"[" * 200_000 + b"]" * 200_000 + b"]"
    assert masking().outcome("t", Arguments.parse(None), deep, None).masked is None
    assert masking().outcome("t", Arguments.parse(None), b"5", None).masked is None
    assert masking().outcome("t", Arguments.parse(None), None, None) is None


def test_errors_that_are_no_strings_are_masked_as_they_are_written():
    errors = [
        b'{"took": "5 ms", "code": 1}',
        b'{"took": "6 ms", "code": 1}',
        b'{"took": "6 ms", "code": 2}',
        b'"\\ud800 5 ms"',
    ]
    found = [masking().outcome("t", Arguments.parse(None), None, error).masked for error in errors]
    assert found[0] == found[1] != found[2]
    assert None not in found


@pytest.mark.parametrize(
    ("tool", "one", "other", "same"),
    [
        ("process", b'{"action":"poll","timeout":5}', b'{"action":"poll","timeout":6}', True),
        ("process", b'{"action":"poll","timeout":5}', b'{"action":"poll"}', True),
        ("process", b'{"action":"poll","id":"a","waitMs":5}', b'{"waitMs":6,"id":"a","action":"poll"}', True),
        (
            "process",
            b'{"action":"poll","id":"a","timeout":5}',
            b'{"action":"poll","id":"b","timeout":5}',
            False,
        ),
        ("process", b'{"action":"write","timeout":5}', b'{"action":"write","timeout":6}', False),
        ("TaskOutput", b'{"task_id":"a","timeout":5}', b'{"task_id":"a","timeout":6}', True),
        ("exec", b'{"command":"a","timeout":5}', b'{"command":"a","timeout":6}', False),
    ],
)
def test_how_long_a_poll_waits_may_be_ignored(tool: str, one: bytes, other: bytes, same: bool):  # noqa: FBT001
    def signatures(maker: Fingerprinter) -> set[bytes]:
        return {maker.signature(tool, Arguments.parse(raw)) for raw in (one, other)}

    assert len(signatures(masking(ignores_waiting=True))) == (1 if same else 2)
    assert len(signatures(masking())) == 2


@pytest.mark.parametrize(("flags", "name"), [({"reads_missing_calls": True}, "process"), ({}, None)])
def test_an_error_may_repeat_the_arguments_of_a_missing_tool(flags: dict[str, bool], name: str | None):
    error = b'"Tool process(action=poll, timeout=60000) not found"'
    assert (
        Fingerprinter(b"key", **flags).outcome("process", Arguments.parse(None), None, error).missing_tool
        == name
    )
