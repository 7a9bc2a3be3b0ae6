"""The board as lines: the daemon above, then runs, then events, and the keys below."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from guardd.cli import tables
from guardd.cli.events_table import tool_of
from guardd.cli.names import run_column
from guardd.cli.painting import cut, width_of
from guardd.cli.runs_table import layout
from guardd.cli.tables import Column, Styled
from guardd.cli.text import safe
from guardd.cli.times import Clock
from guardd.cli.watch import pieces
from guardd.cli.watch.header import header
from guardd.cli.watch.model import Model, Object
from guardd.cli.watch.pieces import Line
from guardd.cli.watch.snapshot import nothing_happened
from guardd.cli.wrapping import NARROWEST

ROOMY = 16
"""Rows of a terminal from which on lines may be spent on rules between the parts."""

TALL = 12
"""Rows from which on what is above takes two lines."""

QUIET = "dim"
_LONGEST_RUN = 16
_LONGEST_TOOL = 24
"""Cells for them among events, where the message needs the room; runs are named in full above."""

_TITLES = "dim bold"


class Size(NamedTuple):
    """Of a terminal, in cells."""

    columns: int
    rows: int


class _Part(NamedTuple):
    """Runs or events: as many lines as they are given, or what to say where there is nothing."""

    name: str
    rows: int
    nothing: str

    @property
    def wish(self) -> int:
        """How many lines show all of it, its titles included."""
        return self.rows + 1


class Drawing:
    """Draws a model again and again.

    Columns keep the width that they once needed, so that nothing jumps while events pass; another size of the
    terminal begins anew.

    Args:
        absolute: Whether times are RFC 3339.
        filters: What the runs are restricted to, in words; empty: to nothing.
    """

    def __init__(self, *, absolute: bool, filters: str = "") -> None:
        self._absolute = absolute
        self._filters = filters
        self._size = Size(0, 0)
        self._needed: dict[tuple[str, str], int] = {}

    def lines(self, model: Model, size: Size, now: float) -> list[Line]:
        """The whole screen, a line for each of its rows; the last column stays empty.

        Args:
            model: What is known.
            size: Of the terminal.
            now: The time by the model's clock.
        """
        if size != self._size:
            self._size, self._needed = size, {}
        width = size.columns - 1
        roomy = size.rows >= ROOMY
        above = header(model, now, width, two_lines=size.rows >= TALL)
        runs = _Part("runs", len(model.runs), "No run is like that." if self._filters else "No runs yet.")
        events = _Part("events", model.events_kept, nothing_happened(model.agent))
        room = size.rows - len(above) - 1 - 2 * roomy
        for_runs, for_events = split(room, runs.wish, events.wish)
        extent = self._extent(model, max(0, for_runs - 1))
        body = [
            *([_rule("runs", extent, width)] if roomy else []),
            *self._runs(model.runs[: max(0, for_runs - 1)], runs, width)[:for_runs],
            *([_rule("events", "", width)] if roomy else []),
            *self._events(model.newest_events(for_events - 1), events, width)[:for_events],
        ]
        body += [[]] * (size.rows - len(above) - 1 - len(body))
        below = _keys(model, f"{extent} runs" if extent and not roomy else "", width)
        return [*above, *body, below][: size.rows]

    def _extent(self, model: Model, shown: int) -> str:
        """Which runs these are, where they are not all."""
        shown = min(shown, len(model.runs))
        if self._filters:
            return f"{self._filters}, first {shown}" if shown < len(model.runs) else self._filters
        return f"{shown} of {model.status['runs']:,}" if shown < model.status["runs"] else ""

    def _runs(self, runs: Sequence[Object], part: _Part, width: int) -> list[Line]:
        columns, rows = layout(runs, Clock(absolute=self._absolute))
        for index, (run, cells) in enumerate(zip(runs, rows, strict=True)):
            verdict = tables.verdict(run)
            if verdict != "allow":
                rows[index] = (Styled(cells[0], pieces.loud(verdict)), *cells[1:])
        return self._table(part, columns, rows, width)

    def _events(self, events: Sequence[Object], part: _Part, width: int) -> list[Line]:
        names, run = run_column(events)
        caps = {"RUN": max(run.least, _LONGEST_RUN), "TOOL": _LONGEST_TOOL}
        clock = Clock(absolute=self._absolute, following=True)
        columns = (
            Column(clock.title),
            Column("ACTION"),
            run,
            Column("TOOL", least=8, drop=1),
            Column("DETECTOR", least=14, drop=4),
            Column("COUNT", drop=3, right=True),
            Column("MESSAGE", least=20, drop=5, style=QUIET),
        )
        rows = [
            (
                clock.cell(event["at"]),
                tables.verdict(event),
                name,
                tool_of(event),
                event["detector"],
                f"{event['count']}/{event['threshold']}" if event["threshold"] else "",
                safe(event["message"]),
            )
            for event, name in zip(events, names, strict=True)
        ]
        return self._table(part, columns, rows, width, caps)

    def _table(
        self,
        part: _Part,
        columns: Sequence[Column],
        rows: Sequence[tables.Row],
        width: int,
        caps: Mapping[str, int] = MappingProxyType({}),
    ) -> list[Line]:
        if not part.rows:
            return [[Styled(cut(part.nothing, width), QUIET)]]
        natural = [
            min(self._natural(part.name, column, index, rows), caps.get(column.title, width))
            for index, column in enumerate(columns)
        ]
        widths = tables.fit(columns, natural, max(width, NARROWEST - 1))
        lines = [
            pieces.heading(columns, widths, _TITLES),
            *(pieces.row(cells, columns, widths) for cells in rows),
        ]
        return [pieces.cut_line(line, width) for line in lines]

    def _natural(self, part: str, column: Column, index: int, rows: Sequence[tables.Row]) -> int:
        widest = max((width_of(cells[index]) for cells in rows), default=0)
        key = part, column.title
        self._needed[key] = max(self._needed.get(key, 0), widest)
        return self._needed[key]


def split(room: int, runs: int, events: int) -> tuple[int, int]:
    """Lines for runs and for events: half for each, and what one does not need for the other.

    Args:
        room: How many lines there are.
        runs: How many lines all runs would take.
        events: How many all events would take.
    """
    room = max(0, room)
    for_runs = min(runs, max(room // 2, room - events))
    return for_runs, room - for_runs


def _rule(title: str, extent: str, width: int) -> Line:
    before, after = "── ", f" · {extent} " if extent else " "
    rest = "─" * max(0, width - width_of(before + title + after))
    return pieces.cut_line([Styled(before, QUIET), Styled(title, "bold"), Styled(after + rest, QUIET)], width)


def _keys(model: Model, extent: str, width: int) -> Line:
    keys: Line = [Styled("q", "bold"), " quit   ", Styled("p", "bold"), " pause"]
    if model.is_paused:
        keys = [Styled("PAUSED", "bold yellow"), "   ", Styled("p", "bold"), " go on   ", *keys[:1], " quit"]
    return pieces.apart(keys, [Styled(extent, QUIET)] if extent else [], width)
