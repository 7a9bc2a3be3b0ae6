import json
from unittest import mock

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from guardd.protocol import errors, jsonrpc
from guardd.protocol.errors import InvalidRequest, ParseError
from guardd.protocol.jsonrpc import MAX_BATCH, Message, Rejected, Request, read

DEEP = b"[" * 20_000 + b"]" * 20_000
SURROGATE = b'{"text":"\\ud83d"}'


class Refusing:
    """A decoder that leaves everything to the splitter."""

    def decode(self, _: bytes) -> None:
        raise msgspec.DecodeError


def read_slowly(frame: bytes) -> Message:
    with mock.patch.multiple(jsonrpc, _envelope=Refusing(), _raw_elements=Refusing()):
        return read(frame)


def seen(message: Message) -> tuple[bool, list[tuple[object, ...]]]:
    """A message in a form that can be compared: of an error its class."""
    return message.batch, [
        (call.id, type(call.error)) if isinstance(call, Rejected) else msgspec.structs.astuple(call)
        for call in message.calls
    ]


def request(members: bytes) -> bytes:
    return b'{"jsonrpc":"2.0",' + members + b"}"


REQUESTS = [
    (b'"method":"m","id":1', (b"1", "m", None)),
    (b'"id":1,"method":"m","params":{}', (b"1", "m", b"{}")),
    (b'"method":"m","id":1,"params":{"a": [1, {}]}', (b"1", "m", b'{"a": [1, {}]}')),
    (b'"method":"m","id":1,"params":[1]', (b"1", "m", b"[1]")),
    (b'"method":"m","id":1,"params":null', (b"1", "m", None)),
    (b'"method":"m"', (None, "m", None)),
    (b'"method":"m","params":{"a":1}', (None, "m", b'{"a":1}')),
    (b'"method":"","id":1', (b"1", "", None)),
    (b'"method":"rpc.anything","id":1', (b"1", "rpc.anything", None)),
    (b'"method":"m\\u0041\\n","id":1', (b"1", "mA\n", None)),
    (b'"\\u006dethod":"m","\\u0069d":2', (b"2", "m", None)),
    ('"method":"é","id":"é"'.encode(), ('"é"'.encode(), "é", None)),
    (b'"method":"m","id":1,"unknown":[{"method":"x"}],"more":null', (b"1", "m", None)),
    (b'"method":"m","id":1,"id":2,"method":"n","params":{"a":1},"params":{}', (b"2", "n", b"{}")),
    (b'"method":5,"method":"m","id":1', (b"1", "m", None)),
    (b'"method":"m","jsonrpc":"1.0","jsonrpc":"2.0","id":1', (b"1", "m", None)),
    (b'"method":"m","id":1,"params":{"args":' + DEEP + b"}", (b"1", "m", b'{"args":' + DEEP + b"}")),
    (b'"method":"m","id":1,"params":' + SURROGATE, (b"1", "m", SURROGATE)),
    (b'"method":"m\\udead","id":1', (b"1", "m\\udead", None)),
    (b'"method":"m","id":"\\udead"', (b'"\\udead"', "m", None)),
    (b'"method":"m","id":1,"\\udead":2', (b"1", "m", None)),
]


@pytest.mark.parametrize(("members", "expected"), REQUESTS, ids=lambda value: str(value)[:40])
@pytest.mark.parametrize("reading", [read, read_slowly])
def test_requests(reading, members: bytes, expected: tuple[object, ...]):
    assert reading(request(members)) == Message([Request(*expected)], batch=False)
    assert reading(b"\t " + request(members) + b" \r") == Message([Request(*expected)], batch=False)
    batch = reading(b" [" + request(members) + b" ,\n" + request(members) + b"]")
    assert batch == Message([Request(*expected)] * 2, batch=True)


@pytest.mark.parametrize(
    "call_id",
    [b"0", b"-0", b"1", b"-17", b"1.0", b"1.50", b"1e2", b"1E-400", b"1" * 5000, b"null", b'""', b'"a b"',
     b'"\\u0061\\/\\n"', b'"\\ud83d\\ude00"', '"😀"'.encode()],
)  # fmt: skip
@pytest.mark.parametrize("reading", [read, read_slowly])
def test_ids_are_kept_as_they_came(reading, call_id: bytes):
    (call,) = reading(request(b'"id": ' + call_id + b' ,"method":"m"')).calls
    assert call == Request(call_id, "m", None)


INVALID = [
    (b"{}", b"null"),
    (b'{"foo":"boo"}', b"null"),
    (b'{"jsonrpc":"2.0","method":1,"params":"bar"}', b"null"),
    (b'{"jsonrpc":"2.0"}', b"null"),
    (b'{"jsonrpc":"2.0","id":7}', b"7"),
    (b'{"method":"m","id":7}', b"7"),
    (b'{"jsonrpc":"1.0","method":"m","id":7}', b"7"),
    (b'{"jsonrpc":2.0,"method":"m","id":7}', b"7"),
    (b'{"jsonrpc":null,"method":"m","id":7}', b"7"),
    (b'{"jsonrpc":"2.0 ","method":"m","id":7}', b"7"),
    (b'{"JSONRPC":"2.0","method":"m","id":7}', b"7"),
    (b'{"jsonrpc":"2.0","method":"m","jsonrpc":"1.0","id":7}', b"7"),
    (b'{"jsonrpc":"2.0","method":null,"id":"x"}', b'"x"'),
    (b'{"jsonrpc":"2.0","method":["m"],"id":7}', b"7"),
    (b'{"jsonrpc":"2.0","method":"m","method":{},"id":7}', b"7"),
    (b'{"jsonrpc":"2.0","METHOD":"m","id":7}', b"7"),
    (b'{"jsonrpc":"2.0","method":"m","id":true}', b"null"),
    (b'{"jsonrpc":"2.0","method":"m","id":false}', b"null"),
    (b'{"jsonrpc":"2.0","method":"m","id":[1]}', b"null"),
    (b'{"jsonrpc":"2.0","method":"m","id":{"a":1}}', b"null"),
    (b'{"jsonrpc":"2.0","method":"m","id":' + DEEP + b"}", b"null"),
    (b'{"jsonrpc":"2.0","id":{},"method":5}', b"null"),
    (b'{"jsonrpc":"2.0","id":null,"method":5}', b"null"),
    (b'{"jsonrpc":"2.0","method":"m","id":7,"params":1}', b"7"),
    (b'{"jsonrpc":"2.0","method":"m","id":7,"params":"x"}', b"7"),
    (b'{"jsonrpc":"2.0","method":"m","id":7,"params":true}', b"7"),
    (b'{"jsonrpc":"2.0","method":"m","params":false}', b"null"),
    (b'{"jsonrpc":"2.0","id":1,"result":{}}', b"1"),
    (b"1", b"null"),
    (b'"x"', b"null"),
    (b"null", b"null"),
    (b"true", b"null"),
    (b'"\\ud800"', b"null"),
]


@pytest.mark.parametrize(("frame", "call_id"), INVALID, ids=lambda value: str(value)[:60])
@pytest.mark.parametrize("reading", [read, read_slowly])
def test_invalid_requests(reading, frame: bytes, call_id: bytes):
    assert seen(reading(frame)) == (False, [(call_id, InvalidRequest)])
    assert seen(reading(b"[" + frame + b"]")) == (True, [(call_id, InvalidRequest)])


NO_JSON = [
    b"", b" ", b"{", b"}", b"[", b"]", b"nope", b"NaN", b"[1,", b"[1,]", b"{'jsonrpc':'2.0'}", b"\x00",
    b"\xef\xbb\xbf{}", b'\xef\xbb\xbf{"jsonrpc":"2.0","method":"m","id":1}',
    b'{"jsonrpc":"2.0","method":"m","id":1', b'{"jsonrpc":"2.0","method":"m","id":1}}',
    b'{"jsonrpc":"2.0","method":"m"} x',
    b'{"jsonrpc":"2.0","method":"m","id":1}{"jsonrpc":"2.0","method":"m","id":2}',
    b'{"jsonrpc":"2.0","method":"m",}', b'{"jsonrpc":"2.0","method":"m","id":NaN}',
    b'{"jsonrpc":"2.0","method":"m","id":01}',
    b'{"jsonrpc":"2.0","method":"m","id":1,"params":{"args":NaN}}',
    b'{"jsonrpc":"2.0","method":"m","id":1,"params":{"args":-Infinity}}',
    b'{"jsonrpc":"2.0","method":"m","id":1,"params":{"args":"\xff"}}',
    b'{"jsonrpc":"2.0","method":"m","id":1,"params":{"args":"\xed\xa0\x80"}}',
    b'{"jsonrpc":"2.0","method":"m","id":1,"params":{"args":"\xc0\xaf"}}',
    b'{"jsonrpc":"2.0","method":"m","id":1,"\xff":1}',
    b'{"jsonrpc":"2.0","method":"m","id":1,"params":{"args":"\n"}}',
    b'{"jsonrpc":"2.0","method":"m","id":1,"params":{"args":"\\ud800"}',
    b'{"jsonrpc":"2.0","method":"m","params":' + DEEP[1:] + b"}", b"[" * 100_000, b'{"a":' * 100_000,
    b'[{"jsonrpc":"2.0","method":"m","id":1},{"jsonrpc":"2.0","method"]',
    b'[{"jsonrpc":"2.0","method":"m","id":1}],', b"[1;2]", b'["\\ud800"', b'{"jsonrpc":"1.0","id":1,}',
]  # fmt: skip


@pytest.mark.parametrize("frame", NO_JSON, ids=lambda frame: str(frame)[:70])
@pytest.mark.parametrize("reading", [read, read_slowly])
def test_what_is_not_json(reading, frame: bytes):
    assert seen(reading(frame)) == (False, [(b"null", ParseError)])


CALL = request(b'"method":"m","id":1')


@pytest.mark.parametrize("reading", [read, read_slowly])
def test_batches(reading):
    assert seen(reading(b"[]")) == (False, [(b"null", InvalidRequest)])
    assert seen(reading(b" [ ] ")) == (False, [(b"null", InvalidRequest)])
    assert seen(reading(b"[1,2,3]")) == (True, [(b"null", InvalidRequest)] * 3)
    assert seen(reading(b"[[]]")) == (True, [(b"null", InvalidRequest)])
    assert seen(reading(b"[[" + CALL + b"]]")) == (True, [(b"null", InvalidRequest)])
    assert seen(reading(b"[" + CALL + b",1," + request(b'"method":"n"') + b"]")) == (
        True,
        [(b"1", "m", None), (b"null", InvalidRequest), (None, "n", None)],
    )
    assert seen(reading(b"[" + CALL + b"," + DEEP + b"," + CALL + b"]")) == (
        True,
        [(b"1", "m", None), (b"null", InvalidRequest), (b"1", "m", None)],
    )


@pytest.mark.parametrize("reading", [read, read_slowly])
def test_a_batch_has_a_greatest_size(reading):
    assert len(reading(b"[" + b",".join([CALL] * MAX_BATCH) + b"]").calls) == MAX_BATCH
    too_large = reading(b"[" + b",".join([CALL] * (MAX_BATCH + 1)) + b"]")
    assert seen(too_large) == (False, [(b"null", InvalidRequest)])
    assert seen(reading(b"[" + b"1," * 200_000 + b"1]")) == (False, [(b"null", InvalidRequest)])


def test_a_large_batch_of_many_commas_is_carried_out():
    call = request(b'"method":"m","id":1,"params":{"a":[' + b"1," * 1000 + b"1]}")
    message = read(b"[" + b",".join([call] * MAX_BATCH) + b"]")
    assert (message.batch, len(message.calls)) == (True, MAX_BATCH)


@given(st.binary(max_size=60))
def test_no_bytes_make_read_raise(frame: bytes):
    assert read(frame).calls
    assert seen(read(frame)) == seen(read_slowly(frame))


TOKENS = [
    b'"jsonrpc"', b'"2.0"', b'"method"', b'"id"', b'"params"', b'"m"', b"{", b"}", b"[", b"]", b":", b",",
    b"1", b"null", b"1.5", b'"\\ud800"', b"\xff", b" ", b"NaN", b'{"jsonrpc":"2.0","method":"m"',
    b'{"jsonrpc":"2.0","id":1,"method":', b'"x":', b"{}", b"[]", b"\\", b'"',
]  # fmt: skip


@given(st.lists(st.sampled_from(TOKENS), max_size=14).map(b"".join))
@settings(max_examples=500)
def test_no_tokens_make_read_raise(frame: bytes):
    assert read(frame).calls
    assert seen(read(frame)) == seen(read_slowly(frame))


SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=4)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
)
CALLS = st.fixed_dictionaries(
    {},
    optional={
        "jsonrpc": st.just("2.0") | SCALARS,
        "method": st.text(max_size=6) | VALUES,
        "id": SCALARS | VALUES,
        "params": st.dictionaries(st.text(max_size=3), VALUES, max_size=3) | VALUES,
        "other": VALUES,
    },
)


@given(CALLS | st.lists(CALLS, max_size=4) | VALUES, st.booleans(), st.sampled_from([None, 2]))
@settings(max_examples=300)
def test_both_ways_of_reading_agree(value: object, ascii_only: bool, indent: int | None):  # noqa: FBT001
    frame = json.dumps(value, ensure_ascii=ascii_only, indent=indent).encode("utf-8", "replace")
    assert seen(read(frame)) == seen(read_slowly(frame))


def test_an_id_and_a_result_are_sent_as_they_are():
    assert jsonrpc.success(b"1.50", b'{"a":1}') == b'{"jsonrpc":"2.0","id":1.50,"result":{"a":1}}'
    assert jsonrpc.success(b'"\\u0061"', b"null") == b'{"jsonrpc":"2.0","id":"\\u0061","result":null}'
    assert jsonrpc.success(b"null", '"é"'.encode()) == '{"jsonrpc":"2.0","id":null,"result":"é"}'.encode()
    assert jsonrpc.encode([1, "é"]) == '[1,"é"]'.encode()


def test_an_error_is_sent_with_its_data():
    error = errors.RunAmbiguous("two runs begin with r", ["r1", "r\ud800"])
    assert json.loads(jsonrpc.failure(b"null", error)) == {
        "jsonrpc": "2.0",
        "id": None,
        "error": {
            "code": -32003,
            "message": "two runs begin with r",
            "data": {"kind": "run_ambiguous", "candidates": ["r1", "r\\ud800"]},
        },
    }


def test_a_notification_has_no_id():
    expected = b'{"jsonrpc":"2.0","method":"event","params":{"seq":1}}'
    assert jsonrpc.notification("event", {"seq": 1}) == expected


def test_frames_of_replies():
    assert jsonrpc.frame([]) == b""
    assert jsonrpc.frame([], batch=True) == b""
    assert jsonrpc.frame([b"{}"]) == b"{}\n"
    assert jsonrpc.frame([b"{}"], batch=True) == b"[{}]\n"
    assert jsonrpc.frame([b"1", b"2"], batch=True) == b"[1,2]\n"
    with pytest.raises(ValueError, match="unpack"):
        jsonrpc.frame([b"1", b"2"])
