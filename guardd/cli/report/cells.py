"""The timeline of a page: lines of pieces, a piece for each call or fold of repeats, and for each marker."""

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from guardd.cli.folding import Again, Group, in_turn, lines, marker_text
from guardd.cli.report.model import said
from guardd.cli.report.moments import of_day
from guardd.cli.text import safe
from guardd.cli.timeline import OTHER, SIGNS, Timeline, mark

PER_LINE = 50
PER_DENSE_LINE = 100
MANY = 500
"""From so many calls on, cells are small and lines long."""

_SHOWN = 60
_SHOWN_OF_MANY = 36
"""Characters of a preview that are said of a cell; its line in the list of calls has all."""


class Piece(NamedTuple):
    """Cells that stand for calls which repeat each other, or a marker.

    Attributes:
        target: The id of its line in the list of calls.
        style: Its classes.
        sign: What each cell shows.
        size: How many cells.
        words: What it stands for.
    """

    target: str
    style: str
    sign: str
    size: int
    words: str


class Line(NamedTuple):
    """A line of the timeline.

    Attributes:
        number: Of its first call; 0 where it has none.
        pieces: What it shows.
    """

    number: int
    pieces: list[Piece]


def timeline_lines(drawn: Timeline, *, with_day: bool) -> list[Line]:
    """The cells of a run, every line of as many calls."""
    dense = is_dense(drawn)
    room = PER_DENSE_LINE if dense else PER_LINE
    result: list[Line] = []
    free = 0
    for number, piece in _pieces(drawn, _SHOWN_OF_MANY if dense else _SHOWN, with_day=with_day):
        left = piece.size
        if not number:
            if not result:
                result.append(Line(0, []))
            result[-1].pieces.append(piece)
            continue
        while left:
            if not free:
                result.append(Line(number + piece.size - left, []))
                free = room
            here = min(free, left)
            result[-1].pieces.append(piece._replace(size=here))
            left -= here
            free -= here
    return result


def is_dense(drawn: Timeline) -> bool:
    """Whether there are so many calls that cells are small."""
    return len(drawn.past.calls) >= MANY


def style_of(call: Mapping[str, Any], colors: Mapping[str, int | None]) -> str:
    """The classes of a call's cells: of its colour and of what was said to it."""
    kind = color_of(call, colors)
    sign, verdict = mark(call)
    observed = " seen" if call.get("wouldBe") else ""
    return f"{kind} {verdict}{observed}" if sign else kind


def color_of(call: Mapping[str, Any], colors: Mapping[str, int | None]) -> str:
    """The class of a call's colour."""
    color = colors[call["signature"]]
    return "once" if color is None else f"k{color}"


def verdict_words(call: Mapping[str, Any]) -> str:
    """What was said to a call: `allowed`, `block`, `would warn`."""
    return f"would {said(call)}" if call.get("wouldBe") else said(call)


def verdict_style(call: Mapping[str, Any]) -> str:
    """The classes of what was said to a call, or only would have been."""
    return f"{said(call)} would" if call.get("wouldBe") else said(call)


def marker_id(number: int) -> str:
    """The id of a marker's line in the list of calls."""
    return f"m{number}"


def call_id(fold: Group | Again) -> str:
    """The id of the line of calls that are folded into one."""
    return f"c{fold.first['seq']}"


def span(first: int, last: int) -> str:
    """`7`, or `7-12` with a dash."""
    return str(first) if first == last else f"{first}\N{EN DASH}{last}"


def _pieces(drawn: Timeline, shown: int, *, with_day: bool) -> Iterator[tuple[int, Piece]]:
    """Each piece, with the number of its first call; 0 for a marker."""
    colors = drawn.colors()
    entries = lines(drawn.past.calls, drawn.past.markers)
    folds = [entry for entry in in_turn(entries) if not isinstance(entry, dict)]
    starts = [fold.first["seq"] for fold in folds]
    markers = 0
    for entry in entries:
        if isinstance(entry, Group):
            label = drawn.kinds[entry.first["signature"]].label or OTHER
            style = style_of(entry.first, colors)
            target = call_id(folds[bisect_right(starts, entry.first["seq"]) - 1])
            yield (
                entry.first["seq"],
                Piece(target, style, label, entry.size, " · ".join(_words(entry, shown))),
            )
        else:
            markers += 1
            words = f"{marker_text(entry)} · {of_day(entry['at'], with_day=with_day)}"
            yield 0, Piece(marker_id(markers), "mark", SIGNS.get(entry["kind"], "|"), 1, safe(words))


def _words(group: Group, shown: int) -> Sequence[str]:
    call = group.last
    repeats = f" ×{group.size}" if group.size > 1 else ""  # noqa: RUF001 - the sign is meant
    words = [f"{span(group.first['seq'], call['seq'])} {safe(call['toolName'])}{repeats}"]
    if call["preview"]:
        # Quotes would take six characters each in an attribute, and say little.
        preview = safe(call["preview"]).replace('"', "")
        words.append(preview if len(preview) <= shown else f"{preview[: shown - 1]}…")
    words.append(call["state"])
    if said(call) != "allow":
        words.append(f"{verdict_words(call)} by {call['detector']}")
    return words
