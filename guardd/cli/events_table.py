"""Events as a table."""

from collections.abc import Sequence
from typing import Any

from guardd.cli import tables
from guardd.cli.names import run_column
from guardd.cli.text import safe
from guardd.cli.times import Clock


def show(events: Sequence[dict[str, Any]], *, abs_time: bool, colored: bool) -> None:
    """Print events."""
    names, column = run_column(events)
    clock = Clock(absolute=abs_time)
    rows = [_row(event, name, clock) for event, name in zip(events, names, strict=True)]
    tables.show(_columns(clock, column), rows, colored=colored)


class Stream:
    """Prints events as they come.

    Args:
        abs_time: Show RFC 3339 times, not the time of day.
        colored: Whether to use colours.
    """

    def __init__(self, *, abs_time: bool, colored: bool) -> None:
        self._clock = Clock(absolute=abs_time, following=True)
        self._colored = colored
        self._layout: tables.Layout | None = None

    def print(self, events: Sequence[dict[str, Any]]) -> None:
        """Print events; the first ones decide how wide the columns are."""
        names, column = run_column(events)
        rows = [_row(event, name, self._clock) for event, name in zip(events, names, strict=True)]
        heading = self._layout is None
        if self._layout is None:
            columns = _columns(self._clock, column)
            # Room for what is still to come.
            self._layout = tables.Layout(
                columns, rows, colored=self._colored, widths=(self._clock.width, 24, 4, 6, 22, 5, 16, 8)
            )
        self._layout.print(rows, heading=heading)


def _columns(clock: Clock, run: tables.Column) -> tuple[tables.Column, ...]:
    return (
        tables.Column(clock.title, alone=True),
        run,
        tables.Column("SEQ", right=True),
        tables.Column("ACTION"),
        tables.Column("DETECTOR", least=14, drop=2),
        tables.Column("COUNT", drop=1, right=True),
        tables.Column("TOOL", least=10, drop=3),
        tables.Column("AGENT", least=8, drop=4),
    )


def tool_of(event: dict[str, Any]) -> str:
    """The tool of an event, or both of a ping-pong."""
    tool = safe(event["toolName"] or "")
    paired = event.get("pairedToolName")
    return f"{tool} + {safe(paired)}" if paired and paired != event["toolName"] else tool


def _row(event: dict[str, Any], name: str, clock: Clock) -> tables.Row:
    return (
        clock.cell(event["at"]),
        name,
        str(event["seq"] or ""),
        tables.verdict(event),
        event["detector"],
        f"{event['count']}/{event['threshold']}" if event["threshold"] else "",
        tool_of(event),
        safe(event["agentId"] or ""),
    )
