"""All checks together."""

from typing import Any

import pytest

from guardd.cli.doctor.checks import CHECKS, examine
from guardd.cli.doctor.facts import Silence
from guardd.cli.doctor.finding import State


def test_all_is_well(facts: Any) -> None:
    findings = examine(facts())
    assert {name: finding for name, finding in findings.items() if finding.state is not State.OK} == {}
    assert list(findings) == list(CHECKS)
    assert next(iter(findings)) == "daemon"


def test_what_only_the_daemon_knows_is_skipped_without_it(facts: Any) -> None:
    findings = examine(
        facts(status=None, described=None, silence=Silence("nobody", "start it", nobody_listens=True))
    )
    assert findings["daemon"] == (State.FAILED, "nobody", "start it")
    assert {name for name, finding in findings.items() if finding.state is State.SKIPPED} == {
        "clock",
        "gateway",
        "restart",
        "schema",
        "SQLite",
        "journal mode",
        "write-ahead log",
        "retention",
    }
    assert {finding.detail for finding in findings.values() if finding.state is State.SKIPPED} == {
        "needs the daemon"
    }


def test_a_daemon_of_before_says_less(facts: Any, status: Any) -> None:
    older = status()
    for key in ("time", "lastActivityAt", "configPath", "waitsForRestart", "socket"):
        del older[key]
    del older["database"]["journalMode"]
    findings = examine(facts(status=older, disk=None))
    untold = {name for name, finding in findings.items() if finding.state is State.SKIPPED}
    assert untold == {"clock", "gateway", "restart", "journal mode", "disk"}
    assert {findings[name].detail for name in untold} == {"the running daemon does not tell"}


@pytest.mark.parametrize("status", [{}, {"version": "1.0", "database": None}])
def test_odd_answers_break_no_check(facts: Any, status: Any) -> None:
    findings = examine(facts(status=status, described={}))
    assert all(finding.detail for finding in findings.values())
