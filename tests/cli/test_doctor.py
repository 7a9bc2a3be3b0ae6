"""`guardctl doctor`: with a real daemon, and without one."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from support.daemon import Daemon

ENABLED = {"tools": {"loopDetection": {"enabled": True}}}

KEYS = ["check", "state", "detail", "fix"]


@pytest.fixture
def real(tmp_path: Path) -> Iterator[Daemon]:
    directory = tmp_path / "daemon"
    directory.mkdir(mode=0o700)
    with Daemon(directory, ENABLED) as daemon:
        yield daemon.start()


def findings(result: Any) -> dict[str, dict[str, str]]:
    return {finding["check"]: finding for finding in json.loads(result.stdout)}


def test_a_healthy_daemon(real: Daemon, guardctl: Any) -> None:
    real.ask("tool.before", runId="r", toolName="t")
    result = guardctl("doctor", "--json", "--socket", str(real.socket))
    assert result.exit_code == 0
    found = findings(result)
    # The disk and SQLite's version are the machine's.
    assert {
        name: one["state"] for name, one in found.items() if name not in ("disk", "SQLite")
    } == dict.fromkeys(
        [
            "daemon",
            "clock",
            "gateway",
            "configuration",
            "restart",
            "loop detection",
            "mode",
            "thresholds",
            "notifications",
            "socket",
            "socket directory",
            "database",
            "database directory",
            "damage",
            "schema",
            "journal mode",
            "write-ahead log",
            "retention",
        ],
        "ok",
    )
    assert all(list(one) == KEYS for one in found.values())
    assert str(real.socket) in found["daemon"]["detail"]
    assert found["configuration"]["detail"] == str(real.config_file)
    assert found["gateway"]["detail"].endswith(" ago, 1 run recorded")


def test_a_daemon_gone_wrong(real: Daemon, guardctl: Any) -> None:
    real.configure("{ guardd: { mode: 'obsrve' } }")
    real.database.chmod(0o644)
    real.database.parent.chmod(0o777)
    real.socket.chmod(0o666)
    result = guardctl("doctor", "--json", "--socket", str(real.socket))
    assert result.exit_code == 1
    found = findings(result)
    for name, state, fix in (
        ("configuration", "failed", f"guardctl config check {real.config_file}"),
        ("database", "failed", f"chmod 600 {real.database}"),
        ("database directory", "failed", f"chmod go-w {real.database.parent}"),
        ("socket", "warning", "SocketMode"),
        ("gateway", "warning", "guardctl install"),
    ):
        assert found[name]["state"] == state, name
        assert fix in found[name]["fix"]


def test_settings_that_wait(real: Daemon, guardctl: Any) -> None:
    real.configure(ENABLED | {"guardd": {"mode": "observe", "database": {"durability": "full"}}})
    before = findings(guardctl("doctor", "--json", "--socket", str(real.socket)))
    assert before["configuration"]["fix"] == "guardctl config reload"
    assert (before["mode"]["state"], before["restart"]["state"]) == ("ok", "ok")
    real.ask("config.reload")
    after = findings(guardctl("doctor", "--json", "--socket", str(real.socket)))
    assert after["configuration"]["state"] == "ok"
    assert (after["mode"]["state"], after["restart"]["state"]) == ("warning", "warning")


def test_without_a_daemon_the_first_check_says_how_to_start_it(guardctl: Any) -> None:
    result = guardctl("doctor")
    assert (result.exit_code, result.stderr) == (1, "")
    lines = result.stdout.splitlines()
    assert lines[1].startswith("FAILED   daemon ")
    assert "→ Start it: guardd serve" in result.stdout
    assert "skipped  journal mode        needs the daemon" in lines
    assert lines[-1].startswith("20 checks: ")


def test_warnings_alone_do_not_fail(real: Daemon, guardctl: Any) -> None:
    result = guardctl("doctor", "--socket", str(real.socket))
    assert (result.exit_code, result.stderr) == (0, "")
    assert "WARNING  gateway " in result.stdout


def test_a_database_file_is_not_for_this(guardctl: Any) -> None:
    assert guardctl("--db", "x.db", "doctor").exit_code == 2


def test_neither_the_store_nor_a_table_is_imported_for_json() -> None:
    code = (
        "import sys\nfrom guardd.cli.guardctl import program\n"
        "try:\n    program.main()\nfinally:\n    sys.stderr.write(' '.join(sys.modules))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, "doctor", "--json"], check=False, capture_output=True, text=True
    )
    assert done.returncode == 1
    assert json.loads(done.stdout)[0]["check"] == "daemon"
    heavy = {"sqlalchemy", "alembic", "sqlite3", "msgspec", "rich", "asyncio"}
    assert set(done.stderr.split()) & heavy == set()
