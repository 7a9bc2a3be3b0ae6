"""The commands that are thin: one request, one answer."""

import json
from pathlib import Path
from typing import Any

import pytest

STATUS = {
    "version": "0.1.0",
    "pid": 4711,
    "uptimeSeconds": 93_784.3,
    "database": {
        "path": "/var/lib/guardd/guardd.db",
        "bytes": 12_345_678,
        "walBytes": 4152,
        "schema": "0002",
    },
    "sqliteVersion": "3.40.1",
    "connections": 3,
    "runs": 1,
    "calls": 4000,
    "mode": "observe",
}

STATUS_SCREEN = """\
guardd       0.1.0, pid 4711, up 26 h
mode         observe
database     /var/lib/guardd/guardd.db
             12.3 MB, 4.15 kB of WAL, schema 0002
SQLite       3.40.1
stored       1 run, 4,000 calls
connections  3
"""

CHANGED = {"run": "3f2a\x1b", "source": "default", "status": "active"}
EMPTY: dict[str, Any] = {}


def test_status_says_which_configuration_and_what_waits(daemon: Any, guardctl: Any) -> None:
    waiting = ["guardd.database has changed, which takes effect at the next start"]
    daemon.answers["server.status"] = STATUS | {"configPath": None, "waitsForRestart": waiting}
    lines = guardctl("status").stdout.splitlines()
    assert lines[2] == "config       no file: all defaults"
    assert lines[-1] == f"restart      needed: {waiting[0]}"


def test_status_for_people(daemon: Any, guardctl: Any) -> None:
    daemon.answers["server.status"] = STATUS
    assert guardctl("status").stdout == STATUS_SCREEN


@pytest.mark.parametrize(
    ("arguments", "method", "params", "answer"),
    [
        (["status"], "server.status", EMPTY, STATUS),
        (["metrics"], "server.metrics", EMPTY, "guardd_calls_total 4\n"),
        (["reset", "latest"], "run.reset", {"run": "latest"}, CHANGED),
        (["reset", "3f2a…", "--reason", "why"], "run.reset", {"run": "3f2a", "reason": "why"}, CHANGED),
        (["abort", "x"], "run.abort", {"run": "x", "reason": "no reason given"}, CHANGED),
        (["abort", "x", "--reason", "why"], "run.abort", {"run": "x", "reason": "why"}, CHANGED),
        (["backup", __file__], "db.backup", {"path": __file__}, {"path": __file__, "bytes": 3}),
        (["prune"], "db.prune", EMPTY, {"runs": 1, "calls": 2, "dryRun": False}),
        (["prune", "--dry-run"], "db.prune", {"dryRun": True}, {"runs": 1, "calls": 2, "dryRun": True}),
        (
            ["prune", "--older-than", "2026-03-01T11:00:00Z"],
            "db.prune",
            {"olderThan": "2026-03-01T11:00:00.000Z"},
            {"runs": 1, "calls": 2, "dryRun": False},
        ),
        (["db", "check"], "db.check", EMPTY, {"ok": True, "problems": []}),
        (["config", "reload"], "config.reload", EMPTY, {"path": None, "warnings": []}),
        (
            ["config", "show"],
            "config.get",
            EMPTY,
            {"agentId": None, "path": None, "values": {}, "warnings": []},
        ),
        (
            ["config", "show", "--agent", "a"],
            "config.get",
            {"agentId": "a"},
            {"agentId": "a", "path": None, "values": {}, "warnings": []},
        ),
    ],
)
def test_json_is_the_answer(
    daemon: Any, guardctl: Any, arguments: list[str], method: str, params: dict[str, Any], answer: Any
) -> None:
    daemon.answers[method] = answer
    result = guardctl(*arguments, "--json")
    assert result.exit_code == 0
    assert json.loads(result.stdout) == answer
    assert daemon.requests == [(method, params)]


@pytest.mark.parametrize(
    ("arguments", "method", "answer", "words"),
    [
        (
            ["reset", "latest"],
            "run.reset",
            CHANGED,
            "Run 3f2a\\e is reset: what came before no longer counts.\n",
        ),
        (
            ["abort", "latest"],
            "run.abort",
            CHANGED,
            (
                "Run 3f2a\\e is aborted: every further tool call gets abort.\n"
                "Lift it with: guardctl reset default/3f2a\\e\n"
            ),
        ),
        (
            ["prune"],
            "db.prune",
            {"runs": 1, "calls": 2, "dryRun": False},
            "Deleted 1 run with 2 calls.\n",
        ),
        (
            ["prune"],
            "db.prune",
            {"runs": 1, "calls": 2, "kept": 3, "dryRun": False},
            "Deleted 1 run with 2 calls.\n3 runs are old enough and stay: active or aborted.\n",
        ),
        (
            ["prune", "--dry-run"],
            "db.prune",
            {"runs": 0, "calls": 0, "kept": 1, "dryRun": True},
            "Nothing to delete.\n1 run is old enough and stays: active or aborted.\n",
        ),
        (
            ["prune"],
            "db.prune",
            {"runs": 0, "calls": 0, "kept": 0, "dryRun": False},
            "No run is old enough to be deleted.\n",
        ),
        (["db", "check"], "db.check", {"ok": True, "problems": []}, "The database is sound.\n"),
        (["metrics"], "server.metrics", "# HELP a\na 1\n", "# HELP a\na 1\n"),
    ],
)
def test_words_say_what_was_done(
    daemon: Any, guardctl: Any, arguments: list[str], method: str, answer: Any, words: str
) -> None:
    daemon.answers[method] = answer
    result = guardctl(*arguments)
    assert (result.stdout, result.stderr, result.exit_code) == (words, "", 0)


def test_a_backup_is_asked_for_by_its_absolute_path(
    daemon: Any, guardctl: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "now.db").touch()
    daemon.answers["db.backup"] = lambda params: {"path": params["path"], "bytes": 3}
    result = guardctl("backup", "now.db")
    assert daemon.params("db.backup") == [{"path": str(tmp_path / "now.db")}]
    assert str(tmp_path / "now.db") in result.stdout


def test_a_backup_that_only_the_daemon_sees_is_a_failure(daemon: Any, guardctl: Any, tmp_path: Path) -> None:
    daemon.answers["db.backup"] = lambda params: {"path": params["path"], "bytes": 3}
    result = guardctl("backup", str(tmp_path / "private.db"))
    assert result.exit_code == 1
    assert "where only guardd sees it" in result.stderr
    assert result.stdout == ""


@pytest.mark.parametrize("options", [[], ["--json"]])
def test_a_damaged_database_fails(daemon: Any, guardctl: Any, options: list[str]) -> None:
    daemon.answers["db.check"] = {"ok": False, "problems": ["row 3 missing from index"]}
    result = guardctl("db", "check", *options)
    assert result.exit_code == 1
    assert "row 3 missing from index" in result.stderr
    assert ("row 3" in result.stdout) == bool(options)
