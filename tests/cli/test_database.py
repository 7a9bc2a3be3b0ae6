import fcntl
import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from guardd.store import migrating

NAMES = ["3f2a9c71", "3f2bbbbb"]


@pytest.fixture
def backup(tmp_path: Path) -> Path:
    """A database with two runs, the first with three calls."""
    path = tmp_path / "backup.db"
    migrating.migrate(path)
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("insert into fingerprint_keys values (1, x'00', 0)")
        for number, name in enumerate(NAMES):
            connection.execute(
                "insert into runs (id, source, kind, name, agent_id, status, started_at, last_activity_at, reset_seq)"
                " values (?, 'default', 'run', ?, 'main', 'active', 0, ?, 0)",
                (number + 1, name, 1_772_362_800_000 - number),
            )
        for seq in range(1, 4):
            connection.execute(
                "insert into calls (run_id, seq, tool, signature, fingerprint_version, state, at, preview)"
                " values (1, ?, 'exec', x'01', 1, 0, 1772362800000, '{}')",
                (seq,),
            )
    return path


def test_runs_of_a_file(backup: Path, guardctl: Any) -> None:
    for arguments in (["runs", "--json", "--db", str(backup)], ["--db", str(backup), "runs", "--json"]):
        runs = json.loads(guardctl(*arguments).stdout)
        assert [(run["run"], run["calls"]) for run in runs] == [("3f2a9c71", 3), ("3f2bbbbb", 0)]
    assert "3f2a9c71  main   active      3" in guardctl("runs", "--db", str(backup)).stdout
    runs = json.loads(guardctl("runs", "--json", "--limit", "1", "--db", str(backup)).stdout)
    assert [run["run"] for run in runs] == NAMES[:1]


def test_a_history_of_a_file(backup: Path, guardctl: Any) -> None:
    document = json.loads(guardctl("history", "latest", "--json", "--db", str(backup)).stdout)
    assert [call["repeat"] for call in document["calls"]] == [1, 2, 3]
    out = guardctl("history", "3f2a", "--db", str(backup)).stdout
    assert out.startswith("3f2a9c71 · active · agent main · 3 calls\n")
    assert " \u00d73 " in out


def test_a_file_answers_errors_as_the_daemon_does(backup: Path, guardctl: Any) -> None:
    result = guardctl("history", "3f2", "--db", str(backup))
    assert result.exit_code == 5
    assert all(f"\n  {name}\n" in result.stderr for name in NAMES)
    assert guardctl("history", "x", "--db", str(backup)).exit_code == 5


def test_events_of_a_file(backup: Path, guardctl: Any) -> None:
    assert guardctl("events", "--json", "--db", str(backup)).stdout == "[]\n"


def test_reading_a_file_leaves_it_and_its_folder_as_they_are(backup: Path, guardctl: Any) -> None:
    before = (backup.read_bytes(), sorted(backup.parent.iterdir()))
    assert guardctl("runs", "--db", str(backup)).exit_code == 0
    assert (backup.read_bytes(), sorted(backup.parent.iterdir())) == before


def test_a_database_that_a_daemon_has_open_is_refused(backup: Path, guardctl: Any) -> None:
    lock = backup.with_name("backup.db.lock")
    lock.touch()
    assert guardctl("runs", "--db", str(backup)).exit_code == 0
    with lock.open() as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        result = guardctl("runs", "--db", str(backup))
    assert result.exit_code == 1
    assert "a daemon has" in result.stderr
    assert "Leave --db out" in result.stderr


def test_what_is_no_database_is_told(tmp_path: Path, guardctl: Any) -> None:
    path = tmp_path / "x.db"
    path.touch()
    assert "is empty" in guardctl("runs", "--db", str(path)).stderr
    path.write_bytes(b"no database at all" * 99)
    result = guardctl("runs", "--db", str(path))
    assert result.exit_code == 1
    assert result.stderr.startswith(f"guardctl: {path}: ")
    assert result.stderr.endswith("\n  Name a database that a daemon has used, such as a backup\n")
    assert guardctl("runs", "--db", str(tmp_path)).exit_code == 5


@pytest.mark.parametrize(("revision", "words"), [("0000", "guardd migrate --db"), ("9999", "newer guardd")])
def test_another_schema_is_told_with_what_to_do(
    backup: Path, guardctl: Any, revision: str, words: str
) -> None:
    with closing(sqlite3.connect(backup)) as connection, connection:
        connection.execute("update alembic_version set version_num = ?", (revision,))
    result = guardctl("runs", "--db", str(backup))
    assert result.exit_code == 1
    assert words in result.stderr
