"""Filters of lists: what is not given does not restrict."""

from collections.abc import Callable, Iterable
from typing import Any

from sqlalchemy import ColumnElement

Comparison = Callable[[Any, Any], Any]
"""One of the functions of `operator`."""


def conditions(
    wanted: Iterable[tuple[ColumnElement[Any], Comparison, object]],
) -> list[ColumnElement[bool]]:
    """The conditions of those (column, comparison, value) whose value is given."""
    return [compare(column, value) for column, compare, value in wanted if value is not None]
