import pytest

from guardd.fingerprint import VERSION, Arguments, Fingerprinter
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
