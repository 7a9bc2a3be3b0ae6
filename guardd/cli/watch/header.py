"""What stands above: how the daemon is, and what it said since the board opened."""

from collections.abc import Sequence
from typing import NamedTuple

from guardd.cli.painting import width_of
from guardd.cli.tables import BETWEEN, Styled
from guardd.cli.text import plural, safe
from guardd.cli.times import length
from guardd.cli.watch import pieces
from guardd.cli.watch.model import Model
from guardd.cli.watch.pieces import Line

_ENFORCED = ("warn", "block", "abort")
_OBSERVED = ("(warn)", "(block)", "(abort)")
_DECIMAL_BELOW = 10
_WIDE = 60
"""Cells from which on there is room to say what is counted."""


class _Fact(NamedTuple):
    """A piece of the header, and when it goes where there is no room: the highest `drop` first, 0 never."""

    text: str
    drop: int


def header(model: Model, now: float, width: int, *, two_lines: bool) -> list[Line]:
    """One line, or one about the daemon and one about its verdicts."""
    daemon = _trouble(model, now) if model.trouble else _daemon(model)
    verdicts = _verdicts(model, now, " events/s" if width >= _WIDE else "/s")
    if two_lines:
        opened = _Fact(f"watched for {_seconds(model.age(now))}", 9)
        return [_line(daemon, width), _line([*verdicts, opened], width)]
    return [_line([*daemon, *verdicts], width)]


def _daemon(model: Model) -> list[_Fact]:
    status = model.status
    observing = status["mode"] != "enforce"
    return [
        _Fact(Styled(f"guardd {safe(status['version'])}", "bold"), 4),
        _Fact(Styled(safe(status["mode"]), "yellow" if observing else "green"), 5),
        _Fact(f"up {_seconds(status['uptimeSeconds'])}", 7),
        _Fact(plural(status["connections"], "connection"), 9),
        _Fact(plural(status["runs"], "run"), 6),
        _Fact(plural(status["calls"], "call"), 8),
    ]


def _trouble(model: Model, now: float) -> list[_Fact]:
    assert model.trouble is not None
    return [
        _Fact(Styled("guardd", "bold"), 6),
        _Fact(Styled(safe(model.trouble.text), "bold red"), 0),
        _Fact(Styled(f"for {_seconds(now - model.trouble.since)}", "red"), 5),
    ]


def _verdicts(model: Model, now: float, unit: str) -> list[_Fact]:
    usual = _ENFORCED if model.status["mode"] == "enforce" else _OBSERVED
    facts = []
    for word in (*_ENFORCED, *_OBSERVED):
        count = model.counts[word]
        if count or word in usual:
            style = pieces.loud(word.upper()) if count else "dim"
            facts.append(_Fact(Styled(f"{count:,} {word.upper()}", style), 1 if "warn" in word else 0))
    rate = model.per_second(now)
    figure = f"{rate:,.0f}" if rate >= _DECIMAL_BELOW or not rate else f"{rate:.1f}"
    return [*facts, _Fact(f"{figure}{unit}", 3)]


def _line(facts: Sequence[_Fact], width: int) -> Line:
    """As many facts as there is room for."""
    kept = list(facts)
    while _width(kept) > width and (last := max(kept, key=lambda fact: fact.drop)).drop:
        kept.remove(last)
    line: list[str] = []
    for fact in kept:
        line += [Styled(BETWEEN, "dim"), fact.text] if line else [fact.text]
    return pieces.cut_line(line, width)


def _width(facts: Sequence[_Fact]) -> int:
    return sum(width_of(fact.text) for fact in facts) + len(BETWEEN) * (len(facts) - 1)


def _seconds(seconds: float) -> str:
    """A length of time that does not flicker below a second."""
    return length(max(1, int(seconds)))
