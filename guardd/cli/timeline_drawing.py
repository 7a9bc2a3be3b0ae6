"""A timeline on the terminal: lines of cells, and what they stand for below."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from guardd.cli import tables
from guardd.cli.folding import MARKERS
from guardd.cli.history_table import about
from guardd.cli.tables import Styled
from guardd.cli.text import plural, safe
from guardd.cli.timeline import MARKS, OBSERVED, OTHER, SIGNS, Timeline, mark

PALETTE = (
    "black on cyan",
    "black on green",
    "white on blue",
    "white on magenta",
    "black on white",
    "black on bright_cyan",
    "black on bright_green",
    "black on bright_blue",
    "black on bright_magenta",
    "white on bright_black",
    "black on bright_white",
)
"""Of the calls that were made more than once; yellow and red are for what was said to them."""

ONCE = "dim"
_MARK_STYLES = {"warn": "black on yellow", "block": "white on red", "abort": "bold white on red"}
_SAID = {"warn": "warned of", "block": "blocked", "abort": "aborted"}
_CELL = 2
_ROUND = 10


def show(drawn: Timeline, *, colored: bool) -> None:
    """Print a timeline, a line about the run first."""
    tables.headline(about(drawn.past.run), colored=colored)
    cells = drawn.cells()
    styles = _styles(drawn)
    tables.strips(list(_lines(drawn, cells, styles)), colored=colored)
    if signs := _signs(cells):
        tables.strips([[""], *([line] for line in _filled(signs, tables.room()))], colored=colored)
    if drawn.kinds:
        tables.strips([[""]], colored=colored)
        tables.show(_COLUMNS, _legend(drawn, styles), colored=colored)


def _styles(drawn: Timeline) -> dict[str, str]:
    """The style of each signature's cells."""
    return {
        signature: ONCE if color is None else PALETTE[color] for signature, color in drawn.colors().items()
    }


def _lines(
    drawn: Timeline, cells: Sequence[Mapping[str, Any]], styles: Mapping[str, str]
) -> Iterator[list[str]]:
    """The cells, as many to a line as fit, each line with the number of its first call before it."""
    newest = str(drawn.past.calls[-1]["seq"]) if drawn.past.calls else ""
    fit = (tables.room() - len(newest) - tables.GAP) // _CELL
    fit -= fit % _ROUND if fit >= _ROUND else 0
    for start in range(0, len(cells), fit):
        line = cells[start : start + fit]
        number = next((str(cell["seq"]) for cell in line if "kind" not in cell), "")
        pieces: list[str] = [Styled(number.rjust(len(newest)) + " " * tables.GAP, "dim")]
        for cell in line:
            pieces += _cell(drawn, cell, styles)
        yield pieces


def _cell(drawn: Timeline, cell: Mapping[str, Any], styles: Mapping[str, str]) -> tuple[str, ...]:
    if "kind" in cell:
        return (Styled(SIGNS.get(cell["kind"], "|").ljust(_CELL), "bold magenta"),)
    label = drawn.kinds[cell["signature"]].label or OTHER
    style = styles[cell["signature"]]
    sign, said = mark(cell)
    if not sign:
        return (Styled(label.ljust(_CELL), style),)
    return Styled(label, style), Styled(sign, _MARK_STYLES.get(said, ""))


def _signs(cells: Sequence[Mapping[str, Any]]) -> list[str]:
    """What the marks and signs mean, of those that are there."""
    marks = {mark(cell)[0] for cell in cells if "kind" not in cell}
    kinds = {cell["kind"] for cell in cells if "kind" in cell}
    meanings = [f"{sign} {_SAID[said]}" for said, sign in MARKS.items() if sign in marks]
    meanings += [f"{sign} would {said}" for said, sign in OBSERVED.items() if sign in marks]
    return meanings + [f"{sign} {MARKERS[kind]}" for kind, sign in SIGNS.items() if kind in kinds]


def _filled(parts: Sequence[str], room: int) -> list[str]:
    """Lines of as many parts as fit."""
    lines = [parts[0]]
    for part in parts[1:]:
        longer = f"{lines[-1]} · {part}"
        if len(longer) <= room:
            lines[-1] = longer
        else:
            lines.append(part)
    return lines


_COLUMNS = (
    tables.Column(""),
    tables.Column("TOOL", least=10),
    tables.Column("PREVIEW", least=10, drop=2),
    tables.Column("CALLS", right=True),
    tables.Column("FIRST", right=True, drop=3),
    tables.Column("LAST", right=True, drop=4),
    tables.Column("VERDICT", drop=1),
)


def _legend(drawn: Timeline, styles: Mapping[str, str]) -> list[tables.Row]:
    """What each label stands for; those without one of their own together."""
    strongest = _strongest(drawn)
    rows: list[tables.Row] = []
    others = [kind for kind in drawn.kinds.values() if kind.label is None]
    for kind in drawn.kinds.values():
        if kind.label is None:
            continue
        rows.append(
            (
                Styled(f" {kind.label} ", styles[kind.signature]),
                safe(kind.first["toolName"]),
                safe(kind.first["preview"] or ""),
                f"{kind.calls:,}",
                str(kind.first["seq"]),
                str(kind.last["seq"]),
                strongest.get(kind.signature, ""),
            )
        )
    if others:
        made = sum(kind.calls for kind in others)
        rows.append(
            (Styled(f" {OTHER} ", ONCE), plural(len(others), "other call"), "", f"{made:,}", "", "", "")
        )
    return rows


def _strongest(drawn: Timeline) -> dict[str, str]:
    """The strongest that was said to each call, or would have been."""
    order = ["allow", *MARKS]
    strongest: dict[str, tuple[int, str]] = {}
    for call in drawn.past.calls:
        _sign, said = mark(call)
        rank = order.index(said) if said in order else 0
        if rank > strongest.get(call["signature"], (0, ""))[0]:
            strongest[call["signature"]] = (rank, tables.verdict(call))
    return {signature: shown for signature, (_rank, shown) in strongest.items()}
