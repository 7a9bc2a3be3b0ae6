"""Where the values of a JSON5 text begin and end. It is for a text that a JSON5 reader has already accepted."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from typing import Any, Final

_TRIVIA: Final = re.compile(r"(?:[\s\ufeff]|//[^\n\r\u2028\u2029]*|/\*.*?\*/)*", re.DOTALL)
_COMMENT: Final = re.compile(r"//[^\n\r\u2028\u2029]*|/\*.*?\*/", re.DOTALL)
_TOKEN: Final = re.compile(
    r"""(?P<string>"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')|[^\s\ufeff,:\[\]{}/"']+""", re.DOTALL
)


class Kind(Enum):
    """What a value is, as far as editing minds."""

    OBJECT = "{}"
    LIST = "[]"
    SCALAR = ""


@dataclass(frozen=True, slots=True)
class Item:
    """A member of an object, or an item of a list.

    Attributes:
        key: The decoded key; None in a list.
        start: Where the key, or the item, begins.
        value: The value.
        comma: Where the comma after it is; None without one.
    """

    key: str | None
    start: int
    value: "Node"
    comma: int | None

    @property
    def end(self) -> int:
        """Where the item ends, its comma included."""
        return self.value.end if self.comma is None else self.comma + 1


@dataclass(frozen=True, slots=True)
class Node:
    """A value: `text[start:end]`.

    Attributes:
        kind: What it is.
        start: Its first character.
        end: The character after its last.
        items: What an object or a list holds, in order.
    """

    kind: Kind
    start: int
    end: int
    items: tuple[Item, ...] = ()

    def member(self, key: str) -> Item | None:
        """The member that counts for a key: the last one; None without one."""
        return next((item for item in reversed(self.items) if item.key == key), None)


def scan(text: str) -> Node:
    """The value that a text holds.

    Raises:
        ValueError: The text is not JSON5.
        RecursionError: Values are nested too deeply.
    """
    node, position = _value(text, _skip(text, 0))
    if _skip(text, position) != len(text):
        raise ValueError(f"something follows the value at character {position}")
    return node


def comments(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Begin and end of each comment between two characters that have nothing but comments between them."""
    return (comment.span() for comment in _COMMENT.finditer(text, start, end))


def decode(text: str) -> Any:  # noqa: ANN401 - any JSON value
    """The value of a short piece of JSON5, a key included."""
    import json  # noqa: PLC0415

    try:
        return json.loads(text)
    except ValueError:
        import json5  # noqa: PLC0415 - strict JSON does not need it

        return json5.loads(text)


def _skip(text: str, position: int) -> int:
    found = _TRIVIA.match(text, position)
    assert found is not None
    return found.end()


def _value(text: str, position: int) -> tuple[Node, int]:
    opening = text[position : position + 1]
    if opening in ("{", "["):
        return _container(text, position, Kind.OBJECT if opening == "{" else Kind.LIST)
    found = _TOKEN.match(text, position)
    if found is None:
        raise ValueError(f"no value at character {position}")
    return Node(Kind.SCALAR, position, found.end()), found.end()


def _container(text: str, start: int, kind: Kind) -> tuple[Node, int]:
    items: list[Item] = []
    position = _skip(text, start + 1)
    while text[position : position + 1] != kind.value[1]:
        if items and items[-1].comma is None:
            raise ValueError(f"a comma is missing at character {position}")
        item = _item(text, position, named=kind is Kind.OBJECT)
        items.append(item)
        position = _skip(text, item.end)
    return Node(kind, start, position + 1, tuple(items)), position + 1


def _item(text: str, start: int, *, named: bool) -> Item:
    key = None
    position = start
    if named:
        key, position = _key(text, start)
    value, position = _value(text, position)
    position = _skip(text, position)
    return Item(key, start, value, position if text[position : position + 1] == "," else None)


def _key(text: str, start: int) -> tuple[str, int]:
    found = _TOKEN.match(text, start)
    if found is None:
        raise ValueError(f"no key at character {start}")
    colon = _skip(text, found.end())
    if text[colon : colon + 1] != ":":
        raise ValueError(f"no colon at character {colon}")
    written = found.group()
    if "\\" in written:
        written = next(iter(decode(f"{{{written}: 0}}")))
    elif found["string"]:
        written = written[1:-1]
    return written, _skip(text, colon + 1)
