"""The check of the command that the daemon runs on events."""

import os
from pathlib import Path
from typing import Any

import pytest

from guardd.cli.doctor import notifying
from guardd.cli.doctor.facts import Kind, Loaded, Place, Program
from guardd.cli.doctor.finding import State
from guardd.cli.doctor.gathering import gather
from guardd.cli.options import Shared

PATH = "/usr/local/bin/tell-me"
SOUND = Place(PATH, Kind.FILE, 0o755, 0, "root", "root")


def program(place: Place | None = SOUND, *, may_run: bool = True) -> Program:
    return Program(PATH, place, 1000, may_run)


def test_no_command(facts: Any) -> None:
    assert notifying.command(facts()) == (State.OK, "no command is set", None)


def test_no_configuration(facts: Any) -> None:
    found = facts(described=None, loaded=Loaded("/c", error="bad"))
    assert notifying.command(found).state is State.SKIPPED


def test_a_sound_one(facts: Any) -> None:
    assert notifying.command(facts(notified=program())) == (State.OK, f"{PATH}, on block, abort", None)


@pytest.mark.parametrize(
    ("found", "state", "detail", "fix"),
    [
        (program(None), State.WARNING, "is not in this program's PATH", "whole path"),
        (program(Place(PATH, Kind.HIDDEN)), State.SKIPPED, "not for this user to see", None),
        (program(Place(PATH, Kind.MISSING)), State.FAILED, "is not there: nobody is told", "Name another"),
        (program(SOUND._replace(kind=Kind.DIRECTORY)), State.FAILED, "is a directory", "Name another"),
        (program(may_run=False), State.FAILED, "may not run it", f"chmod +x {PATH}"),
        (program(SOUND._replace(writers="anyone")), State.FAILED, "anyone may change", f"chmod go-w {PATH}"),
        (program(SOUND._replace(uid=7, owner="bob")), State.FAILED, "bob may change", f"chown root {PATH}"),
    ],
)
def test_what_is_wrong_with_it(
    facts: Any, found: Program, state: State, detail: str, fix: str | None
) -> None:
    finding = notifying.command(facts(notified=found))
    assert finding.state is state
    assert detail in finding.detail
    assert (finding.fix is None) == (fix is None)
    assert fix is None or fix in finding.fix


def test_the_daemons_own_may_be_anybodys_but_others(facts: Any) -> None:
    assert notifying.command(facts(notified=program(SOUND._replace(uid=1000)))).state is State.OK


# How it is found out


@pytest.fixture
def told_of(daemon: Any) -> Any:
    """A daemon of another user's, if told so, that runs a command."""

    def make(*command: str) -> Program | None:
        value = list(command) or None
        daemon.answers["server.status"] = {"version": "9", "configPath": None, "database": {}}
        daemon.answers["config.get"] = {
            "values": {"guardd.notify.command": {"value": value, "origin": "default"}}
        }
        return gather(Shared()).notified

    return make


def test_the_daemons_word_counts(told_of: Any, tmp_path: Path) -> None:
    assert told_of() is None
    file = tmp_path / "tell"
    file.touch(0o700)
    found = told_of(str(file), "secret")
    assert found == Program(str(file), found.place, os.geteuid(), may_run=True)
    assert (found.place.path, found.place.kind) == (str(file), Kind.FILE)
    assert told_of(str(tmp_path / "none")) == (
        str(tmp_path / "none"),
        Place(str(tmp_path / "none"), Kind.MISSING),
        os.geteuid(),
        False,
    )


def test_a_name_is_looked_up(told_of: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert told_of("tell-me-of-it") == Program("tell-me-of-it", None, os.geteuid(), may_run=False)
    file = tmp_path / "tell-me-of-it"
    file.touch(0o700)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert told_of("tell-me-of-it").place.path == str(file)


@pytest.mark.parametrize(
    ("mode", "owner", "group", "may_run"),
    [
        (0o100, 4242, 0, True),
        (0o077, 4242, 0, False),
        (0o001, 0, 0, True),
        (0o770, 0, 0, False),
        (0o771, 0, 0, True),
    ],
)
def test_whether_another_user_may_run_it(
    told_of: Any, daemon: Any, tmp_path: Path, mode: int, owner: int, group: int, *, may_run: bool
) -> None:
    if os.geteuid() != 0:
        pytest.skip("needs root")
    file = tmp_path / "tell"
    file.touch()
    file.chmod(mode)
    os.chown(file, owner, group)
    os.chown(daemon.path, 4242, 4242)
    found = told_of(str(file))
    assert (found.uid, found.may_run) == (4242, may_run)


def test_root_may_run_what_anybody_may(
    told_of: Any, daemon: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    del daemon
    file = tmp_path / "tell"
    file.touch(0o600)
    monkeypatch.setattr(os, "geteuid", lambda: 4242)
    monkeypatch.setattr("guardd.cli.doctor.gathering._daemons_user", lambda *_: 0)
    assert told_of(str(file)).may_run is False
    file.chmod(0o601)
    assert told_of(str(file)).may_run is True
