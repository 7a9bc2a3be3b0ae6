"""The list of calls of a page: repeats in one row, which holds what tells them apart."""

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from guardd.cli.folding import Again, Group, again_text, in_turn, lines, marker_text
from guardd.cli.report.cells import call_id, color_of, marker_id, span, verdict_style, verdict_words
from guardd.cli.report.model import said
from guardd.cli.report.moments import of_day
from guardd.cli.text import safe
from guardd.cli.timeline import Timeline
from guardd.cli.times import length


class Single(NamedTuple):
    """What a call in a row of repeats has of its own: texts, empty where there is nothing to say."""

    seq: int
    at: str
    took: str
    counted: str


class Row(NamedTuple):
    """A call, or several that repeat each other.

    Attributes:
        id: Of the row, for links.
        seqs: The numbers.
        label: The letter of the call; empty where it has none of its own.
        style: The class of its colour.
        at: When, the first of them.
        tool: Its tool.
        preview: Its arguments in short.
        state: What came of it.
        took: How long, the last of them.
        verdict: The classes of what was said to it; empty where it was let through.
        words: The verdict in words; empty where the call was let through.
        detector: Who found it.
        counted: What was counted.
        singles: Each of them, where they are several.
    """

    id: str
    seqs: str
    label: str
    style: str
    at: str
    tool: str
    preview: str
    state: str
    took: str
    verdict: str
    words: str
    detector: str
    counted: str
    singles: Sequence[Single]


class Rounds(NamedTuple):
    """Rounds of calls that come in turn, the first of which stands above.

    Attributes:
        id: Of the row, for links.
        words: How many.
        singles: Each of the calls.
    """

    id: str
    words: str
    singles: Sequence[Single]


class Between(NamedTuple):
    """What happened between two calls."""

    id: str
    words: str
    at: str


def rows(drawn: Timeline, *, with_day: bool) -> Iterator[Row | Rounds | Between]:
    """The rows in order."""
    colors = drawn.colors()
    calls = drawn.past.calls
    place = markers = 0
    for entry in in_turn(lines(calls, drawn.past.markers)):
        if isinstance(entry, dict):
            markers += 1
            at = of_day(entry["at"], with_day=with_day)
            yield Between(marker_id(markers), safe(marker_text(entry)), at)
            continue
        end = bisect_right(calls, entry.last["seq"], key=lambda call: call["seq"])
        singles = [_single(call, with_day=with_day) for call in calls[place:end]]
        place = end
        if isinstance(entry, Again):
            yield Rounds(call_id(entry), again_text(entry).capitalize(), singles)
        else:
            label = drawn.kinds[entry.first["signature"]].label or ""
            yield _row(entry, singles, label, color_of(entry.first, colors))


def _row(group: Group, singles: Sequence[Single], label: str, style: str) -> Row:
    last = group.last
    counts = [single.counted for single in singles if single.counted]
    return Row(
        id=call_id(group),
        seqs=span(group.first["seq"], last["seq"]),
        label=label,
        style=style,
        at=singles[0].at,
        tool=safe(last["toolName"]),
        preview=safe(last["preview"] or ""),
        state=last["state"],
        took=singles[-1].took,
        verdict=verdict_style(last),
        words=verdict_words(last) if said(last) != "allow" else "",
        detector=last["detector"] or "",
        counted="\N{EN DASH}".join(dict.fromkeys((counts[0], counts[-1]))) if counts else "",
        singles=singles if group.size > 1 else (),
    )


def _single(call: Mapping[str, Any], *, with_day: bool) -> Single:
    return Single(call["seq"], of_day(call["at"], with_day=with_day), _took(call), _count(call))


def _took(call: Mapping[str, Any]) -> str:
    return "" if call["durationMs"] is None else length(call["durationMs"] / 1000)


def _count(call: Mapping[str, Any]) -> str:
    return "" if call["count"] is None else str(call["count"])
