import pytest
from hypothesis import given
from hypothesis import strategies as st

from guardd.protocol import errors
from guardd.protocol.errors import ERRORS, ErrorKind, RpcError, from_wire

EXAMPLES: list[RpcError] = [
    *(error() for error in ERRORS),
    errors.InvalidParams("toolName is required", "toolName"),
    errors.RunAmbiguous("three runs begin with r", ["a/r1", "b/r1"]),
    errors.FrameTooLarge(16),
    errors.UnknownError(-32050, "from the future", {"kind": "time_travel", "year": 2099}),
]

WIRE_CODES = {
    "ParseError": (-32700, None),
    "InvalidRequest": (-32600, None),
    "MethodNotFound": (-32601, None),
    "InvalidParams": (-32602, None),
    "InternalError": (-32603, None),
    "StorageUnavailable": (-32000, "storage_unavailable"),
    "FrameTooLarge": (-32001, "frame_too_large"),
    "Denied": (-32002, "denied"),
    "RunNotFound": (-32003, "run_not_found"),
    "RunAmbiguous": (-32003, "run_ambiguous"),
    "Overloaded": (-32004, "overloaded"),
    "ShuttingDown": (-32005, "shutting_down"),
}


def test_the_codes_and_kinds_are_those_of_the_protocol():
    assert {error.__name__: (error.code, error.kind) for error in ERRORS} == WIRE_CODES
    assert set(ErrorKind) == {error.kind for error in ERRORS if error.kind}
    assert {error().to_wire().get("data", {}).get("kind") for error in ERRORS} == {*ErrorKind, None}


@pytest.mark.parametrize("error", EXAMPLES, ids=lambda error: type(error).__name__)
def test_an_error_survives_the_wire(error: RpcError):
    wire = error.to_wire()
    assert wire["message"]
    again = from_wire(wire)
    assert type(again) is type(error)
    assert again.to_wire() == wire
    assert str(again) == error.message
    assert vars(again) == vars(error)


def test_data_names_what_is_meant():
    assert errors.InvalidParams("x is required", "x").to_wire() == {
        "code": -32602,
        "message": "x is required",
        "data": {"field": "x"},
    }
    assert errors.RunAmbiguous("two", ["a", "b"]).to_wire()["data"] == {
        "kind": "run_ambiguous",
        "candidates": ["a", "b"],
    }
    assert "data" not in errors.InternalError().to_wire()


def test_lone_surrogates_are_spelt_out():
    assert errors.InvalidParams("bad \ud800", "\udfff").to_wire() == {
        "code": -32602,
        "message": "bad \\ud800",
        "data": {"field": "\\udfff"},
    }
    assert errors.RunAmbiguous("two", ["\ud800"]).candidates == ["\\ud800"]


@pytest.mark.parametrize(
    ("wire", "kind"),
    [
        (None, errors.UnknownError),
        ([], errors.UnknownError),
        ({}, errors.UnknownError),
        ({"code": "x"}, errors.UnknownError),
        ({"code": True}, errors.UnknownError),
        ({"code": -32003, "data": {"kind": "run_vanished"}}, errors.UnknownError),
        ({"code": -32003, "data": {"kind": ["run_not_found"]}}, errors.UnknownError),
        ({"code": -32003}, errors.UnknownError),
        ({"code": -32602, "message": 5, "data": 5}, errors.InvalidParams),
        ({"code": -32602, "message": "", "data": {"field": 5}}, errors.InvalidParams),
        ({"code": -32003, "data": {"kind": "run_ambiguous", "candidates": "x"}}, errors.RunAmbiguous),
    ],
)
def test_what_is_no_error_object_is_some_error_all_the_same(wire: object, kind: type[RpcError]):
    assert type(from_wire(wire)) is kind


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)


@given(
    st.fixed_dictionaries(
        {},
        optional={
            "code": JSON | st.sampled_from([-32602, -32003, -32000]),
            "message": JSON,
            "data": JSON
            | st.fixed_dictionaries(
                {"kind": st.sampled_from(list(ErrorKind)), "candidates": JSON, "field": JSON}
            ),
        },
    )
    | JSON
)
def test_from_wire_never_raises(wire: object):
    assert isinstance(from_wire(wire), RpcError)
