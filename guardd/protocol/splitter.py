r"""Cuts a JSON text into the raw slices of its members or elements, without recursion and without decoding.

The usual decoder refuses two things that are valid JSON: an escape of a lone surrogate (``"\ud800"``), and
nesting deeper than about a thousand. Neither may switch detection off, so a frame that it refuses is cut
here. The whole text is checked against the grammar (RFC 8259), in linear time and in memory of a byte for
each open bracket.

The work is done by regular expressions, each of which takes a long stretch of tokens at once. Their repeats
are bounded (what they remember grows with them) and not possessive (which Python mends only in 3.11.5). The
text must be valid UTF-8: that is checked once, for the frame.
"""

import json
import re
from itertools import islice

from guardd.protocol.errors import ParseError

_SPACE = rb"[ \t\n\r]*"
_CHARACTERS = rb'[^"\\\x00-\x1f]*(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\\x00-\x1f]*){0,1000}'
_STRING = rb'"' + _CHARACTERS + rb'"'
_NUMBER = rb"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?"
_SCALAR = rb"(?:" + _STRING + rb"|" + _NUMBER + rb"|true|false|null)"
_KEY = _STRING + _SPACE + rb":" + _SPACE


def _flatter(entry: bytes) -> bytes:
    """An expression for such an entry, or a container of up to 200 of them."""
    last = rb"(?:,(?!" + _SPACE + rb"[\]}])" + _SPACE + rb"|(?=[\]}]))"
    entries = rb"(?:" + entry + _SPACE + last + rb"){0,200}"
    members = rb"(?:" + _KEY + entry + _SPACE + last + rb"){0,200}"
    lists = rb"\[" + _SPACE + entries + rb"\]"
    maps = rb"\{" + _SPACE + members + rb"\}"
    return rb"(?:" + _SCALAR + rb"|" + lists + rb"|" + maps + rb")"


# Most of what is nested at all is nested no deeper than this.
_FLAT = _flatter(_flatter(_SCALAR))

_flat = re.compile(_FLAT)
_flat_elements = re.compile(rb"(?:" + _SPACE + rb"," + _SPACE + _FLAT + rb"){0,200}" + _SPACE)
_flat_members = re.compile(rb"(?:" + _SPACE + rb"," + _SPACE + _KEY + _FLAT + rb"){0,200}" + _SPACE)
# The way down to something nested: brackets, each with the plain entries before the next one.
_openers = re.compile(
    rb"(?:\[" + _SPACE + rb"(?:" + _SCALAR + _SPACE + rb"," + _SPACE + rb"){0,100}"
    rb"|\{" + _SPACE + _KEY + rb"(?:" + _SCALAR + _SPACE + rb"," + _SPACE + _KEY + rb"){0,100}){1,1000}"
)
_closers = re.compile(rb"(?:[\]}]" + _SPACE + rb"){1,1000}")
_closer = re.compile(rb"[\]}]")
_space = re.compile(_SPACE)
_string = re.compile(_STRING)
_characters = re.compile(_CHARACTERS)
_colon = re.compile(_SPACE + rb":" + _SPACE)
_comma = re.compile(_SPACE + rb"," + _SPACE)
_end = re.compile(_SPACE + rb"\Z")

_OPEN_LIST = ord("[")
_OPEN_MAP = ord("{")
_WHITESPACE = b" \t\n\r"
_NO_OPENERS = bytes(set(range(256)) - set(b"[{"))
_TO_CLOSERS = bytes.maketrans(b"[{", b"]}")


class TooManyElements(Exception):  # noqa: N818 - a finding about somebody's message, not a fault
    """An array has more elements than the caller wants."""


def members(data: bytes) -> dict[str, bytes]:
    """The members of an object, by name; of a name given twice, the last.

    Args:
        data: A JSON text whose first character is an opening brace; white space may follow it.

    Raises:
        ParseError: It is no JSON object.
    """
    found: dict[str, bytes] = {}
    position = _after_opening(data, b"{")
    if data[position : position + 1] == b"}":
        _expect_end(data, position + 1)
        return found
    while True:
        start = position
        position = _string_end(data, position)
        name = text(data[start:position])
        position = _expect(_colon, data, position)
        end = _value_end(data, position)
        found[name] = data[position:end]
        position = _expect(_space, data, end)
        if data[position : position + 1] == b"}":
            _expect_end(data, position + 1)
            return found
        position = _expect(_comma, data, position)


def elements(data: bytes, limit: int) -> list[bytes]:
    """The elements of an array.

    Args:
        data: A JSON text whose first character is an opening bracket; white space may follow it.
        limit: The greatest number of elements; nothing is read beyond it.

    Raises:
        ParseError: It is no JSON array.
        TooManyElements: It has more than `limit` elements.
    """
    found: list[bytes] = []
    position = _after_opening(data, b"[")
    if data[position : position + 1] == b"]":
        _expect_end(data, position + 1)
        return found
    while True:
        end = _value_end(data, position)
        if len(found) == limit:
            raise TooManyElements
        found.append(data[position:end])
        position = _expect(_space, data, end)
        if data[position : position + 1] == b"]":
            _expect_end(data, position + 1)
            return found
        position = _expect(_comma, data, position)


def check(data: bytes) -> None:
    """Raise ParseError unless the text, without white space before it, is valid JSON."""
    _expect_end(data, _value_end(data, 0))


def text(string: bytes) -> str:
    r"""The text of a valid JSON string.

    A lone surrogate becomes the six characters of its escape (``\ud800``): the text is always valid Unicode,
    and the same bytes give the same text.
    """
    if b"\\" not in string:
        return string[1:-1].decode()
    decoded: str = json.loads(string)
    return decoded.encode("utf-8", "backslashreplace").decode()


def _value_end(data: bytes, position: int) -> int:
    """Where the value that begins at `position` ends; checks it on the way."""
    stack = bytearray()
    while True:
        position, opened = _one_value_or_openers(data, position, stack)
        if opened:
            continue
        while stack:
            position = _flat_entries(data, position, stack[-1])
            closed = _closers.match(data, position)
            if closed is None:
                position = _next_entry(data, position, stack[-1])
                break
            position = _close(closed, stack)
        else:
            return position


def _one_value_or_openers(data: bytes, position: int, stack: bytearray) -> tuple[int, bool]:
    """Step over a flat value, or over a stretch of openers, which are pushed (then True: a value follows)."""
    flat = _flat.match(data, position)
    if flat is not None:
        return flat.end(), False
    openers = _openers.match(data, position)
    if openers is not None:
        tokens = openers.group().rstrip(_WHITESPACE)
        stack += _string.sub(b"", tokens).translate(None, _NO_OPENERS)
        position = openers.end()
        # The stretch may end with the opening bracket of an empty array.
        return position, not (tokens.endswith(b"[") and data[position : position + 1] == b"]")
    if data[position : position + 1] == b"{":  # its first key is too long for the expressions
        stack.append(_OPEN_MAP)
        return _key_end(data, _expect(_space, data, position + 1)), True
    return _string_end(data, position), False


def _flat_entries(data: bytes, position: int, container: int) -> int:
    """Step over all further entries of the container that are flat, and the white space after them."""
    entries = _flat_elements if container == _OPEN_LIST else _flat_members
    while True:
        end = _expect(entries, data, position)
        if end == position or data[end : end + 1] != b",":
            return end
        position = end


def _next_entry(data: bytes, position: int, container: int) -> int:
    """Step over the comma before an entry that is not flat, and over its key."""
    position = _expect(_comma, data, position)
    return position if container == _OPEN_LIST else _key_end(data, position)


def _close(closers: re.Match[bytes], stack: bytearray) -> int:
    """Take a stretch of closers off the stack, as many as it has; where they end."""
    brackets = closers.group().translate(None, _WHITESPACE)
    count = min(len(brackets), len(stack))
    if brackets[:count] != stack[-count:][::-1].translate(_TO_CLOSERS):
        raise ParseError
    del stack[-count:]
    if stack:
        return closers.end()
    last = next(islice(_closer.finditer(closers.string, closers.start()), count - 1, None))
    return last.end()


def _key_end(data: bytes, position: int) -> int:
    return _expect(_colon, data, _string_end(data, position))


def _string_end(data: bytes, position: int) -> int:
    """Where the string of any number of escapes that begins at `position` ends."""
    if data[position : position + 1] != b'"':
        raise ParseError
    position += 1
    while True:
        end = _expect(_characters, data, position)
        if data[end : end + 1] == b'"':
            return end + 1
        if end == position:
            raise ParseError
        position = end


def _after_opening(data: bytes, bracket: bytes) -> int:
    if not data.startswith(bracket):
        raise ParseError
    return _expect(_space, data, 1)


def _expect_end(data: bytes, position: int) -> None:
    _expect(_end, data, position)


def _expect(pattern: re.Pattern[bytes], data: bytes, position: int) -> int:
    match = pattern.match(data, position)
    if match is None:
        raise ParseError
    return match.end()
