"""Lines made of pieces of text, each perhaps with a style, cut to a width and written as a terminal wants them."""

from collections.abc import Mapping, Sequence

from guardd.cli.painting import cut, paint, width_of
from guardd.cli.tables import GAP, STYLES, Column, Styled

Line = Sequence[str]
"""Pieces; those with a style are `Styled`."""


def loud(word: str) -> str:
    """The style of a word of `STYLES`, in bold."""
    return f"bold {STYLES[word].removeprefix('bold ')}"


def line_width(line: Line) -> int:
    """How many cells a line takes."""
    return sum(map(width_of, line))


def cut_line(line: Line, width: int) -> Line:
    """A line that takes no more than so many cells."""
    shown: list[str] = []
    for piece in line:
        if width <= 0:
            break
        shown.append(_like(piece, cut(piece, width)))
        width -= width_of(shown[-1])
    return shown


def apart(left: Line, right: Line, width: int) -> Line:
    """A line with something at both of its ends; where there is no room for both, the right one goes."""
    space = width - line_width(left) - line_width(right)
    return [*left, " " * space, *right] if right and space >= GAP else cut_line(left, width)


def row(cells: Sequence[str], columns: Sequence[Column], widths: Mapping[int, int]) -> Line:
    """A row of a table.

    Args:
        cells: All its cells.
        columns: All columns.
        widths: Those that are shown, by index, as `tables.fit` gives them.
    """
    line: list[str] = []
    for index, width in widths.items():
        text = cut(cells[index], width)
        blank = " " * (width - width_of(text))
        styled = _like(cells[index], text, columns[index].style or STYLES.get(cells[index], ""))
        line += [blank, styled] if columns[index].right else [styled, blank]
        line.append(" " * GAP)
    return line[:-1]


def heading(columns: Sequence[Column], widths: Mapping[int, int], style: str) -> Line:
    """The titles above the columns."""
    titles = row([column.title for column in columns], columns, widths)
    return [Styled("".join(titles), style)]


def painted(line: Line, *, colored: bool) -> str:
    """A line as a terminal wants it, without the blanks at its end."""
    texts = (
        paint(piece, piece.style if isinstance(piece, Styled) else "", colored=colored) for piece in line
    )
    return "".join(texts).rstrip(" ")


def _like(piece: str, text: str, style: str = "") -> str:
    style = piece.style if isinstance(piece, Styled) else style
    return Styled(text, style) if style else text
