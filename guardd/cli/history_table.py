"""A run's history as a table."""

from collections.abc import Sequence
from typing import Any

from guardd.cli import tables
from guardd.cli.folding import Again, Group, Marker, again_text, in_turn, lines, marker_text
from guardd.cli.paging import History
from guardd.cli.text import plural, safe
from guardd.cli.times import Clock, length
from guardd.vocabulary import DEFAULT_SOURCE, Detector


def show(past: History, *, expand: bool, abs_time: bool, colored: bool) -> None:
    """Print a history, a line about the run first."""
    clock = Clock(absolute=abs_time)
    entries = lines(past.calls, past.markers, expand=expand)
    shown = entries if expand else in_turn(entries)
    tables.headline(about(past.run), colored=colored)
    tables.show(_columns(clock), [_line(entry, clock, expand=expand) for entry in shown], colored=colored)


class Stream:
    """Prints a history as it grows.

    Args:
        past: What is there at the start.
        abs_time: Show RFC 3339 times, not the time of day.
        colored: Whether to use colours.
    """

    def __init__(self, past: History, *, abs_time: bool, colored: bool) -> None:
        self._clock = Clock(absolute=abs_time, following=True)
        tables.headline(about(past.run), colored=colored)
        rows = [self._row(call) for call in past.calls]
        # Room for what is still to come.
        self._layout = tables.Layout(
            _columns(self._clock),
            rows,
            colored=colored,
            widths=(6, self._clock.width, 16, 40, 7, 6, 4, 5, 14, 5),
        )
        self._heading = True

    def print(self, news: Sequence[dict[str, Any]]) -> None:
        """Print calls and markers."""
        shown = [_marker(one, self._clock) if "kind" in one else self._row(one) for one in news]
        self._layout.print(shown, heading=self._heading)
        self._heading = False

    def _row(self, call: dict[str, Any]) -> tables.Row:
        return _row(Group(call, call, 1), self._clock, expand=True)


def _columns(clock: Clock) -> tuple[tables.Column, ...]:
    return (
        tables.Column("SEQ", right=True),
        tables.Column(clock.title, drop=2),
        tables.Column("TOOL", least=10),
        tables.Column("PREVIEW", least=16, drop=3),
        tables.Column("STATE"),
        tables.Column("TOOK", drop=6, right=True),
        tables.Column("REP", drop=1, right=True),
        tables.Column("VERDICT"),
        tables.Column("DETECTOR", least=14, drop=4),
        tables.Column("COUNT", drop=5, right=True),
    )


def about(run: dict[str, Any]) -> list[str]:
    """The run in words: its name, and what matters of it, the most first."""
    parts = [safe(run["run"])]
    if run["verdict"] != "allow" or run.get("wouldBe"):
        parts.append(tables.verdict(run))
    reason = run.get("endReason")
    parts.append(run["status"] + (f" ({safe(reason)})" if reason else ""))
    if run["agentId"]:
        parts.append(f"agent {safe(run['agentId'])}")
    if run["source"] != DEFAULT_SOURCE:
        parts.append(f"source {safe(run['source'])}")
    parts.append(plural(run["calls"], "call"))
    if run["compactions"]:
        parts.append(plural(run["compactions"], "compaction"))
    return parts


def _line(entry: Group | Again | Marker, clock: Clock, *, expand: bool) -> tables.Row | tables.Marker:
    if isinstance(entry, Group):
        return _row(entry, clock, expand=expand)
    if isinstance(entry, Again):
        return tables.Marker(f"{again_text(entry)} · {clock.show(entry.last['at'])}", style="dim")
    return _marker(entry, clock)


def _marker(marker: Marker, clock: Clock) -> tables.Marker:
    return tables.Marker(f"{marker_text(marker)} · {clock.show(marker['at'])}")


def _row(group: Group, clock: Clock, *, expand: bool) -> tables.Row:
    first, last = group.first, group.last
    repeat = last["repeat"] if expand else group.size
    return (
        _range(first["seq"], last["seq"]),
        clock.cell(last["at"]),
        safe(last["toolName"]),
        safe(last["preview"] or ""),
        last["state"],
        "" if last["durationMs"] is None else length(last["durationMs"] / 1000),
        f"×{repeat}" if repeat > 1 else "",  # noqa: RUF001 - the sign is meant
        tables.verdict(last),
        last["detector"] or "",
        "" if last["detector"] == Detector.OPERATOR else _range(first["count"], last["count"]),
    )


def _range(first: int | None, last: int | None) -> str:
    """`7`, or `7-12`; nothing where there is no number."""
    if first is None or last is None:
        return ""
    return str(first) if first == last else f"{first}-{last}"
