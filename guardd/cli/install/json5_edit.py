"""A JSON5 text edited in place: comments, order, quotes and layout of everything else stay byte for byte."""

import copy
import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, Final

from guardd.cli.install.json5_style import Style, begins_line, has_line_end, indent_at
from guardd.cli.install.json5_tree import Item, Kind, Node, comments, decode, scan
from guardd.config.document import decode_document
from guardd.config.errors import ConfigError

_REST_OF_LINE: Final = re.compile(r"[^\S\n\r]*,?[^\S\n\r]*(?:[\n\r\u2028\u2029]|$)")

Key = str | int
Keys = tuple[Key, ...]
Span = tuple[int, int, str]


class EditError(Exception):
    """The text cannot be edited, and is to be left as it is: the message says what stands in the way."""


class Document:
    """A JSON5 text and the edits made to it.

    Args:
        text: The text; a JSON5 reader has accepted it.

    Attributes:
        text: The text with the edits made so far.

    Raises:
        EditError: The text is not JSON5 after all.
    """

    def __init__(self, text: str) -> None:
        self._before = text
        self._edits: list[tuple[Keys, Any]] = []
        self.text = text
        try:
            self._root = scan(text)
        except (ValueError, RecursionError) as error:
            raise EditError(str(error)) from None
        self._style = Style.of(text, self._root)

    def get(self, *path: Key) -> Any:  # noqa: ANN401 - any JSON value
        """The value at a path; None where there is none, as where there is `null`."""
        node = self._find(path)
        return None if node is None else decode(self.text[node.start : node.end])

    def has(self, *path: Key) -> bool:
        """Whether there is a value at a path."""
        return self._find(path) is not None

    def set(self, path: Keys, value: Any) -> None:  # noqa: ANN401
        """Put a value at a path: in place of the one there, or as the last member of its object.

        Objects that are missing on the way are made.

        Raises:
            EditError: Something on the way is not an object.
        """
        for length in range(len(path)):
            node = self._find(path[:length])
            assert node is not None
            if self._find(path[: length + 1]) is None:
                if node.kind is not Kind.OBJECT:
                    raise EditError(f"{shown_path(path[:length])} is not an object")
                inner = _nested(path[length + 1 :], value)
                self._insert(node, self._style.key(str(path[length])) + ": ", inner)
                self._edits.append((path[: length + 1], inner))
                return
        node = self._find(path)
        assert node is not None
        written = self._style.value(
            value, indent_at(self.text, node.start), spread=has_line_end(self.text, 0, node.start)
        )
        self._edits.append((path, value))
        self._apply([(node.start, node.end, written)])

    def append(self, path: Keys, value: Any) -> None:  # noqa: ANN401
        """Put a value at the end of a list; a list that is missing is made.

        Raises:
            EditError: Something on the way is not an object, or the value there is not a list.
        """
        node = self._find(path)
        if node is None:
            self.set(path, [value])
            return
        if node.kind is not Kind.LIST:
            raise EditError(f"{shown_path(path)} is not a list")
        self._edits.append(((*path, len(node.items)), value))
        self._insert(node, "", value)

    def remove(self, *path: Key) -> None:
        """Take the value at a path out of its object or list, with its key and its comma."""
        parent = self._find(path[:-1])
        assert parent is not None
        index = _index(parent, path[-1])
        assert index is not None
        self._edits.append((path, _REMOVED))
        self._apply(self._removal(parent, index))

    def checked(self) -> str:
        """The edited text, after reading it again and comparing it with what was to change.

        Raises:
            EditError: Something else changed.
            ConfigError: The text was no JSON5 in the first place.
        """
        if not self._edits:
            return self.text
        expected = copy.deepcopy(decoded(self._before))
        for path, value in self._edits:
            _change(expected, path, value)
        try:
            found = decoded(self.text)
        except ConfigError as error:
            raise EditError("the edit would have left something that is not JSON5") from error
        if repr(found) != repr(expected):
            raise EditError("the edit would have changed something else as well")
        return self.text

    def _find(self, path: Sequence[Key]) -> Node | None:
        node = self._root
        for key in path:
            index = _index(node, key)
            if index is None:
                return None
            node = node.items[index].value
        return node

    def _apply(self, spans: list[Span]) -> None:
        for start, end, text in sorted(spans, reverse=True):
            self.text = self.text[:start] + text + self.text[end:]
        self._root = scan(self.text)

    def _insert(self, node: Node, key: str, value: Any) -> None:  # noqa: ANN401
        self._apply(self._after_last(node, key, value) if node.items else self._into_empty(node, key, value))

    def _after_last(self, node: Node, key: str, value: Any) -> list[Span]:  # noqa: ANN401
        last = node.items[-1]
        spread = _is_spread(self.text, node)
        position = _end_of_line_comments(self.text, last.end, node.end - 1)
        indent = self._item_indent(node) if spread else indent_at(self.text, last.start)
        before = f"{self._style.newline}{indent}" if spread else " "
        written = before + key + self._style.value(value, indent, spread=spread)
        if last.comma is not None:
            return [(position, position, f"{written},")]
        if position == last.value.end:
            return [(position, position, f",{written}")]
        return [(last.value.end, last.value.end, ","), (position, position, written)]

    def _into_empty(self, node: Node, key: str, value: Any) -> list[Span]:  # noqa: ANN401
        start, end = node.start + 1, node.end - 1
        found = list(comments(self.text, start, end))
        position = found[-1][1] if found else start
        outer = indent_at(self.text, node.start)
        indent = outer + self._style.unit
        if found:
            spread = has_line_end(self.text, position, end)
            if begins_line(self.text, found[-1][0]):
                indent = indent_at(self.text, found[-1][0])
        else:
            spread = self._style.spread and (bool(key) or isinstance(value, dict))
        if not spread:
            space = " " if found else ""
            return [(position, position, space + key + self._style.value(value, outer, spread=False))]
        written = key + self._style.value(value, indent, spread=True)
        comma = "," if self._style.trailing_comma else ""
        line = f"{self._style.newline}{indent}{written}{comma}"
        return [
            (position, position if found else end, line if found else f"{line}{self._style.newline}{outer}")
        ]

    def _item_indent(self, node: Node) -> str:
        for item in reversed(node.items):
            if begins_line(self.text, item.start):
                return indent_at(self.text, item.start)
        return indent_at(self.text, node.start) + self._style.unit

    def _removal(self, node: Node, index: int) -> list[Span]:
        item = node.items[index]
        follower = node.items[index + 1] if index + 1 < len(node.items) else None
        limit = follower.start if follower else node.end - 1
        if len(node.items) == 1 and not _comments_around(self.text, node, item):
            return [(node.start + 1, node.end - 1, "")]
        own_comma = [] if item.comma is None else [(item.comma, item.comma + 1, "")]
        if index == 0 and follower:
            assert item.comma is not None
            gap = len(self.text[item.comma + 1 : limit]) - len(self.text[item.comma + 1 : limit].lstrip())
            return [(item.start, item.value.end, ""), (item.comma, item.comma + 1 + gap, "")]
        before = node.items[index - 1] if index else None
        opened = before.end if before else node.start + 1
        spans = [(self._cut_start(opened, item), item.value.end, ""), *own_comma]
        if before and item.comma is None:
            assert before.comma is not None
            spans.append((before.comma, before.comma + 1, ""))
        return spans

    def _cut_start(self, opened: int, item: Item) -> int:
        """Where to cut before an item: after the last comment there, on its own line if it would eat more."""
        start = opened
        in_line = False
        for begin, end in comments(self.text, opened, item.start):
            start, in_line = end, self.text.startswith("//", begin)
        if in_line and not _REST_OF_LINE.match(self.text, item.value.end):
            start += len(self._style.newline) if self.text.startswith("\r\n", start) else 1
        return start


@lru_cache(maxsize=2)  # the JSON5 reader takes its time, and the same text is read before an edit and after
def decoded(text: str, file: str = "the file") -> Any:  # noqa: ANN401
    """What a text holds, by the JSON5 reader. It is shared: copy it before changing it.

    Args:
        text: The text; a byte order mark at its beginning is left out.
        file: Its name, for errors.

    Raises:
        ConfigError: It is not JSON5, or not an object.
    """
    return decode_document(text.removeprefix("\ufeff"), file)


def shown_path(path: Keys) -> str:
    """A path as a person writes it; the whole text is "the file"."""
    written = "".join(f"[{key}]" if isinstance(key, int) else f".{key}" for key in path)
    return written.removeprefix(".") or "the file"


_REMOVED: Final = object()


def _nested(path: Keys, value: Any) -> Any:  # noqa: ANN401
    for key in reversed(path):
        value = {key: value}
    return value


def _index(node: Node, key: Key) -> int | None:
    if isinstance(key, int):
        return key if node.kind is Kind.LIST and key < len(node.items) else None
    if node.kind is not Kind.OBJECT:
        return None
    item = node.member(key)
    return None if item is None else node.items.index(item)


def _change(value: Any, path: Keys, wanted: Any) -> None:  # noqa: ANN401
    for key in path[:-1]:
        value = value[key]
    if wanted is _REMOVED:
        del value[path[-1]]
    elif isinstance(value, list) and path[-1] == len(value):
        value.append(copy.deepcopy(wanted))
    else:
        value[path[-1]] = copy.deepcopy(wanted)


def _is_spread(text: str, node: Node) -> bool:
    """Whether a container's items are on lines of their own."""
    position = node.start
    for item in node.items:
        if has_line_end(text, position, item.start):
            return True
        position = item.value.end
    return has_line_end(text, position, node.end)


def _end_of_line_comments(text: str, position: int, limit: int) -> int:
    """After the comments that follow a character on its line."""
    for start, end in comments(text, position, limit):
        if has_line_end(text, position, start):
            break
        position = end
    return position


def _comments_around(text: str, node: Node, item: Item) -> bool:
    gaps = [(node.start + 1, item.start), (item.value.end, item.end), (item.end, node.end - 1)]
    return any(True for start, end in gaps for _ in comments(text, start, end))
