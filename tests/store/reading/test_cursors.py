import base64
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guardd.protocol.errors import InvalidParams
from guardd.store.reading.cursors import decode_cursor, encode_cursor

LARGEST = 2**63 - 1


def cursor_of(text):
    return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


@given(st.integers(0, LARGEST), st.text(), st.integers(0, LARGEST))
def test_a_position_comes_back(first, word, second):
    cursor = encode_cursor(first, word, second)
    assert decode_cursor(cursor, int, str, int) == [first, word, second]


@given(st.integers(0, LARGEST))
def test_a_cursor_is_one_plain_word(number):
    assert set(encode_cursor(number, "before")) <= set(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
    )


BAD = [
    "",
    "x",
    "!!!!",
    "日本",
    "\0",
    "=" * 9,
    "A" * 4097,
    cursor_of("7"),
    cursor_of("{}"),
    cursor_of("null"),
    cursor_of("[]"),
    cursor_of("[1, 2]"),
    cursor_of('["1"]'),
    cursor_of("[1.0]"),
    cursor_of("[true]"),
    cursor_of("[null]"),
    cursor_of("[-1]"),
    cursor_of("[NaN]"),
    cursor_of(f"[{LARGEST + 1}]"),
    cursor_of("[" + "9" * 5000 + "]"),
    cursor_of("[1"),
    cursor_of("[" * 100_000),
    base64.urlsafe_b64encode(b"\xff\xfe[1]").decode(),
]


@pytest.mark.parametrize("cursor", BAD, ids=range(len(BAD)))
def test_what_the_list_did_not_give_out_is_refused(cursor):
    with pytest.raises(InvalidParams) as caught:
        decode_cursor(cursor, int)
    assert caught.value.to_wire() == {
        "code": -32602,
        "message": "cursor is not one that this list gave out",
        "data": {"field": "cursor"},
    }


@given(st.text())
def test_any_text_is_a_cursor_or_refused(text):
    try:
        (position,) = decode_cursor(text, int)
    except InvalidParams:
        return
    assert json.loads(base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))) == [position]
