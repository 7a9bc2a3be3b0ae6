"""Which run an operator means: an exact id, `source/id`, a unique prefix, or `latest`."""

from collections.abc import Iterator

from sqlalchemy import ColumnElement, Connection, and_, false, or_, select

from guardd.protocol.errors import RunAmbiguous, RunNotFound
from guardd.store.names import LONGEST_NAME, stored_name
from guardd.store.rows import Scope
from guardd.store.schema import runs
from guardd.vocabulary import ScopeKind

MOST_CANDIDATES = 10
MOST_SLASHES = 8
"""That are tried as the end of a source's name."""
_LAST_LETTER = "\U0010ffff"


def resolve_run(connection: Connection, run: str) -> int:
    """The row's id of the run that is meant.

    Raises:
        RunNotFound: no run is.
        RunAmbiguous: several are; `candidates` names some of them so that each is exact.
    """
    if not run:
        raise RunNotFound("no run has an empty id")
    for condition in (_is_named(run), _is_named_with_source(run)):
        found = _find(connection, condition)
        if found:
            return _only(connection, run, found)
    if run == "latest":
        newest = connection.execute(
            select(runs.c.id).order_by(runs.c.last_activity_at.desc(), runs.c.id.desc()).limit(1)
        ).scalar()
        if newest is None:
            raise RunNotFound("there are no runs yet")
        return int(newest)
    found = _find(connection, or_(*_starts_with(run)))
    if not found:
        raise RunNotFound(f"no run is called {_shown(run)}, and none begins so")
    return _only(connection, run, found)


def _shown(run: str) -> str:
    return repr(run if len(run) <= LONGEST_NAME else f"{run[:100]}…")


def _find(connection: Connection, condition: ColumnElement[bool]) -> list[tuple[int, Scope]]:
    rows = connection.execute(
        select(runs.c.id, runs.c.source, runs.c.kind, runs.c.name)
        .where(condition)
        .order_by(runs.c.last_activity_at.desc(), runs.c.id.desc())
        .limit(MOST_CANDIDATES)
    )
    return [(row.id, Scope(row.source, row.kind, row.name)) for row in rows]


def _only(connection: Connection, run: str, found: list[tuple[int, Scope]]) -> int:
    if len(found) == 1:
        return found[0][0]
    raise RunAmbiguous(
        f"{_shown(run)} may mean several runs", [_exactly(connection, scope) for _id, scope in found]
    )


def _exactly(connection: Connection, scope: Scope) -> str:
    """What to type for a run and no other: its id, with its source where another source has the same."""
    alike = len(_find(connection, _is_named(scope.run)))
    return scope.run if alike == 1 else f"{scope.source}/{scope.run}"


def _kind_and_name(run: str) -> tuple[ScopeKind, str]:
    """What a run's shown id stands for, see `Scope.run`."""
    prefix, colon, rest = run.partition(":")
    if not colon or prefix not in list(ScopeKind):
        return ScopeKind.RUN, run
    if prefix == ScopeKind.RUN and Scope("", ScopeKind.RUN, rest).run != run:
        return ScopeKind.RUN, run  # an id of that very look, since no other is shown so
    return ScopeKind(prefix), rest


def _is_named(run: str) -> ColumnElement[bool]:
    kind, name = _kind_and_name(run)
    return and_(runs.c.kind == kind.value, runs.c.name == stored_name(name))


def _with_source(run: str) -> Iterator[tuple[str, str]]:
    """Every way to read it as `source/id`; either part may hold slashes of its own, no source is longer."""
    position = run.find("/")
    for _ in range(MOST_SLASHES):
        if not 0 <= position <= LONGEST_NAME:
            return
        yield run[:position], run[position + 1 :]
        position = run.find("/", position + 1)


def _is_named_with_source(run: str) -> ColumnElement[bool]:
    return or_(
        false(), *(and_(runs.c.source == source, _is_named(name)) for source, name in _with_source(run))
    )


def _starts_with(run: str) -> Iterator[ColumnElement[bool]]:
    yield from _is_named_from(run)
    for source, name in _with_source(run):
        yield and_(runs.c.source == source, or_(*_is_named_from(name)))


def _is_named_from(prefix: str) -> Iterator[ColumnElement[bool]]:
    kind, name = _kind_and_name(prefix)
    yield and_(runs.c.kind == kind.value, runs.c.name.between(name, name + _LAST_LETTER))
    for other in (ScopeKind.SESSION, ScopeKind.SOURCE):
        if f"{other}:".startswith(prefix):
            yield runs.c.kind == other.value
