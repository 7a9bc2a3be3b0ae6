"""Statements built with SQLAlchemy's expressions and run on the DBAPI connection.

Running them through SQLAlchemy costs a verdict more than the statement itself, so each is compiled once into
text for the driver. What stays of SQLAlchemy is what is worth having: names checked against the declared
schema, and a dialect other than SQLite's to be had by compiling for it.
"""

import re
from collections.abc import Sequence

from sqlalchemy import FromClause, Insert
from sqlalchemy.dialects import sqlite
from sqlalchemy.dialects.sqlite.base import SQLiteCompiler
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.elements import ClauseElement


class _Compiler(SQLiteCompiler):
    """Writes hints on tables, which SQLAlchemy knows of but does not write for SQLite."""

    def get_from_hint_text(self, _table: FromClause, text: str | None) -> str | None:
        """The hint as it was given, such as `INDEXED BY`."""
        return text


_PLACEHOLDER = re.compile(r":(\w+)")

_DIALECT = sqlite.dialect(paramstyle="named")
_DIALECT.statement_compiler = _Compiler


def compiled_insert(statement: Insert, columns: Sequence[str]) -> str:
    """An insert's text, whose values the caller binds by their places, which takes the driver least time.

    Args:
        statement: an insert of one row.
        columns: those that get a value, in the order of the table.

    Raises:
        ValueError: they are in another order.
    """
    result = statement.compile(dialect=sqlite.dialect(), column_keys=columns)
    assert isinstance(result, SQLCompiler)
    if result.positiontup != list(columns):
        raise ValueError(f"the columns must be in the order of the table: {result.positiontup}")
    return str(result)


def compiled(statement: ClauseElement, columns: Sequence[str] | None = None) -> str:
    """The statement's text, its own constants written out, what the caller binds as `:name`.

    Args:
        statement: what to compile.
        columns: of an insert, those that the caller binds by their names.
    """
    result = statement.compile(dialect=_DIALECT, column_keys=columns)
    assert isinstance(result, SQLCompiler)
    constants = {name: bind.value for name, bind in result.binds.items() if not bind.required}
    return _PLACEHOLDER.sub(lambda match: _literal(constants.get(match[1]), match[0]), str(result))


def compiled_by_place(statement: ClauseElement, names: Sequence[str]) -> str:
    """The same, what the caller binds by its place, which takes the driver less time than by name.

    Args:
        statement: what to compile.
        names: what is bound, in the order in which it stands in the text, and as often.

    Raises:
        ValueError: it stands there in another order.
    """
    text = compiled(statement)
    if _PLACEHOLDER.findall(text) != list(names):
        raise ValueError(f"what is bound must be in the order of the text: {_PLACEHOLDER.findall(text)}")
    return _PLACEHOLDER.sub("?", text)


def _literal(value: object, placeholder: str) -> str:
    if value is None:
        return placeholder
    if isinstance(value, str):
        return "'" + value.replace("'", "''") + "'"
    if isinstance(value, int):
        return str(int(value))
    raise TypeError(f"a constant of a statement must be text or a whole number, not {value!r}")
