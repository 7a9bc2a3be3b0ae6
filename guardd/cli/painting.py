"""Pieces of text for a terminal: how wide they are, cut or folded to a width, and with a style."""

from functools import cache

from rich.cells import cell_len
from rich.color import ColorSystem
from rich.style import Style

from guardd.cli.wrapping import wrap

INDENT = 2
ELLIPSIS = "…"
ARROW = "→ "
"""Begins what is to be done about what stands above it."""


def paint(text: str, style: str, *, colored: bool) -> str:
    """Text with the escapes that give it a style, written as rich writes one."""
    if not (colored and style and text):
        return str(text)
    return _parsed(style).render(str(text), color_system=ColorSystem.STANDARD)


@cache
def _parsed(style: str) -> Style:
    return Style.parse(style)


def width_of(text: str) -> int:
    """How many cells of a terminal a printable text takes."""
    return len(text) if text.isascii() else cell_len(text)


def cut(text: str, width: int) -> str:
    """As much of a text as fits, an ellipsis for the rest."""
    if width_of(text) <= width:
        return text
    if width <= 0:
        return ""
    end = (width - 1) // 2  # so many fit, however wide they are
    while end < len(text) and width_of(text[: end + 1]) < width:
        end += 1
    return text[:end].rstrip() + ELLIPSIS


def prose(text: str, width: int) -> list[str]:
    """A text in lines; those of what is to be done are indented behind its arrow."""
    return hanging(text, width) if text.startswith(ARROW) else wrap(text, width, width_of)


def hanging(text: str, width: int) -> list[str]:
    """A text in lines, of which all but the first are indented."""
    first, *others = wrap(text, width - INDENT, width_of)
    return [first, *(" " * INDENT + line for line in others)]


def folded(text: str, width: int) -> list[str]:
    """A name in lines that are full, so that it is put together again by taking out the line breaks."""
    lines = [""]
    for letter in text:
        if width_of(lines[-1] + letter) > width:
            lines.append("")
        lines[-1] += letter
    return lines
