"""The tables of a benchmark: its figures, and the one whose printing is measured."""

from collections.abc import Sequence
from typing import Any

from guardd.bench.figures import Figure, Target
from guardd.cli import runs_table, tables
from guardd.cli.times import Clock

_MISSED = "yellow"
_SMALL = 100


def layout(figures: Sequence[Figure]) -> tuple[list[tables.Column], list[tables.Row]]:
    """The columns and the rows."""
    columns = [
        tables.Column("FIGURE", least=24, fold=True),
        tables.Column("FLOOR", right=True),
        tables.Column("GUARDD", right=True),
        tables.Column("RATIO", right=True),
        tables.Column("SPREAD", drop=1, right=True),
        tables.Column("TARGET"),
    ]
    return columns, [_row(figure) for figure in figures]


def runs_layout(runs: Sequence[dict[str, Any]]) -> tuple[list[str], list[list[str]]]:
    """The titles and the cells that `guardctl runs` shows of runs."""
    columns, rows = runs_table.layout(runs, Clock(absolute=False))
    shown = [index for index in range(len(columns)) if any(row[index] for row in rows)]
    return [columns[index].title for index in shown], [[row[index] for index in shown] for row in rows]


def _row(figure: Figure) -> tables.Row:
    return (
        figure.title,
        "" if figure.floor is None else _amount(figure.floor, figure.unit),
        _amount(figure.guardd, figure.unit),
        "" if figure.ratio is None else f"{figure.ratio:.2f}",
        "" if figure.spread is None else "-".join(map(_number, figure.spread)),
        _target(figure),
    )


def _target(figure: Figure) -> str:
    if figure.target is None:
        return ""
    words = (
        f"{_bound(figure.target)}{'' if figure.ratio is not None or not figure.unit else ' ' + figure.unit}"
    )
    return words if figure.is_met else tables.Styled(f"{words}, missed", _MISSED)


def _bound(target: Target) -> str:
    return f"{'>=' if target.at_least else '<='} {target.value:g}"


def _amount(value: float, unit: str) -> str:
    return f"{_number(value)} {unit}".rstrip()


def _number(value: float) -> str:
    return f"{value:,.0f}" if value >= _SMALL else f"{value:.2f}" if value < 10 else f"{value:.1f}"  # noqa: PLR2004
