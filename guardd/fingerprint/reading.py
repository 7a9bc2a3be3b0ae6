"""The lenient reader, for what the fast decoder refuses: Python's own, or one without recursion.

It accepts every valid document of up to `MAX_DEPTH` levels, with lone surrogates (kept as they are) and
numbers of any size, and gives the same Python values as the fast decoder does where both succeed.
"""

import json
import re
from typing import Final, Literal, TypeAlias, cast

import msgspec

from guardd.fingerprint.numerals import INLINE_DIGITS, exact, read_float

MAX_DEPTH: Final = 100_000
"""Values that are nested more deeply are never built: a frame may hold millions of levels."""

_TOKEN: Final = re.compile(
    r"""[ \t\n\r]*+(?:
        (?P<mark>[\[\]{}:,])
      | (?P<string>")
      | (?P<number>-?(?:0|[1-9][0-9]*+)(?P<float>\.[0-9]++)?(?P<power>[eE][+-]?[0-9]++)?)
      | (?P<word>true|false|null)
      | (?P<end>\Z)
    )""",
    re.VERBOSE,
)
_WORDS: Final[dict[str, bool | None]] = {"true": True, "false": False, "null": None}


_Kind: TypeAlias = Literal["mark", "value", "string", "end"]
_Container: TypeAlias = "list[object] | dict[str, object]"


class InvalidJsonError(ValueError):
    """The bytes are not a JSON document in UTF-8."""


class TooDeepError(Exception):
    """The document is nested more than `MAX_DEPTH` levels deep."""


def _read_integer(literal: str) -> int | msgspec.Raw:
    return int(literal) if len(literal) <= INLINE_DIGITS else exact(literal)


def _refuse(constant: str) -> None:
    raise ValueError(f"{constant} is no number")


_PYTHON: Final = json.JSONDecoder(parse_float=read_float, parse_int=_read_integer, parse_constant=_refuse)


class _Tokens:
    """The tokens of a text, one after the other."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._position = 0

    def next(self) -> tuple[_Kind, object]:
        """Give the next token: what it is, and its value (of a mark: its character)."""
        match = _TOKEN.match(self._text, self._position)
        if match is None:
            raise InvalidJsonError(f"not JSON at character {self._position}")
        self._position = match.end()
        if mark := match["mark"]:
            return "mark", mark
        if match["string"]:
            return "string", self._string(match.start("string"))
        if number := match["number"]:
            return "value", read_float(number) if match["float"] or match["power"] else _read_integer(number)
        if word := match["word"]:
            return "value", _WORDS[word]
        return "end", None

    def key(self, token: tuple[_Kind, object]) -> str:
        """Take the token as the key of a member, and the colon after it."""
        if token[0] != "string" or self.next() != ("mark", ":"):
            raise self.unexpected()
        return cast("str", token[1])

    def unexpected(self) -> InvalidJsonError:
        """Give the error that says where something else should have stood."""
        return InvalidJsonError(f"not JSON before character {self._position}")

    def _string(self, start: int) -> str:
        try:
            value, self._position = _PYTHON.raw_decode(self._text, start)
        except ValueError as error:
            raise InvalidJsonError(f"not JSON: {error}") from None
        return cast("str", value)


def read_leniently(raw: bytes) -> object:
    """Decode a JSON document of any shape; of equal keys the last one wins.

    Raises:
        InvalidJsonError: It is not JSON.
        TooDeepError: It is nested more than `MAX_DEPTH` levels deep.
    """
    try:
        text = raw.decode()
    except UnicodeDecodeError as error:
        raise InvalidJsonError(f"not UTF-8: {error.reason} at byte {error.start}") from None
    try:
        return _PYTHON.decode(text)
    except ValueError as error:
        raise InvalidJsonError(f"not JSON: {error}") from None
    except RecursionError:
        return _read_deep(text)


def _read_deep(text: str) -> object:
    """Decode without recursion, with a list of the containers that are open."""
    tokens = _Tokens(text)
    opened: list[_Container] = []
    keys: list[str] = []
    token: tuple[_Kind, object] | None = tokens.next()
    while token is not None:
        value, token = _open(tokens, token, opened, keys)
        if token is None:
            value, token = _close(tokens, value, opened, keys)
    return value


def _open(
    tokens: _Tokens, token: tuple[_Kind, object], opened: list[_Container], keys: list[str]
) -> tuple[object, tuple[_Kind, object] | None]:
    """Begin the value that starts with the token.

    Returns:
        The value, and the first token inside it; None there when the value is complete.
    """
    kind, value = token
    if kind in {"value", "string"}:
        return value, None
    if len(opened) == MAX_DEPTH:
        raise TooDeepError
    container: _Container
    if token == ("mark", "["):
        container = []
        inner = tokens.next()
        if inner == ("mark", "]"):
            return container, None
    elif token == ("mark", "{"):
        container = {}
        inner = tokens.next()
        if inner == ("mark", "}"):
            return container, None
        keys.append(tokens.key(inner))
        inner = tokens.next()
    else:
        raise tokens.unexpected()
    opened.append(container)
    return container, inner


def _close(
    tokens: _Tokens, value: object, opened: list[_Container], keys: list[str]
) -> tuple[object, tuple[_Kind, object] | None]:
    """Put a complete value into its container, and each container that it completes into the next.

    Returns:
        The outermost value completed, and the first token of the value that follows; None there at the end.
    """
    while opened:
        container = opened[-1]
        if isinstance(container, list):
            container.append(value)
            end = "]"
        else:
            container[keys.pop()] = value
            end = "}"
        _, mark = token = tokens.next()
        if token == ("mark", ","):
            inner = tokens.next()
            if end == "}":
                keys.append(tokens.key(inner))
                inner = tokens.next()
            return value, inner
        if token[0] != "mark" or mark != end:
            raise tokens.unexpected()
        value = opened.pop()
    if tokens.next()[0] != "end":
        raise tokens.unexpected()
    return value, None
