import dataclasses
import datetime as dt
import decimal
import enum
import json
import pathlib
import re
import sys
import uuid

import pytest

from guardd.client.encoding import encode, encode_params, error_text


class Plain:
    def __init__(self, value: object) -> None:
        self.value = value


class Spiteful:
    def __repr__(self) -> str:
        raise RuntimeError


class Model:
    def model_dump(self, *, mode: str, by_alias: bool) -> dict[str, object]:
        return {"mode": mode, "alias": by_alias}


class Array:
    def tolist(self) -> list[int]:
        return [1, 2]


class Colour(enum.Enum):
    RED = 1


@dataclasses.dataclass
class Point:
    x: int
    y: object


def nested(depth: int) -> list[object]:
    value: list[object] = []
    for _ in range(depth):
        value = [value]
    return value


def circular() -> dict[str, object]:
    value: dict[str, object] = {"a": 1}
    value["self"] = value
    return value


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ({"a": [1, 2.5, None, True, "é\u2028"]}, {"a": [1, 2.5, None, True, "é\u2028"]}),
        (10**30, 10**30),
        ({1: "a", None: "b"}, {"1": "a", "null": "b"}),
        ({(1, "a"): 1}, {'[1,"a"]': 1}),
        (float("nan"), "NaN"),
        ([float("inf"), float("-inf"), 1.5], ["Infinity", "-Infinity", 1.5]),
        ("a\udc80", "a\\udc80"),
        ({"\udc80": 1}, {"\\udc80": 1}),
        (b"caf\xc3\xa9 \xff", "café \\xff"),
        (bytearray(b"x"), "x"),
        (pathlib.Path("/srv/x"), "/srv/x"),
        (dt.datetime(2026, 1, 2, 3, tzinfo=dt.UTC), "2026-01-02T03:00:00+00:00"),
        ({"b", "a", "c"}, ["a", "b", "c"]),
        (frozenset({3, 1}), [1, 3]),
        (Point(1, pathlib.Path("p")), {"x": 1, "y": "p"}),
        (Model(), {"mode": "json", "alias": True}),
        (Array(), [1, 2]),
        (KeyError("x"), "KeyError: 'x'"),
        (Colour.RED, "<Colour.RED: 1>"),
        (decimal.Decimal("1.10"), "Decimal('1.10')"),
        (uuid.UUID(int=1), "UUID('00000000-0000-0000-0000-000000000001')"),
        (Plain({1, 2}), {"guardd:type": "Plain", "value": [1, 2]}),
        (Plain, "Plain"),
        (Spiteful(), "guardd:Spiteful"),
        (circular(), {"a": 1, "self": "guardd:circular"}),
        ([Spiteful(), "\udc80", True, 1, 1.5], ["guardd:Spiteful", "\\udc80", True, 1, 1.5]),
    ],
)
def test_any_value_becomes_json(value: object, expected: object):
    assert json.loads(encode(value)) == expected


def test_what_json_encodes_is_sent_as_it_is():
    assert encode({"b": "é", "a": 1}) == '{"b":"é","a":1}'.encode()


def test_a_text_is_one_line():
    assert b"\n" not in encode({"a": "x\ny", "b": Plain("x\r\n")})


def test_no_memory_address_is_sent():
    for value in ([len, test_no_memory_address_is_sent], object(), iter(()), Plain(object())):
        assert not re.search(rb"0x[0-9a-f]", encode(value))
    assert encode([object()]) == encode([object()])


def test_an_iterator_is_not_consumed():
    numbers = iter([1, 2])
    encode(numbers)
    assert list(numbers) == [1, 2]


def test_what_is_nested_too_deeply_is_cut():
    text = encode(nested(100_000))
    assert b"guardd:too deep" in text
    json.loads(text)


def test_a_value_met_twice_is_not_circular():
    part = {1, 2}
    assert json.loads(encode([part, part])) == [[1, 2], [1, 2]]


def test_a_number_of_too_many_digits_is_sent():
    number = 10 ** (sys.get_int_max_str_digits() + 10)
    assert encode([number]) != encode([number + 1])


def test_sets_of_equal_values_have_one_text():
    names = {f"name {i}" for i in range(50)}
    assert encode(names) == encode(set(sorted(names)))  # noqa: C414


def test_an_exception_with_a_spiteful_text_is_its_type():
    class BadError(Exception):
        def __str__(self) -> str:
            raise RuntimeError

    assert error_text(BadError()) == "BadError"
    assert error_text(TimeoutError()) == "TimeoutError"
    assert error_text(ValueError(f"bad {object()}")) == "ValueError: bad <object object at 0x>"
    assert error_text("unknown tool: x at 0x12") == "unknown tool: x at 0x12"


def test_each_request_has_an_id_of_its_own():
    ids = {json.loads(encode_params({"a": 1}, 1000))["requestId"] for _ in range(10)}
    assert len(ids) == 10
    assert all(re.fullmatch("[0-9a-f]{32}", number) for number in ids)


def test_a_request_id_that_is_given_stays():
    assert json.loads(encode_params({"requestId": "mine"}, 1000)) == {"requestId": "mine"}


def test_a_value_above_the_limit_is_replaced_by_its_digest():
    params = json.loads(encode_params({"args": "a" * 390, "result": "b" * 10_000}, 1000))
    assert params["args"] == "a" * 390
    assert set(params["result"]) == {"guardd:sha256", "bytes"}
    assert params["result"]["bytes"] == 10_002
    again = json.loads(encode_params({"args": None, "result": "b" * 10_000}, 1000))
    assert again["result"] == params["result"]
    other = json.loads(encode_params({"args": None, "result": "b" * 9_999 + "c"}, 1000))
    assert other["result"] != params["result"]
