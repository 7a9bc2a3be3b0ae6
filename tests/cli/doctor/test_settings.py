"""Checks of the configuration."""

from typing import Any

import pytest

from guardd.cli.doctor import settings
from guardd.cli.doctor.facts import Loaded
from guardd.cli.doctor.finding import State
from guardd.config import parse

UNREACHABLE = "warningThreshold is 40 (f: …), above historySize, 30 (default): it can never be reached"
OTHER = (
    "limits.frameMB is 400 (f: …), above limits.bufferMB, 256 (default): the largest frames are never read"
)
FILE = "/c/guardd.json5"


def test_a_sound_file(facts: Any) -> None:
    assert settings.configuration(facts()) == (State.OK, FILE, None)


def test_no_file(facts: Any) -> None:
    assert settings.configuration(facts(loaded=Loaded(None))) == (State.OK, "no file: all defaults", None)


@pytest.mark.parametrize(
    ("running", "meanwhile"),
    [(True, "goes on with what it has read before"), (False, "no daemon starts with it")],
)
def test_a_bad_file_fails(facts: Any, status: Any, *, running: bool, meanwhile: str) -> None:
    loaded = Loaded(FILE, error=f"{FILE}: guardd.mode: expected …; got 'x'")
    finding = settings.configuration(facts(loaded=loaded, status=status() if running else None))
    assert finding.state is State.FAILED
    assert finding.detail.startswith(f"{FILE}: guardd.mode: expected …; got 'x'; ")
    assert meanwhile in finding.detail
    assert finding.fix == f"Mend it until this agrees: guardctl config check {FILE}"


def test_warnings_are_told_apart(facts: Any, described: Any) -> None:
    found = facts(loaded=Loaded(FILE, warnings=(OTHER, UNREACHABLE), described=described()))
    assert settings.configuration(found)[:2] == (State.WARNING, OTHER)
    assert settings.thresholds(found)[:2] == (State.WARNING, UNREACHABLE)
    assert "historySize" in settings.thresholds(found).fix


def test_the_real_warning_is_known_as_one_of_a_threshold(facts: Any, described: Any) -> None:
    warnings = parse("{ tools: { loopDetection: { historySize: 12 } } }").warnings
    found = facts(loaded=Loaded(FILE, warnings=warnings, described=described()))
    assert settings.configuration(found).state is State.OK
    assert settings.thresholds(found).detail == "; ".join(warnings)


def test_thresholds_that_can_be_reached(facts: Any) -> None:
    assert settings.thresholds(facts()) == (State.OK, "all within the newest 30 calls", None)


def test_a_file_that_only_the_daemon_may_read(facts: Any, described: Any) -> None:
    told = described() | {"warnings": [UNREACHABLE]}
    found = facts(loaded=Loaded(FILE, readable=False), described=told)
    assert settings.configuration(found) == (State.OK, f"{FILE}, which this user may not read", None)
    assert settings.thresholds(found).detail == UNREACHABLE


def test_a_file_that_has_changed_is_to_be_reloaded(facts: Any, described: Any) -> None:
    finding = settings.configuration(facts(loaded=Loaded(FILE, described=described(mode="observe"))))
    assert finding == (
        State.WARNING,
        f"{FILE} has changed since the daemon read it",
        "guardctl config reload",
    )


def test_a_setting_that_one_side_does_not_know_is_no_change(facts: Any, described: Any) -> None:
    told = described()
    told["values"]["guardd.later"] = {"value": 1, "origin": "default"}
    assert settings.configuration(facts(described=told)).state is State.OK


def test_restart(facts: Any, status: Any) -> None:
    assert settings.restart(facts()).state is State.OK
    waiting = ["guardd.database has changed, which takes effect at the next start"]
    finding = settings.restart(facts(status=status(waitsForRestart=waiting)))
    assert (finding.state, finding.detail) == (State.WARNING, waiting[0])
    assert finding.fix.startswith("Restart the daemon")


@pytest.mark.parametrize(
    ("enabled", "path", "watched", "state", "detail", "fix"),
    [
        (True, FILE, 0, State.OK, "on", None),
        (None, None, 0, State.WARNING, "unset: only the post-compaction guard watches", "guardd init"),
        (
            None,
            FILE,
            2,
            State.WARNING,
            "unset, but on for 2 agents: only the post-compaction guard watches",
            f"Set tools.loopDetection.enabled: true in {FILE}",
        ),
        (False, FILE, 0, State.WARNING, "off: agents that do not set it are not watched", "Set tools"),
    ],
)
def test_loop_detection(
    facts: Any,
    described: Any,
    *,
    enabled: bool | None,
    path: str | None,
    watched: int,
    state: State,
    detail: str,
    fix: str | None,
) -> None:
    told = described(enabled=enabled)
    finding = settings.detection(
        facts(described=told, loaded=Loaded(path, described=told, agents_watched=watched))
    )
    assert (finding.state, finding.detail) == (state, detail)
    assert finding.fix is None if fix is None else finding.fix.startswith(fix)


def test_observing_is_worth_knowing(facts: Any, status: Any) -> None:
    assert settings.mode(facts()) == (State.OK, "enforce", None)
    finding = settings.mode(facts(status=status(mode="observe")))
    assert finding.state is State.WARNING
    assert 'guardd.mode: "enforce"' in finding.fix


@pytest.mark.parametrize("check", [settings.detection, settings.mode, settings.thresholds])
def test_without_a_daemon_and_a_usable_file_nothing_is_known(facts: Any, check: Any) -> None:
    loaded = Loaded(FILE, error="broken")
    assert check(facts(status=None, described=None, loaded=loaded)).state is State.SKIPPED
