"""A change as a unified diff, with secrets masked: whoever looks at it wants to see the change, not the keys."""

import re
from collections.abc import Iterator
from difflib import unified_diff
from itertools import chain

import click

from guardd.cli.install.files import shown
from guardd.cli.install.json5_tree import Kind, Node, scan
from guardd.cli.install.plan import Change
from guardd.cli.text import safe
from guardd.fingerprint.redaction import is_secret, mask_text

COLORS = {"+": "green", "-": "red", "@": "cyan"}
MASK = '"***"'


def difference(change: Change) -> list[str]:
    """The lines of a unified diff; none where nothing changes."""
    before, after = change.found.text, change.after
    if before == after:
        return []
    name = shown(change.found.path)
    lines = unified_diff(
        _lines(before),
        _lines(after),
        "/dev/null" if before is None else name,
        "/dev/null" if after is None else name,
    )
    return list(chain.from_iterable(_printable(line) for line in lines))


def show(change: Change, *, colored: bool) -> None:
    """Print the diff of a change."""
    for number, line in enumerate(difference(change)):
        # The first two lines name the file.
        style = {"bold": True} if number < 2 else {"fg": COLORS.get(line[:1])}  # noqa: PLR2004
        click.echo(click.style(line, **style) if colored else line, color=colored)


def masked(text: str) -> str:
    """A JSON5 text with the values of secrets hidden; a text of another kind as it is."""
    try:
        root = scan(text)
    except (ValueError, RecursionError):
        return text
    for start, end in sorted(_secrets(text, root), reverse=True):
        text = f"{text[:start]}{MASK}{text[end:]}"
    return text


def _secrets(text: str, node: Node, *, secret: bool = False) -> Iterator[tuple[int, int]]:
    if node.kind is Kind.SCALAR:
        written = text[node.start : node.end]
        if text[node.start] in "\"'" and (secret or mask_text(written) != written):
            yield node.start, node.end
        return
    for item in node.items:
        scalar = item.value.kind is Kind.SCALAR
        value = text[item.value.start : item.value.end].strip("\"'") if scalar else []
        named = item.key is not None and is_secret(item.key, value)
        yield from _secrets(text, item.value, secret=secret or named)


def _lines(text: str | None) -> list[str]:
    return [] if text is None else re.findall(r"[^\n]*\n|[^\n]+", masked(text))


def _printable(line: str) -> Iterator[str]:
    content = mask_text(line.rstrip("\r\n"))  # what is in comments too
    yield "\t".join(safe(part) for part in content.split("\t"))
    if not line.endswith("\n") and line[:1] in "+- " and not line.startswith(("+++", "---")):
        yield "\\ No newline at end of file"
