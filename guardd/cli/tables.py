"""Tables that fit the terminal. It imports rich, by `painting`, so import it only to print for a person.

Where there is no room, columns shrink to their least width; when that is not enough, those with the highest
`drop` go, and then those that may stand `alone` get lines of their own.
"""

import sys
from collections.abc import Iterator, Mapping, Sequence
from itertools import zip_longest
from typing import Any, NamedTuple, Self

import click

from guardd.cli.painting import INDENT, cut, folded, hanging, paint, prose, width_of
from guardd.cli.text import safe
from guardd.cli.wrapping import READABLE, named_width, terminal_width, wrap

STYLES = {
    "allow": "dim",
    "WARN": "yellow",
    "BLOCK": "red",
    "ABORT": "bold red",
    "(WARN)": "yellow",
    "(BLOCK)": "red",
    "(ABORT)": "bold red",
    "active": "green",
    "completed": "dim",
    "failed": "red",
    "aborted": "bold red",
    "ok": "",
    "pending": "cyan",
    "error": "red",
    "blocked": "yellow",
    "WARNING": "yellow",
    "FAILED": "bold red",
    "skipped": "dim",
    "observe": "yellow",
    "needed:": "yellow",
}
"""How the words of the protocol are coloured. Strong verdicts are in capitals, to show without colour too."""

GAP = 2
UNLIMITED = 200
"""How wide a table may be where nobody said: output that goes to a file or a program."""

BETWEEN = " · "


class Column(NamedTuple):
    """A column of a table.

    Attributes:
        title: Its heading.
        least: The width down to which it shrinks; 0: it does not.
        drop: When it goes where there is no room, the highest first; 0: never.
        right: Whether its cells stand on the right, as numbers do.
        fold: Whether what does not fit goes on in the next line, rather than being cut.
        alone: Whether it leaves the table where there is less room than `least`, or than it needs: to a line
            of its own, above the row if it is the first column, else below.
        style: Of its cells, but for those that have their own, and words of `STYLES`.
    """

    title: str
    least: int = 0
    drop: int = 0
    right: bool = False
    fold: bool = False
    alone: bool = False
    style: str = ""


class Marker(NamedTuple):
    """A line between rows, across all columns."""

    text: str
    style: str = "magenta"


class Styled(str):
    """Text with a style of its own.

    Args:
        text: The text.
        style: As rich writes it.
    """

    __slots__ = ("style",)
    style: str

    def __new__(cls, text: str, style: str) -> Self:
        """Make it."""
        made = super().__new__(cls, text)
        made.style = style
        return made


Row = Sequence[str]


class Layout:
    """Which columns a table shows and how wide they are, so that rows can be printed as they come.

    Args:
        columns: All columns.
        rows: What is known of the rows; columns that are empty in all of them are left out.
        colored: Whether to use colours.
        widths: Of the columns, as far as rows that are still to come will need them.
    """

    def __init__(
        self, columns: Sequence[Column], rows: Sequence[Row], *, colored: bool, widths: Sequence[int] = ()
    ) -> None:
        self._columns = columns
        self._colored = colored
        natural = list(widths or (0 for _ in columns))
        for row in rows:
            for index, cell in enumerate(row):
                natural[index] = max(natural[index], width_of(cell))
        self._width = room()
        self._widths = fit(columns, natural, self._width)
        alone = [
            index
            for index, width in self._widths.items()
            if columns[index].alone and width < min(natural[index], columns[index].least or natural[index])
        ]
        self._above = alone[:1] if alone[:1] == [0] else []
        self._below = alone[len(self._above) :]
        if alone:
            rest = [0 if index in alone else width for index, width in enumerate(natural)]
            self._widths = fit(columns, rest, self._width - INDENT)

    def print(self, lines: Sequence[Row | Marker], *, heading: bool = True) -> None:
        """Print rows and markers, the headings first."""
        drawn = list(self._heading()) if heading else []
        for line in lines:
            drawn += self._mark(line) if isinstance(line, Marker) else self._row(line)
        _write(drawn)

    def _mark(self, mark: Marker) -> list[str]:
        lines = hanging(f"── {safe(mark.text)} ──", self._width)
        return [paint(line, mark.style, colored=self._colored) for line in lines]

    def _heading(self) -> Iterator[str]:
        return self._row([Styled(column.title, "bold") for column in self._columns])

    def _row(self, row: Row) -> Iterator[str]:
        for index in self._above:
            yield from self._by_itself(row[index], index, self._width)
        yield from self._across(row)
        for index in self._below:
            for line in self._by_itself(row[index], index, self._width - INDENT):
                yield " " * INDENT + line

    def _by_itself(self, text: str, index: int, width: int) -> Iterator[str]:
        """A cell that has left the table; what is to be copied is broken anywhere, and else where it reads well."""
        column = self._columns[index]
        for line in prose(text, width) if column.fold else folded(text, width):
            if line:
                yield paint(line, _style(text) or column.style, colored=self._colored)

    def _across(self, row: Row) -> Iterator[str]:
        """The cells beside each other, in as many lines as the longest needs; none where all are empty."""
        cells = [self._cell(row[index], index) for index in self._widths]
        indent = " " * INDENT if self._above else ""
        last = len(cells) - 1
        for parts in zip_longest(*(lines for lines, _ in cells), fillvalue=""):
            line = indent
            for number, (part, (index, width), (_, style)) in enumerate(
                zip(parts, self._widths.items(), cells, strict=True)
            ):
                blanks = " " * (width - width_of(part))
                right = self._columns[index].right
                painted = paint(part, style, colored=self._colored)
                line += blanks + painted if right else painted if number == last else painted + blanks
                line += "" if number == last else " " * GAP
            if line.strip():
                yield line.rstrip()

    def _cell(self, text: str, index: int) -> tuple[list[str], str]:
        """A cell's lines, and its style."""
        column, width = self._columns[index], self._widths[index]
        style = _style(text) or column.style
        if width_of(text) <= width:
            return [text], style
        if column.fold:
            return prose(text, width), style
        if not column.least or width < column.least:
            return folded(text, width), style
        return [cut(text, width)], style


def show(columns: Sequence[Column], lines: Sequence[Row | Marker], *, colored: bool) -> None:
    """Print a table with the cells as they are: pass what comes from an agent through `safe` first."""
    Layout(columns, [line for line in lines if not isinstance(line, Marker)], colored=colored).print(lines)


def pairs(rows: Sequence[tuple[str, str]], *, colored: bool) -> None:
    """Print names and values below each other; a value goes on below where there is no room beside its name."""
    width = max(width_of(name) for name, _ in rows)
    drawn = []
    for name, value in rows:
        style = STYLES.get(value.split(" ")[0], "")
        for number, line in enumerate(wrap(value, room() - width - GAP, width_of)):
            before = "" if number else name
            blanks = " " * (width + GAP - width_of(before))
            drawn.append(
                paint(before, "bold", colored=colored) + blanks + paint(line, style, colored=colored)
            )
    _write(drawn)


def headline(parts: Sequence[str], *, colored: bool) -> None:
    """Print what a table is about, above it; a line ends between two parts, unless a part is longer than one."""
    lines: list[list[str]] = [[]]
    used = 0
    for number, part in enumerate(parts):
        for piece in wrap(part, room() - INDENT, width_of):
            needed = width_of(piece) + (len(BETWEEN) if lines[-1] else 0)
            if lines[-1] and used + needed > room():
                lines.append([])
                used, needed = INDENT, width_of(piece)
            word = piece.split(" ")[0] if number else piece  # the word alone: a reason may stand behind it
            style = STYLES.get(word, "") if number else "bold"
            lines[-1].append(paint(word, style, colored=colored) + piece.removeprefix(word))
            used += needed
    drawn = [BETWEEN.join(line) for line in lines]
    _write([drawn[0], *(" " * INDENT + line for line in drawn[1:])])


def paragraphs(texts: Sequence[str]) -> None:
    """Print text that is wrapped between words; what follows a paragraph's first line is indented."""
    for text in texts:
        _write(hanging(text, min(room(), READABLE)))


def strips(lines: Sequence[Sequence[str]], *, colored: bool) -> None:
    """Print lines that are put together from pieces, each perhaps `Styled`."""
    _write(
        [
            "".join(
                paint(piece, piece.style if isinstance(piece, Styled) else "", colored=colored)
                for piece in line
            )
            for line in lines
        ]
    )


def verdict(of: Mapping[str, Any]) -> str:
    """What was answered, as tables show it: what warns or stops is in capitals.

    Args:
        of: A call or event; with `wouldBe`, which stands in brackets, if it was only observed.
    """
    if of.get("wouldBe"):
        return f"({of['wouldBe'].upper()})"
    action = str(of.get("action") or of["verdict"])
    return action if action == "allow" else action.upper()


def _style(text: str) -> str:
    """The style of a cell: its own, or that of the word that it is."""
    return text.style if isinstance(text, Styled) else STYLES.get(text, "")


def room() -> int:
    """The width to fit: `COLUMNS` or the terminal's; as much as is useful where there is no terminal."""
    return named_width() or terminal_width(sys.stdout) or UNLIMITED


def fit(columns: Sequence[Column], natural: Sequence[int], room: int) -> dict[int, int]:
    """The widths of the columns that are shown, by index."""
    widths = {
        index: max(natural[index], width_of(column.title))
        for index, column in enumerate(columns)
        if natural[index]
    }
    floor = {index: min(width, columns[index].least or width) for index, width in widths.items()}
    while _total(floor) > room and (candidates := [index for index in widths if columns[index].drop]):
        gone = max(candidates, key=lambda index: columns[index].drop)
        del widths[gone], floor[gone]
    while (excess := _total(widths) - room) > 0:
        index = max(widths, key=lambda index: (widths[index] - floor[index], widths[index]))
        if widths[index] == floor[index]:
            floor = dict.fromkeys(floor, 1)  # nothing is left to drop: the widest is folded
            continue
        others = sorted((widths[other] - floor[other] for other in widths if other != index), reverse=True)
        level = widths[index] - floor[index] - (others[0] if others else 0)
        widths[index] -= min(excess, max(1, level), widths[index] - floor[index])
    return widths


def _total(widths: dict[int, int]) -> int:
    return sum(widths.values()) + GAP * (len(widths) - 1)


def _write(lines: Sequence[str]) -> None:
    """Print lines as they are, without the blanks that pad the last column."""
    if lines:
        click.echo("\n".join(line.rstrip() for line in lines), color=True)
