import json
from unittest import mock

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import UNSET

from guardd.protocol import methods
from guardd.protocol.errors import InvalidParams
from guardd.protocol.methods import METHODS, Role, decode_params, raw_bytes

GATEWAY_METHODS = {"tool.before", "tool.after", "compaction.record", "run.start", "run.end"}
READER_METHODS = {
    "run.list", "run.get", "run.history", "run.explain", "event.list", "event.watch", "config.get", "server.status",
    "server.metrics",
}  # fmt: skip
ADMIN_METHODS = {"run.reset", "run.abort", "config.reload", "db.backup", "db.check", "db.prune"}


def test_the_table_holds_the_methods_of_the_protocol():
    assert set(METHODS) == GATEWAY_METHODS | READER_METHODS | ADMIN_METHODS | {"rpc.discover"}
    for name, method in METHODS.items():
        assert method.name == name
        assert method.summary.endswith(".")


def test_who_may_call_what():
    def of(role: Role) -> set[str]:
        return {name for name, method in METHODS.items() if role in method.roles}

    assert of(Role.ADMIN) == set(METHODS)
    assert of(Role.GATEWAY) == GATEWAY_METHODS | {"rpc.discover"}
    assert of(Role.READER) == READER_METHODS | {"rpc.discover"}


def test_methods_that_change_something_take_a_request_id():
    changing = {name for name, method in METHODS.items() if method.changes}
    assert changing == GATEWAY_METHODS | {"run.reset", "run.abort", "db.prune"}
    with_request_id = {name for name, method in METHODS.items() if "requestId" in method.known_fields}
    assert with_request_id == changing | {"config.reload", "db.backup"}


def decode_slowly(method: methods.Method, raw: bytes) -> msgspec.Struct:
    return methods._decode_slowly(method, raw)  # noqa: SLF001 - what most frames never reach


def plain(params: msgspec.Struct) -> dict[str, object]:
    """A struct in a form that can be compared."""
    return {
        name: bytes(value) if isinstance(value, msgspec.Raw) else value
        for name, value in msgspec.structs.asdict(params).items()
    }


VALID = [
    (
        "tool.before",
        b'{"toolName":"x"}',
        {"tool_name": "x", "source": "default", "run_id": None, "args": UNSET},
    ),
    ("tool.before", b'{"toolName":""}', {"tool_name": ""}),
    ("tool.before", b'{"toolName":"x","args":null}', {"args": b"null"}),
    ("tool.before", b'{"toolName":"x","args":{"a" : 1}}', {"args": b'{"a" : 1}'}),
    ("tool.before", b'{"toolName":"x","args":"\\ud800"}', {"args": b'"\\ud800"', "tool_name": "x"}),
    (
        "tool.before",
        b'{"toolName":"\\ud800","runId":"\\ud800"}',
        {"tool_name": "\\ud800", "run_id": "\\ud800"},
    ),
    ("tool.before", b'{"toolName":"x","more":1,"tool_name":2}', {"tool_name": "x"}),
    ("tool.before", b'{"toolName":"x","more":"\\ud800"}', {"tool_name": "x"}),
    ("tool.before", b'{"toolName":"x","toolName":"y"}', {"tool_name": "y"}),
    ("tool.before", b'{"toolName":"' + b"x" * 100_000 + b'"}', {"tool_name": "x" * 100_000}),
    (
        "tool.before",
        b'{"toolName":"x","runId":"","sessionKey":"","agentId":"","source":"","requestId":""}',
        {"run_id": None, "session_key": None, "agent_id": None, "source": "default", "request_id": None},
    ),
    (
        "tool.before",
        b'{"toolName":"x","runId":null,"sessionKey":null,"agentId":null,"source":null,"requestId":null}',
        {"run_id": None, "session_key": None, "agent_id": None, "source": "default", "request_id": None},
    ),
    (
        "tool.before",
        b'{"toolName":"x","runId":"r","sessionKey":"s","agentId":"a","source":"o","requestId":"q","toolCallId":"c"}',
        {
            "run_id": "r",
            "session_key": "s",
            "agent_id": "a",
            "source": "o",
            "request_id": "q",
            "tool_call_id": "c",
        },
    ),
    ("tool.after", b'{"toolName":"x"}', {"result": UNSET, "error": UNSET, "duration_ms": None}),
    ("tool.after", b'{"toolName":"x","result":null,"error":null}', {"result": b"null", "error": b"null"}),
    ("tool.after", b'{"toolName":"x","result":[],"error":"e"}', {"result": b"[]", "error": b'"e"'}),
    ("tool.after", b'{"toolName":"x","durationMs":0}', {"duration_ms": 0}),
    ("tool.after", b'{"toolName":"x","durationMs":12.5}', {"duration_ms": 12.5}),
    ("tool.after", b'{"toolName":"x","durationMs":9007199254740992}', {"duration_ms": 2**53}),
    ("tool.after", b'{"toolName":"x","durationMs":null}', {"duration_ms": None}),
    (
        "tool.after",
        b'{"toolName":"x","source":null,"args":[1,"\\ud800"],"error":"\\udfff","durationMs":1}',
        {"args": b'[1,"\\ud800"]', "error": b'"\\udfff"', "result": UNSET, "duration_ms": 1},
    ),
    ("compaction.record", b"{}", {"will_retry": True, "reason": None, "tokens_before": None}),
    ("compaction.record", None, {"will_retry": True}),
    ("compaction.record", b'{"willRetry":null}', {"will_retry": True}),
    (
        "compaction.record",
        b'{"willRetry":false,"reason":"r","tokensBefore":9223372036854775807,"tokensAfter":0}',
        {"will_retry": False, "reason": "r", "tokens_before": 2**63 - 1, "tokens_after": 0},
    ),
    (
        "run.start",
        b'{"metadata":{"a":"\\ud800"},"fresh":true}',
        {"metadata": b'{"a":"\\ud800"}', "fresh": True},
    ),
    ("run.start", b'{"fresh":null}', {"metadata": UNSET, "fresh": False}),
    ("run.end", b'{"status":"failed"}', {"status": "failed", "reason": None}),
    ("run.list", b"{}", {"status": None, "since": None, "limit": None, "looping": None}),
    (
        "run.list",
        b'{"status":"active","looping":false,"limit":1}',
        {"status": "active", "looping": False, "limit": 1},
    ),
    ("run.get", b'{"run":"latest"}', {"run": "latest"}),
    (
        "run.history",
        b'{"run":"a/b","beforeSeq":0,"afterSeq":5}',
        {"run": "a/b", "before_seq": 0, "after_seq": 5},
    ),
    ("run.reset", b'{"run":"r"}', {"run": "r", "reason": None, "request_id": None}),
    ("run.abort", b'{"run":"r","reason":"enough"}', {"run": "r", "reason": "enough"}),
    (
        "event.list",
        b'{"detector":"ping_pong","level":"critical"}',
        {"detector": "ping_pong", "level": "critical"},
    ),
    ("event.watch", b'{"run":"r","limit":"ignored"}', {"run": "r"}),
    ("db.backup", b'{"path":"/a"}', {"path": "/a"}),
    ("db.prune", b"{}", {"older_than": None, "dry_run": False}),
    ("server.status", None, {}),
    ("rpc.discover", b'{"anything":1}', {}),
]


@pytest.mark.parametrize(("name", "raw", "expected"), VALID, ids=lambda value: str(value)[:50])
def test_valid_params(name: str, raw: bytes | None, expected: dict[str, object]):
    method = METHODS[name]
    params = decode_params(method, raw)
    assert type(params) is method.params
    assert {key: plain(params)[key] for key in expected} == expected
    assert plain(decode_slowly(method, raw or b"{}")) == plain(params)


DEEP = b"[" * 5000 + b"]" * 5000
INVALID = [
    ("tool.before", None, "toolName", "toolName is required"),
    ("tool.before", b"{}", "toolName", "toolName is required"),
    ("tool.before", b'{"toolName":null}', "toolName", "toolName is required"),
    ("tool.before", b"[]", None, "the parameters must be given by name, in an object"),
    ("tool.before", b'["x"]', None, "the parameters must be given by name, in an object"),
    ("server.status", b"[]", None, "the parameters must be given by name, in an object"),
    ("tool.before", b"nope", None, "the parameters must be given by name, in an object"),
    ("tool.before", b"{nope", None, "the parameters are not valid JSON"),
    ("tool.before", b'{"toolName":5}', "toolName", "toolName must be a string, not a number"),
    ("tool.before", b'{"toolName":{"a":1}}', "toolName", "toolName must be a string, not an object"),
    ("tool.before", b'{"toolName":' + DEEP + b"}", "toolName", "toolName must be a string, not an array"),
    (
        "tool.before",
        b'{"toolName":5,"args":' + DEEP + b"}",
        "toolName",
        "toolName must be a string, not a number",
    ),
    ("tool.before", b'{"toolName":"x","runId":7}', "runId", "runId must be a string, not a number"),
    ("tool.before", b'{"toolName":"x","source":[]}', "source", "source must be a string, not an array"),
    (
        "tool.before",
        b'{"toolName":"x","requestId":false}',
        "requestId",
        "requestId must be a string, not true or false",
    ),
    (
        "tool.after",
        b'{"toolName":"x","durationMs":"1"}',
        "durationMs",
        "durationMs must be a number, not a string",
    ),
    ("tool.after", b'{"toolName":"x","durationMs":1e999}', "durationMs", "durationMs is out of range"),
    (
        "tool.after",
        b'{"toolName":"x","durationMs":' + b"9" * 6000 + b"}",
        "durationMs",
        "durationMs is out of range",
    ),
    ("compaction.record", b'{"willRetry":1}', "willRetry", "willRetry must be true or false, not a number"),
    ("compaction.record", b'{"tokensAfter":-1}', "tokensAfter", "tokensAfter must be 0 or more"),
    (
        "compaction.record",
        b'{"tokensAfter":1.5}',
        "tokensAfter",
        "must be a whole number, not a number with a fraction",
    ),
    (
        "compaction.record",
        b'{"tokensAfter":9223372036854775808}',
        "tokensAfter",
        "must be 9223372036854775807 or less",
    ),
    ("run.end", b"{}", "status", "status is required"),
    ("run.end", b'{"status":"active"}', "status", "status must be one of: aborted, completed, failed"),
    ("run.end", b'{"status":"\\ud800"}', "status", "status must be one of: aborted, completed, failed"),
    ("run.list", b'{"status":"lost"}', "status", "must be one of: active, completed, failed, aborted"),
    ("run.list", b'{"since":"yesterday"}', "since", "since must be an RFC 3339 time"),
    ("run.list", b'{"since":"2026-01-01T00:00:00"}', "since", "with its offset from UTC"),
    ("run.list", b'{"since":1767225600}', "since", "since must be an RFC 3339 time"),
    ("run.list", b'{"limit":0}', "limit", "limit must be 1 or more"),
    ("run.get", b"{}", "run", "run is required"),
    ("run.get", b'{"run":""}', "run", "run must not be empty"),
    ("run.history", b'{"run":"r","beforeSeq":-1}', "beforeSeq", "beforeSeq must be 0 or more"),
    ("run.abort", b'{"run":"r"}', "reason", "reason is required"),
    ("run.abort", b'{"run":"r","reason":"' + b"x" * 4097 + b'"}', "reason", "at most 4096 characters"),
    ("event.list", b'{"detector":"hunch"}', "detector", "unknown_tool_repeat, global_circuit_breaker"),
    ("event.list", b'{"level":"fatal"}', "level", "level must be one of: warning, critical"),
    ("db.backup", None, "path", "path is required"),
    ("db.prune", b'{"olderThan":"x"}', "olderThan", "olderThan must be an RFC 3339 time"),
    ("db.prune", b'{"dryRun":"yes"}', "dryRun", "dryRun must be true or false, not a string"),
]


@pytest.mark.parametrize(("name", "raw", "field", "message"), INVALID, ids=lambda value: str(value)[:50])
def test_invalid_params(name: str, raw: bytes | None, field: str | None, message: str):
    with pytest.raises(InvalidParams) as caught:
        decode_params(METHODS[name], raw)
    assert caught.value.field == field
    assert message in caught.value.message
    assert "`" not in caught.value.message
    assert caught.value.__cause__ is None


def test_deep_values_stay_raw():
    params = plain(
        decode_params(METHODS["tool.after"], b'{"toolName":"x","args":%b,"result":%b}' % (DEEP, DEEP))
    )
    assert (params["args"], params["result"], params["tool_name"]) == (DEEP, DEEP, "x")


def test_raw_bytes():
    params = decode_params(METHODS["tool.after"], b'{"toolName":"x","result":null}')
    assert isinstance(params, methods.gateway.ToolAfter)
    assert raw_bytes(params.result) == b"null"
    assert raw_bytes(params.error) is None


NAMES = sorted({name for method in METHODS.values() for name in method.known_fields})
SCALARS = (
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters(), max_size=4)
    | st.sampled_from(["active", "ping_pong", "2026-01-01T00:00:00Z"])
)  # fmt: skip
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
)
PARAMS = st.dictionaries(st.sampled_from(NAMES) | st.text(max_size=4), VALUES, max_size=6)


def outcome(method: methods.Method, raw: bytes, *, slow: bool) -> object:
    try:
        return plain(decode_slowly(method, raw) if slow else decode_params(method, raw))
    except InvalidParams as error:
        return error.field


@given(st.sampled_from(sorted(METHODS)), PARAMS | VALUES)
@settings(max_examples=500)
def test_only_invalid_params_is_raised_and_both_ways_agree(name: str, value: object):
    raw = json.dumps(value).encode()
    method = METHODS[name]
    assert outcome(method, raw, slow=False) == outcome(method, raw, slow=True)


@given(
    st.sampled_from(sorted(METHODS)),
    st.binary(max_size=30) | st.text('{}[]:,"\\u1', max_size=20).map(str.encode),
)
def test_no_bytes_raise_anything_else(name: str, raw: bytes):
    outcome(METHODS[name], raw, slow=False)


def test_ordinary_params_never_take_the_slow_way():
    with mock.patch.object(methods, "_decode_slowly", side_effect=AssertionError):
        decode_params(METHODS["tool.before"], b'{"toolName":"x","runId":null,"args":{"a":[1]}}')


@pytest.mark.parametrize(
    ("sent", "taken"), [("null", None), ("-1", None), ("-0.5", None), ("1e300", None), ("12.6", 13), ("0", 0)]
)
def test_a_duration_that_cannot_be_is_as_good_as_none(sent: str, taken: int | None):
    raw = f'{{"toolName":"x","durationMs":{sent}}}'.encode()
    assert decode_params(METHODS["tool.after"], raw).whole_duration_ms == taken
