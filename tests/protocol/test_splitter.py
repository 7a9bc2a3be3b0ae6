import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from guardd.protocol import splitter
from guardd.protocol.errors import ParseError

VALUES = [
    b"null", b"true", b"false", b"0", b"-0", b"-1", b"10", b"1.5", b"1e5", b"1E+5", b"-0.1e-10", b"1" * 400,
    b'""', b'"a"', b'"\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9"', b'"\\ud800"', b'"\\udc00\\ud800"',
    b'"\\uD83D\\uDE00"', b'"\x7f"', '"é\u2028😀"'.encode(), b"[]", b"[ ]", b"{}", b"{ }", b"[[]]", b"[{}]",
    b'{"a":[]}', b'{"":{}}', b"[1,[2,[3,[4]]]]", b"[[[1],2],3]", b'{"a":{"b":{"c":{"d":[]}}},"e":1}',
    b'[{"a":[{"b":[1,2,{}]}]},[],{}]', b'{"a]":"}","[":"{"}', b'[["]"],["}"]]',
    b' [ 1 , [ ] , { "a" : [ [ ] ] } ] ', b"[\t1\n,\r2]", b"[" + b"1," * 700 + b"1]",
    b"[" + b"[]," * 700 + b"[]]", b"[" + b"[[]]," * 500 + b"1]", b"{" + b'"a":[[1]],' * 500 + b'"b":1}',
    b'{"a":1' + b',"b":2' * 700 + b"}", b'"' + b"\\n" * 5000 + b'"', b'{"' + b"\\n" * 3000 + b'":[1]}',
    b'[[{"' + b"\\t" * 3000 + b'":1}]]', b'{"x":{"a":1,"' + b"\\t" * 3000 + b'":1}}',
    b"[" * 3000 + b"]" * 3000, b'{"a":' * 3000 + b"1" + b"}" * 3000,
    b'[{"a":' * 2000 + b"[]" + b"}]" * 2000, b"[1,2," * 2000 + b"3" + b",4]" * 2000,
    b'{"a":1,"b":' * 2000 + b"{}" + b',"c":[[1]]}' * 2000, b"[ " * 1500 + b"] " * 1500,
    b"[" * 1000 + b"]" * 1000, b"[" * 1001 + b"]" * 1001,
]  # fmt: skip

NO_VALUES = [
    b"", b"nul", b"nulll", b"True", b"NaN", b"Infinity", b"-Infinity", b"-", b"+1", b"01", b"00", b"1.",
    b".5", b"1e", b"1e+", b"0x1", b"1 2", b'"', b'"a', b'"\\"', b'"\\x"', b'"\\u12"', b'"\\u12g4"', b'"\n"',
    b'"\x00"', b"'a'", b"[", b"]", b"[1", b"[1,", b"[1,]", b"[,1]", b"[,]", b"[1 2]", b"[1,,2]", b"{", b"}",
    b'{"a"', b'{"a":', b'{"a":1', b'{"a":1,', b'{"a":1,}', b"{,}", b'{"a" 1}', b'{"a"::1}', b"{1:2}",
    b"{a:1}", b'{"a":1 "b":2}', b"[}", b"{]", b'{"a":]}', b"[[1}]", b'[{"a":1]}', b"[[]", b"[]]", b"{}}",
    b"[1]x", b"[1],", b"// x\n1", b"[1/**/]", b"\xef\xbb\xbf1", b"\x0b1", b"[\x0c1]", b"[\xc2\xa01]",
    b"[[[],]]", b'{"a":[[],],"b":1}', b'{"a":{"b":[]},}', b'[{"a":[[]],}]', b"[" * 3000,
    b"[" * 3000 + b"]" * 2999, b"[" * 3000 + b"]" * 3001, b'{"a":' * 3000, b"[" * 2000 + b"]" * 1999 + b"}",
    b"[1," * 2000, b"[[1,2,[]],[[],,1]]", b'"' + b"\\n" * 5000, b'"' + b"\\n" * 5000 + b"\\",
    b"[[1],[[2],]]", b'[[{"' + b"\\t" * 3000 + b'" 1}]]', b'{"' + b"\\t" * 3000 + b'"}',
]  # fmt: skip


def is_json(data: bytes) -> bool:
    """What the standard library thinks, which takes a little more than JSON."""

    def refuse(_: str) -> None:
        raise ValueError

    try:
        json.loads(data.decode(), parse_constant=refuse)
    except ValueError:
        return False
    return True


def accepted(data: bytes) -> bool:
    try:
        splitter.check(data)
    except ParseError:
        return False
    return True


@pytest.mark.parametrize("data", VALUES, ids=lambda data: str(data[:20]))
def test_values(data: bytes):
    data = data.strip()
    splitter.check(data)
    assert splitter.elements(b"[" + data + b" , " + data + b"]", 2) == [data, data]
    assert splitter.elements(b"[ " + data + b" ] ", 1) == [data]
    assert splitter.members(b'{ "a" : ' + data + b' , "b":' + data + b"}\n") == {"a": data, "b": data}
    assert splitter.members(b'{"a":[' + data + b"]}") == {"a": b"[" + data + b"]"}
    assert splitter.members(b'{"a":{"k":1,"b":' + data + b' , "c":[]}}')["a"].endswith(data + b' , "c":[]}')


@pytest.mark.parametrize("data", NO_VALUES, ids=lambda data: str(data[:20]))
def test_what_is_no_value(data: bytes):
    for frame in (b"[" + data + b"]", b"[[],[" + data + b"]]"):
        if data != b"":
            with pytest.raises(ParseError):
                splitter.elements(frame, 10_000)
    for frame in (b'{"a":' + data + b"}", b'{"a":[[]],"b":{"c":' + data + b',"d":1}}'):
        with pytest.raises(ParseError):
            splitter.members(frame)
    with pytest.raises(ParseError):
        splitter.check(data)


@pytest.mark.parametrize(
    "data", [b"", b"1", b"[]", b" {}", b"{}x", b"{} {}", b'{"a":1}}', b"{", b'{"a":1;"b":2}']
)
def test_what_is_no_object(data: bytes):
    with pytest.raises(ParseError):
        splitter.members(data)


@pytest.mark.parametrize("data", [b"", b"1", b"{}", b" []", b"[]x", b"[] []", b"[1]]", b"[", b"[1;2]"])
def test_what_is_no_array(data: bytes):
    with pytest.raises(ParseError):
        splitter.elements(data, 10)


def test_empty_containers_and_white_space():
    assert splitter.members(b"{ \t\r\n} ") == {}
    assert splitter.elements(b"[ \t\r\n] ", 0) == []


def test_the_last_of_a_name_given_twice_counts():
    assert splitter.members(b'{"a":1,"\\u0061":2,"b":3,"a":4}') == {"a": b"4", "b": b"3"}


def test_elements_stop_at_the_limit():
    assert splitter.elements(b"[1,2,3]", 3) == [b"1", b"2", b"3"]
    with pytest.raises(splitter.TooManyElements):
        splitter.elements(b"[1,2,3", 2)


@pytest.mark.parametrize(
    ("string", "text"),
    [
        (b'""', ""),
        ('"é"'.encode(), "é"),
        (b'"a\\n\\u0041"', "a\nA"),
        (b'"\\ud83d\\ude00"', "😀"),
        (b'"\\uD800"', "\\ud800"),
        (b'"\\ude00\\ud83d x"', "\\ude00\\ud83d x"),
        (b'"\\\\ud800"', "\\ud800"),
    ],
)
def test_text(string: bytes, text: str):
    assert splitter.text(string) == text


TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=5)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXT,
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(TEXT, inner, max_size=5),
    max_leaves=30,
)


@given(JSON, st.booleans(), st.sampled_from([None, 1, "\t"]))
def test_all_values_are_accepted(value: object, ascii_only: bool, indent: int | str | None):  # noqa: FBT001
    data = json.dumps(value, ensure_ascii=ascii_only, indent=indent).encode("utf-8")
    splitter.check(data)
    if isinstance(value, dict):
        assert {k: json.loads(v) for k, v in splitter.members(data).items()} == value
    if isinstance(value, list):
        assert [json.loads(v) for v in splitter.elements(data, 10)] == value


@given(JSON, st.data())
@settings(max_examples=300)
def test_a_damaged_value_is_judged_as_by_the_standard_library(value: object, data: st.DataObject):
    text = json.dumps(value)
    place = data.draw(st.integers(0, len(text)))
    cut = data.draw(st.integers(0, 2))
    damaged = (
        text[:place] + data.draw(st.text('[]{},:"\\1e.-n \n', max_size=2)) + text[place + cut :]
    ).strip(" \n")
    assert accepted(damaged.encode()) == is_json(damaged.encode())


@given(st.text('[]{},:"\\1 a', max_size=14))
@settings(max_examples=500)
def test_a_text_of_tokens_is_judged_as_by_the_standard_library(text: str):
    data = text.strip().encode()
    assert accepted(data) == is_json(data)


HOSTILE = {
    "open": (b"[", b""),
    "lists": (b"[", b"]"),
    "objects": (b'{"a":', b"}"),
    "both": (b'[{"a":', b"}]"),
    "entries": (b'{"a":1,"b":[1,2,', b"]}"),
    "flat": (b"[[1,1,1],{},[],", b"]"),
    "string": (b"\\n", b""),
    "spaces": (b"[          ", b"         ]"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_texts_take_linear_time(name: str):
    """Quadratic time would be longer than a test may take."""
    opening, closing = HOSTILE[name]
    times = 1_000_000 // len(opening + closing)
    accepted(b'"' + opening * times + b'"' if name == "string" else opening * times + b"1" + closing * times)
