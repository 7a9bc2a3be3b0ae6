"""Tables that fit the terminal. The only module that imports rich, so import it only to print for a person.

Where there is no room, columns shrink to their least width, and when that is not enough, those with the
highest `drop` go. A table is drawn in stretches, so that markers can stand between its rows.
"""

import os
import sys
from collections.abc import Mapping, Sequence
from io import StringIO
from itertools import groupby
from typing import Any, NamedTuple, Self

import click
from rich.cells import cell_len
from rich.console import Console
from rich.table import Table
from rich.text import Text

from guardd.cli.text import safe

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
}
"""How the words of the protocol are coloured. Strong verdicts are in capitals, to show without colour too."""

GAP = 2
NARROWEST = 40
UNLIMITED = 200
"""How wide a table may be where nobody said: output that goes to a file or a program."""


READABLE = 100
"""How long a line of prose gets at most."""


class Column(NamedTuple):
    """A column of a table.

    Attributes:
        title: Its heading.
        least: The width down to which it shrinks; 0: it does not.
        drop: When it goes where there is no room, the highest first; 0: never.
        right: Whether its cells stand on the right, as numbers do.
        fold: Whether what does not fit goes on in the next line, rather than being cut.
        style: Of its cells; without, a cell that is a word of `STYLES` has that word's.
    """

    title: str
    least: int = 0
    drop: int = 0
    right: bool = False
    fold: bool = False
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
                natural[index] = max(natural[index], cell_len(cell))
        self._width = room()
        self._widths = fit(columns, natural, self._width)

    def print(self, lines: Sequence[Row | Marker], *, heading: bool = True) -> None:
        """Print rows and markers, the headings first."""
        console = _console(self._width, colored=self._colored)
        if heading:
            console.print(self._stretch([], heading=True))
        for marks, stretch in groupby(lines, key=lambda one: isinstance(one, Marker)):
            if marks:
                for mark in stretch:
                    console.print(self._mark(mark))
            else:
                console.print(self._stretch(list(stretch), heading=False))
        _write(console)

    def _mark(self, mark: Row | Marker) -> Text:
        assert isinstance(mark, Marker)
        return Text(f"── {safe(mark.text)} ──", style=mark.style, no_wrap=False)

    def _stretch(self, rows: Sequence[Row], *, heading: bool) -> Table:
        table = Table(
            box=None, padding=(0, GAP, 0, 0), pad_edge=False, show_header=heading, header_style="bold"
        )
        for index, width in self._widths.items():
            column = self._columns[index]
            fold = column.fold or not column.least or width < column.least
            table.add_column(
                column.title,
                justify="right" if column.right else "left",
                width=width,
                no_wrap=not fold,
                overflow="fold" if fold else "ellipsis",
            )
        for row in rows:
            table.add_row(*(_cell(row[index], self._columns[index]) for index in self._widths))
        return table


def show(columns: Sequence[Column], lines: Sequence[Row | Marker], *, colored: bool) -> None:
    """Print a table with the cells as they are: pass what comes from an agent through `safe` first."""
    Layout(columns, [line for line in lines if not isinstance(line, Marker)], colored=colored).print(lines)


def pairs(rows: Sequence[tuple[str, str]], *, colored: bool) -> None:
    """Print names and values below each other."""
    width = max(cell_len(name) for name, _ in rows)
    console = _console(room(), colored=colored)
    table = Table(box=None, padding=(0, GAP, 0, 0), pad_edge=False, show_header=False)
    table.add_column(width=width, style="bold")
    table.add_column(overflow="fold")
    for name, value in rows:
        table.add_row(name, Text(value, style=STYLES.get(value.split(" ")[0], "")))
    console.print(table)
    _write(console)


def headline(parts: Sequence[str], *, colored: bool) -> None:
    """Print what a table is about, above it."""
    console = _console(room(), colored=colored)
    line = Text(" · ").join(Text(part, style=STYLES.get(part.split(" ")[0], "")) for part in parts)
    line.stylize("bold", 0, len(parts[0]))
    console.print(line)
    _write(console)


def paragraphs(texts: Sequence[str], *, colored: bool) -> None:
    """Print text that is wrapped between words; what follows a paragraph's first line is indented."""
    console = _console(min(room(), READABLE), colored=colored)
    for text in texts:
        lines = Text(text).wrap(console, console.width - GAP)
        for number, line in enumerate(lines):
            line.rstrip()
            console.print(Text(" " * GAP if number else "") + line)
    _write(console)


def strips(lines: Sequence[Sequence[str]], *, colored: bool) -> None:
    """Print lines that are put together from pieces, each perhaps `Styled`."""
    console = _console(room(), colored=colored)
    for line in lines:
        pieces = ((str(piece), piece.style if isinstance(piece, Styled) else "") for piece in line)
        console.print(Text.assemble(*pieces))
    _write(console)


def verdict(of: Mapping[str, Any]) -> str:
    """What was answered, as tables show it: what warns or stops is in capitals.

    Args:
        of: A call or event; with `wouldBe`, which stands in brackets, if it was only observed.
    """
    if of.get("wouldBe"):
        return f"({of['wouldBe'].upper()})"
    action = str(of.get("action") or of["verdict"])
    return action if action == "allow" else action.upper()


def _cell(text: str, column: Column) -> Text:
    own = text.style if isinstance(text, Styled) else STYLES.get(text, "")
    return Text(str(text), style=column.style or own)


def room() -> int:
    """The width to fit: `COLUMNS` or the terminal's; as much as is useful where there is no terminal."""
    columns = os.environ.get("COLUMNS", "")
    if not columns.isdecimal():
        try:
            columns = str(os.get_terminal_size(sys.stdout.fileno()).columns)
        except OSError:
            return UNLIMITED
    return max(NARROWEST, int(columns))


def fit(columns: Sequence[Column], natural: Sequence[int], room: int) -> dict[int, int]:
    """The widths of the columns that are shown, by index."""
    widths = {
        index: max(natural[index], cell_len(column.title))
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


def _console(width: int, *, colored: bool) -> Console:
    return Console(
        file=StringIO(),
        width=width,
        color_system="standard" if colored else None,
        force_terminal=colored,
        no_color=not colored,
        legacy_windows=False,
        markup=False,
        emoji=False,
        highlight=False,
        soft_wrap=False,
    )


def _write(console: Console) -> None:
    """Print what the console has drawn, without the blanks that pad the last column."""
    assert isinstance(console.file, StringIO)
    drawn = console.file.getvalue().splitlines()
    click.echo("\n".join(line.rstrip() for line in drawn), color=True)
