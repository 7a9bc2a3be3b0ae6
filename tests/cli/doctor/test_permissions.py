"""Checks of who gets at the socket and the database."""

from typing import Any

import pytest

from guardd.cli.doctor import permissions
from guardd.cli.doctor.facts import Kind, Place
from guardd.cli.doctor.finding import State

ANYONE = "anyone"


@pytest.mark.parametrize(
    ("kind", "mode", "state", "words"),
    [
        (Kind.SOCKET, 0o600, State.OK, "/s/g, 0600, me:us"),
        (Kind.SOCKET, 0o660, State.OK, "/s/g, 0660, me:us"),
        (Kind.SOCKET, 0o666, State.WARNING, "anyone may connect"),
        (Kind.FILE, 0o600, State.FAILED, "/s/g is a file, not a socket"),
        (Kind.DIRECTORY, 0o700, State.FAILED, "/s/g is a directory, not a socket"),
        (Kind.OTHER, 0o700, State.FAILED, "not a socket"),
        (Kind.MISSING, 0, State.SKIPPED, "/s/g is not there"),
        (Kind.HIDDEN, 0, State.SKIPPED, "/s/g is not for this user to see"),
    ],
)
def test_socket(facts: Any, kind: Kind, mode: int, state: State, words: str) -> None:
    finding = permissions.socket(facts(socket=Place("/s/g", kind, mode, 1000, "me", "us")))
    assert finding.state is state
    assert words in finding.detail
    assert bool(finding.fix) == (state in (State.WARNING, State.FAILED))


@pytest.mark.parametrize(
    ("kind", "mode", "above", "state", "words"),
    [
        (Kind.FILE, 0o600, 0o755, State.OK, "/d/g, 0600, me:us"),
        (Kind.FILE, 0o640, 0o755, State.WARNING, "the group us can get at it"),
        (Kind.FILE, 0o644, 0o755, State.FAILED, "anyone can get at it"),
        (Kind.FILE, 0o644, 0o700, State.WARNING, "only its directory keeps others from it"),
        (Kind.FILE, 0o644, 0o750, State.FAILED, "anyone can get at it"),
        (Kind.DIRECTORY, 0o700, 0o755, State.FAILED, "/d/g is a directory, not a file"),
        (Kind.MISSING, 0, 0o755, State.SKIPPED, "/d/g is not there"),
        (Kind.HIDDEN, 0, 0o755, State.SKIPPED, "/d/g is not for this user to see"),
    ],
)
def test_database(facts: Any, kind: Kind, mode: int, above: int, state: State, words: str) -> None:
    finding = permissions.database(
        facts(
            database=Place("/d/g", kind, mode, 1000, "me", "us"),
            database_directory=Place("/d", Kind.DIRECTORY, above, 1000, "me", "us"),
        )
    )
    assert finding.state is state
    assert words in finding.detail
    assert bool(finding.fix) == (state in (State.WARNING, State.FAILED))


def test_the_log_of_the_database_holds_as_much(facts: Any) -> None:
    log = Place("/d/guardd.db-wal", Kind.FILE, 0o644, 1000, "me", "us")
    finding = permissions.database(facts(beside_database=[log]))
    assert finding.state is State.FAILED
    assert finding.detail.startswith("/d/guardd.db-wal, 0644, me:us: anyone can get at it")
    assert finding.fix == "chmod 600 /d/guardd.db-wal"
    shut = permissions.database(facts(beside_database=[log._replace(mode=0o600)]))
    assert (shut.state, shut.detail) == (State.OK, "/d/guardd.db, 0600, me:us")


DIRECTORIES = [
    (Place("/p", Kind.DIRECTORY, 0o700, 1000, "me", "us"), State.OK, "/p, 0700, me:us", None),
    (Place("/p", Kind.DIRECTORY, 0o755, 0, "root", "root"), State.OK, "/p, 0755, root:root", None),
    (Place("/p", Kind.DIRECTORY, 0o1777, 0, "root", "root", ANYONE), State.OK, "/p, 1777", None),
    (Place("/p", Kind.DIRECTORY, 0o755, 2000, "guardd", "us"), State.OK, "/p, 0755, guardd:us", None),
    (
        Place("/p", Kind.DIRECTORY, 0o777, 1000, "me", "us", ANYONE),
        State.FAILED,
        "anyone may replace what is in it",
        "chmod go-w /p",
    ),
    (
        Place("/p", Kind.DIRECTORY, 0o775, 1000, "me", "us", "the group us"),
        State.FAILED,
        "the group us may replace what is in it",
        "chmod go-w /p",
    ),
    (
        Place("/p", Kind.DIRECTORY, 0o755, 3000, "mallory", "us"),
        State.FAILED,
        "mallory may replace what is in it",
        "chown guardd /p",
    ),
    (Place("/p", Kind.FILE, 0o600, 1000, "me", "us"), State.FAILED, "/p is a file, not a directory", "Name"),
    (Place("/p", Kind.MISSING), State.SKIPPED, "/p is not there", None),
    (Place("/p", Kind.HIDDEN), State.SKIPPED, "/p is not for this user to see", None),
]


def test_whose_the_directory_of_a_stopped_daemon_is_says_nothing(facts: Any) -> None:
    place = Place("/run/guardd", Kind.DIRECTORY, 0o755, 3000, "guardd", "guardd")
    found = facts(socket=Place("/run/guardd/guardd.sock", Kind.MISSING), socket_directory=place)
    assert permissions.socket_directory(found).state is State.OK


@pytest.mark.parametrize(("place", "state", "words", "fix"), DIRECTORIES)
@pytest.mark.parametrize("of", ["socket", "database"])
def test_directories(facts: Any, of: str, place: Place, state: State, words: str, fix: str | None) -> None:
    content = Place("/p/x", Kind.SOCKET if of == "socket" else Kind.FILE, 0o600, 2000, "guardd", "us")
    finding = getattr(permissions, f"{of}_directory")(facts(**{of: content, f"{of}_directory": place}))
    assert finding.state is state
    assert words in finding.detail
    assert finding.fix is None if fix is None else fix in finding.fix
