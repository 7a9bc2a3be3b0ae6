"""How a JSON5 text is laid out, and values written the same way."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from guardd.cli.install.json5_tree import Kind, Node

_LINE_ENDS: Final = re.compile(r"[\n\r\u2028\u2029]")
_INDENT: Final = re.compile(r"[ \t]*")
_NAME: Final = re.compile(r"[A-Za-z_$][A-Za-z0-9_$]*")


@dataclass(frozen=True, slots=True)
class Style:
    r"""How to write what is added to a text.

    Attributes:
        newline: `\n` or `\r\n`.
        unit: One step of indentation.
        key_quote: What stands around keys; empty where plain names go without.
        quote: What stands around strings.
        trailing_comma: Whether the last item on lines of its own has a comma.
        spread: Whether what is added to an empty object gets lines of its own.
    """

    newline: str = "\n"
    unit: str = "  "
    key_quote: str = '"'
    quote: str = '"'
    trailing_comma: bool = False
    spread: bool = True

    @classmethod
    def of(cls, text: str, root: Node) -> "Style":
        """The style of a text."""
        first = root.items[0] if root.items else None
        unit = indent_at(text, first.start) if first and begins_line(text, first.start) else ""
        key_quote = text[first.start] if first else '"'
        scalar = next(_strings(text, root), '"')
        return cls(
            newline="\r\n" if "\r\n" in text else "\n",
            unit=unit or "  ",
            key_quote=key_quote if key_quote in "\"'" else "",
            quote=scalar,
            trailing_comma=bool(root.items) and root.items[-1].comma is not None,
            spread=not root.items or has_line_end(text, root.start, root.end),
        )

    def key(self, name: str) -> str:
        """A key, quoted where it has to be."""
        if not self.key_quote and _NAME.fullmatch(name):
            return name
        return _quoted(name, self.key_quote or self.quote)

    def value(self, value: Any, indent: str, *, spread: bool) -> str:  # noqa: ANN401 - any JSON value
        """A value as text, without indentation before its first line.

        Args:
            value: The value.
            indent: The indentation of the line that it begins on.
            spread: Whether objects get a line for each member.
        """
        if isinstance(value, str):
            return _quoted(value, self.quote)
        if isinstance(value, dict):
            items = [
                f"{self.key(name)}: {self.value(each, indent + self.unit, spread=spread)}"
                for name, each in value.items()
            ]
            return self._enclosed("{}", items, indent, spread=spread)
        if isinstance(value, list):
            items = [self.value(each, indent + self.unit, spread=spread) for each in value]
            spread = spread and any(isinstance(each, dict | list) for each in value)
            return self._enclosed("[]", items, indent, spread=spread)
        return json.dumps(value)

    def _enclosed(self, brackets: str, items: list[str], indent: str, *, spread: bool) -> str:
        if not items or not spread:
            return f"{brackets[0]}{', '.join(items)}{brackets[1]}"
        line = f"{self.newline}{indent}"
        lines = f",{line}{self.unit}".join(items)
        comma = "," if self.trailing_comma else ""
        return f"{brackets[0]}{line}{self.unit}{lines}{comma}{line}{brackets[1]}"


def has_line_end(text: str, start: int, end: int) -> bool:
    """Whether a line ends between two characters."""
    return _LINE_ENDS.search(text, start, end) is not None


def indent_at(text: str, position: int) -> str:
    """The indentation of the line that a character is on."""
    found = _INDENT.match(text, _line_start(text, position))
    assert found is not None
    return found.group()


def begins_line(text: str, position: int) -> bool:
    """Whether only indentation is before a character on its line, and a line before that."""
    start = _line_start(text, position)
    return start > 0 and not text[start:position].strip(" \t")


def _line_start(text: str, position: int) -> int:
    return text.rfind("\n", 0, position) + 1


def _quoted(value: str, quote: str) -> str:
    written = json.dumps(value, ensure_ascii=False)
    # JSON may hold these as they are, JavaScript of some age may not.
    written = written.replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")
    if quote == '"':
        return written
    inside = written[1:-1].replace('\\"', '"').replace("'", "\\'")
    return f"'{inside}'"


def _strings(text: str, node: Node) -> Iterator[str]:
    """The quotes of the text's strings, in order, those of keys left out."""
    if node.kind is Kind.SCALAR:
        if text[node.start] in "\"'":
            yield text[node.start]
        return
    for item in node.items:
        yield from _strings(text, item.value)
