"""Fingerprints that a call brings stand for its arguments and outcome; other calls get theirs made."""

import json

import pytest

from guardd.fingerprint import Arguments, Fingerprinter
from guardd.replay.recorded import RecordedFingerprinter, request_of
from guardd.replay.turns import Call, Failed, Fingerprints, Result

KEY = b"a key"
RECORDED = RecordedFingerprinter(KEY, poll_tools=["mine"])


def recorded(outcome="b" * 32, *, failed=False, missing=None, is_poll=False, tool="exec"):
    return Call(tool, fingerprints=Fingerprints("a" * 32, outcome, failed, missing, is_poll))


def test_a_signature_is_taken_as_it_is():
    args, _, _ = request_of(recorded())
    assert RECORDED.signature("exec", Arguments.parse(args)) == bytes.fromhex("a" * 32)


@pytest.mark.parametrize(("failed", "missing"), [(True, "nope"), (True, None), (False, None)])
def test_an_outcome_is_taken_as_it_is(failed, missing):
    args, result, error = request_of(recorded(failed=failed, missing=missing))
    outcome = RECORDED.outcome("exec", Arguments.parse(args), result, error)
    assert (outcome.fingerprint, outcome.failed, outcome.missing_tool) == (b"\xbb" * 16, failed, missing)


def test_without_an_outcome_there_is_none():
    args, result, error = request_of(recorded(None))
    assert RECORDED.outcome("exec", Arguments.parse(args), result, error) is None


@pytest.mark.parametrize(
    ("tool", "is_poll", "polls"), [("process", True, True), ("process", False, False), ("mine", False, True)]
)
def test_a_poll_is_known_by_its_record_or_its_tool(tool, is_poll, polls):
    args, _, _ = request_of(recorded(tool=tool, is_poll=is_poll))
    assert RECORDED.is_poll(tool, Arguments.parse(args)) is polls


@pytest.mark.parametrize(
    ("outcome", "result", "error"),
    [
        (None, None, None),
        (Result(None), b"null", None),
        (Result({"a": 1}), b'{"a":1}', None),
        (Failed("no"), None, b'"no"'),
        (Failed(None), None, b'""'),
    ],
)
def test_what_other_calls_are_reported_with(outcome, result, error):
    assert request_of(Call("exec", {"n": 1}, None, outcome)) == (b'{"n":1}', result, error)


def test_other_calls_get_the_fingerprints_that_the_daemon_would_make():
    plain = Fingerprinter(KEY)
    args = Arguments.parse(b'{"n":1}')
    assert RECORDED.signature("exec", args) == plain.signature("exec", args)
    for result, error in ((b'{"a":1}', None), (None, b'"no"'), (b"1", b'"Tool x not found"'), (None, None)):
        assert RECORDED.outcome("exec", args, result, error) == plain.outcome("exec", args, result, error)


def test_an_error_that_looks_like_a_record_is_an_error():
    _, stand_in, _ = request_of(recorded())
    outcome = RECORDED.outcome("exec", Arguments.parse(None), stand_in, json.dumps("no").encode())
    assert outcome.failed
    assert outcome.missing_tool is None
