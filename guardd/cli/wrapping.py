"""Text cut into lines that fit, between words and where long words can best be broken."""

import os
import re
from collections.abc import Callable, Sequence
from typing import TextIO
from unicodedata import combining, east_asian_width

from guardd.cli.text import count_above_0

NARROWEST = 40
"""No line is made shorter than this, however narrow the terminal says it is."""

READABLE = 100
"""How long a line of prose gets at most."""

_BREAKS = (re.compile(r"(?<=[/:.,_=-])(?=[^/:.,_=-])|(?=[\[(])"), re.compile(r"(?<=[a-z])(?=[A-Z])"))
"""Where a word that is too long is broken: between the parts of a path or key, else in a name of several words."""


def prose_width(text: str) -> int:
    """How many cells of a terminal text takes, near enough for prose; tables ask rich (`painting.width_of`)."""
    if text.isascii():
        return len(text)
    return sum(0 if combining(one) else 2 if east_asian_width(one) in "WF" else 1 for one in text)


def named_width() -> int | None:
    """How wide lines are to be by `COLUMNS`; None where that says nothing."""
    named = count_above_0(os.environ.get("COLUMNS", ""))
    return None if named is None else max(NARROWEST, named)


def terminal_width(stream: TextIO) -> int | None:
    """How wide the terminal is that a stream leads to, by `COLUMNS` first; None where it leads to none."""
    try:
        own = os.get_terminal_size(stream.fileno()).columns
    except (OSError, ValueError):
        return None
    return named_width() or max(NARROWEST, own)


def wrap(text: str, width: int, measure: Callable[[str], int] = prose_width) -> list[str]:
    """Cut text into lines.

    Args:
        text: The text; line breaks in it stay.
        width: How wide a line may be.
        measure: How wide text is.
    """
    return [line for part in text.split("\n") for line in _wrap(part, width, measure)]


def for_terminal(text: str, stream: TextIO, indent: str = "  ") -> str:
    """Prose as it is, or, where a stream leads to a terminal, in lines that fit; what goes on is indented."""
    width = terminal_width(stream)
    if width is None:
        return text
    return "\n".join(
        line if prose_width(line) <= width else f"\n{indent}".join(wrap(line, width - len(indent)))
        for line in text.split("\n")
    )


def _wrap(text: str, width: int, measure: Callable[[str], int]) -> list[str]:
    lines = [""]
    for number, word in enumerate(text.split(" ")):
        longer = f"{lines[-1]} {word}" if number else word
        if measure(longer) <= width:
            lines[-1] = longer
        elif measure(word) <= width:
            lines.append(word)
        else:
            lines[-1] += " " if lines[-1] else ""
            _break(word, lines, width, measure)
    return [line.rstrip() for line in lines if line.strip()] or [""]


def _break(
    word: str,
    lines: list[str],
    width: int,
    measure: Callable[[str], int],
    breaks: Sequence[re.Pattern[str]] = _BREAKS,
) -> None:
    """Add a word that is longer than a line, broken at the first of these that makes pieces short enough."""
    for piece in breaks[0].split(word) if breaks else word:
        if measure(lines[-1] + piece) <= width:
            lines[-1] += piece
        elif measure(piece) <= width or not breaks:
            lines.append(piece)
        else:
            if lines[-1].strip():
                lines.append("")
            _break(piece, lines, width, measure, breaks[1:])
