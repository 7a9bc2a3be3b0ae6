"""A report as one HTML page that needs nothing else: no script, no font, no image, and a policy that says so."""

import base64
import hashlib
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from guardd.cli import output
from guardd.cli.folding import MARKERS
from guardd.cli.report import cells, moments, telling
from guardd.cli.report.model import ORDER, Loop, Report, said
from guardd.cli.report.rows import rows
from guardd.cli.text import plural, safe
from guardd.cli.timeline import MARKS, OBSERVED, OTHER, SIGNS, Kind, mark
from guardd.cli.times import length
from guardd.vocabulary import DEFAULT_SOURCE

GENERATOR = "guardd"
"""What the page says it was made by."""

KIND = output.Kind("report", f'<meta name="generator" content="{GENERATOR} '.encode())
"""By what a page is known, to be replaced by another."""

OPEN = 200
"""A list of calls up to so many rows is open."""

MOST_SHOWN = 20
"""Loops beyond these are behind a click."""

_MOST_KINDS = 3
"""Calls that are shown of a loop; more kinds only come together under a tool that does not exist."""

_ENVIRONMENT = Environment(
    loader=PackageLoader("guardd.cli.report", ""),
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
    keep_trailing_newline=True,
)


def _text(value: str) -> Markup:
    """Text between tags, where a quotation mark may stay one: previews have many, and ten thousand calls show."""
    return Markup(str(escape(value)).replace("&#34;", '"'))  # noqa: S704 - it is escaped


_ENVIRONMENT.filters["text"] = _text


def render(report: Report) -> str:
    """The page."""
    run = report.run
    drawn = report.drawn
    style = _style()
    with_day = not moments.same_day(run["startedAt"], max(run["endedAt"] or "", run["lastActivityAt"]))
    strongest = report.strongest
    listed = list(rows(drawn, with_day=with_day))
    return _ENVIRONMENT.get_template("page.html.jinja").render(
        generator=GENERATOR,
        style=Markup(style),  # noqa: S704 - the package's own file
        style_hash=_hash(style),
        report=report,
        run=run,
        source="" if run["source"] == DEFAULT_SOURCE else safe(run["source"]),
        story=telling.story(report),
        took=length(telling.run_seconds(run)),
        verdict=None if strongest is None else _verdict(strongest),
        verdict_now=run["verdict"],
        tally=_tally(report),
        dense=cells.is_dense(drawn),
        lines=cells.timeline_lines(drawn, with_day=with_day),
        meanings=_meanings(report),
        legend=_legend(report),
        once=_once(report),
        calm=all(said(call) == "allow" for call in report.past.calls),
        loops=[_loop(number, loop, report) for number, loop in enumerate(report.loops, start=1)],
        most_shown=MOST_SHOWN,
        rows=listed,
        is_open=len(listed) <= OPEN,
        full=moments.full,
        clock=partial(moments.of_day, with_day=with_day),
        safe=safe,
        plural=plural,
    )


def _style() -> str:
    """The style sheet, as it stands between its tags."""
    loader = _ENVIRONMENT.loader
    assert loader is not None
    return f"\n{loader.get_source(_ENVIRONMENT, 'page.css')[0]}"


def _hash(text: str) -> str:
    """A source for a content security policy that lets just this text through."""
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"


def _tally(report: Report) -> list[tuple[str, str, int]]:
    """How many calls were answered how: the verdict, its name, and the number, where there are any."""
    counts = Counter(call["action"] for call in report.past.calls)
    names = {"allow": "let through", "warn": "warned of", "block": "blocked", "abort": "stopped"}
    shown = [(action, names[action], counts[action]) for action in ORDER if counts[action]]
    observed = sum(bool(call.get("wouldBe")) for call in report.past.calls)
    return shown + ([("seen", "of these, only observed", observed)] if observed else [])


def _verdict(event: Mapping[str, Any]) -> dict[str, str]:
    return {"style": cells.verdict_style(event), "words": cells.verdict_words(event)}


def _meanings(report: Report) -> list[tuple[str, str, str]]:
    """What the signs in the timeline mean, of those that are there: style, sign and words."""
    calls = report.past.calls
    words = {"warn": "warned of", "block": "blocked", "abort": "run ended"}
    given = {mark(call)[0] for call in calls}
    shown = [(action, sign, words[action]) for action, sign in MARKS.items() if sign in given]
    shown += [("seen", sign, f"would {action}") for action, sign in OBSERVED.items() if sign in given]
    kinds = {marker["kind"] for marker in report.drawn.past.markers}
    return shown + [("mark", sign, MARKERS[kind]) for kind, sign in SIGNS.items() if kind in kinds]


def _legend(report: Report) -> list[dict[str, Any]]:
    """What the labels stand for, of what was called more than once, the most frequent first."""
    colors = report.drawn.colors()
    strongest: dict[str, Mapping[str, Any]] = {}
    for call in report.past.calls:
        before = strongest.get(call["signature"])
        if before is None or ORDER.index(said(call)) > ORDER.index(said(before)):
            strongest[call["signature"]] = call
    kinds = [kind for kind in report.drawn.kinds.values() if colors[kind.signature] is not None]
    return [
        _kind(kind, colors) | {"verdict": _verdict(strongest[kind.signature])}
        for kind in sorted(kinds, key=lambda kind: -kind.calls)
    ]


def _kind(kind: Kind, colors: Mapping[str, int | None]) -> dict[str, Any]:
    return {
        "label": kind.label or OTHER,
        "style": cells.color_of(kind.first, colors),
        "tool": safe(kind.first["toolName"]),
        "preview": safe(kind.first["preview"] or ""),
        "calls": kind.calls,
        "span": cells.span(kind.first["seq"], kind.last["seq"]),
    }


def _once(report: Report) -> str:
    """A sentence about the calls that are not in the legend."""
    kinds = report.drawn.kinds.values()
    once = sum(kind.calls == 1 for kind in kinds)
    rest = [kind for kind in kinds if kind.calls > 1 and kind.label is None]
    if once == len(kinds):
        return "Every call was made once."
    words = f"{plural(once, 'call')} {'was' if once == 1 else 'were'} made once, in grey." if once else ""
    if not rest:
        return words
    made = sum(kind.calls for kind in rest)
    left = f"There is no letter left for {plural(len(rest), 'other call')}, made {made:,} times together."
    return f"{words} {left}".strip()


def _loop(number: int, loop: Loop, report: Report) -> dict[str, Any]:
    """An episode as the page shows it."""
    strongest = loop.strongest
    words = telling.title(loop)
    colors = report.drawn.colors()
    return {
        "number": number,
        "title": words[:1].upper() + words[1:] if loop.span else "Stopped by an operator",
        "verdict": _verdict(strongest),
        "span": cells.span(*loop.span) if loop.span else "",
        "what": [_kind(report.drawn.kinds[one], colors) for one in loop.signatures[:_MOST_KINDS]],
        "calls": loop.calls,
        "counted": None if loop.counted is None else ranges(loop.counted),
        "observed": bool(strongest.get("wouldBe")),
        "message": safe(strongest["message"]),
        "reasons": [safe(line) for line in loop.reasons],
        "first": loop.events[0]["at"],
        "last": loop.events[-1]["at"],
        "steps": [_step(step.document()) for step in loop.steps] if loop.span else [],
    }


def _step(step: Mapping[str, Any]) -> dict[str, Any]:
    would = {"wouldBe": step["action"]} if step["observed"] else {}
    counts = cells.span(*sorted((step["firstCount"], step["lastCount"])))
    return dict(step) | {
        "verdict": _verdict(would | {"action": step["action"]}),
        "seqs": cells.span(step["firstSeq"], step["lastSeq"]),
        "counts": counts,
    }


def ranges(numbers: Sequence[int]) -> str:
    """Numbers in short: `1-3, 7`, with a dash."""
    parts: list[list[int]] = []
    for number in sorted(numbers):
        if parts and number == parts[-1][1] + 1:
            parts[-1][1] = number
        else:
            parts.append([number, number])
    return ", ".join(cells.span(first, last) for first, last in parts)
