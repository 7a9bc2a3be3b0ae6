"""A damaged database is refused and left as it is; what is found only later costs what it touches."""

import hashlib
import json
import os
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
from support.daemon import Daemon, NotStartedError
from support.databases import make_database

from guardd.protocol.errors import StorageUnavailable
from guardd.store.connecting import PAGE_BYTES


def page_of(database: Path, table: str) -> int:
    """The number of the page that a table begins with."""
    with closing(sqlite3.connect(database)) as connection:
        (page,) = connection.execute("select rootpage from sqlite_master where name = ?", (table,)).fetchone()
    return int(page)


def spoil(database: Path, page: int) -> None:
    with database.open("r+b") as file:
        file.seek((page - 1) * PAGE_BYTES)
        file.write(b"\xff" * PAGE_BYTES)


def contents(directory: Path) -> dict[str, str]:
    """What is in the files of a database and beside it, but for its lock and the index of an empty log."""
    return {
        path.name: hashlib.sha256(path.read_bytes()).hexdigest()
        for path in directory.glob("guardd.db*")
        if path.stat().st_size and not path.name.endswith((".lock", "-shm"))
    }


def assert_doctor_tells(daemon: Daemon) -> None:
    daemon.configure({"guardd": {"database": {"path": str(daemon.database)}}})
    program = Path(sys.executable).with_name("guardctl")
    environment = {**os.environ, "GUARDD_CONFIG": str(daemon.config_file)}
    command = [program, "doctor", "--json", "--socket", daemon.socket]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    found = {one["check"]: one for one in json.loads(done.stdout)}
    assert found["damage"]["state"] == "failed"
    assert str(daemon.database) in found["damage"]["detail"]
    assert "Restore a backup" in found["damage"]["fix"]


@pytest.mark.parametrize("table", ["sqlite_schema", "calls", "alembic_version"])
def test_it_does_not_start_on_a_damaged_database(tmp_path: Path, table: str):
    make_database(tmp_path / "guardd.db")
    with Daemon(tmp_path).start() as daemon:
        for number in range(30):
            daemon.ask("tool.before", runId="r", toolName="t", requestId=str(number))
        page = 1 if table == "sqlite_schema" else page_of(daemon.database, table)
        daemon.stop()
        spoil(daemon.database, page)
        before = contents(tmp_path)
        with pytest.raises(NotStartedError) as caught:
            daemon.start()
        assert caught.value.code == 1
        said = daemon.log().splitlines()[-1]
        assert str(daemon.database) in said
        assert "Restore a backup" in said
        assert "Traceback" not in daemon.log()
        assert contents(tmp_path) == before
        assert_doctor_tells(daemon)
        assert contents(tmp_path) == before


def test_damage_that_comes_while_it_runs_costs_what_it_touches(tmp_path: Path):
    make_database(tmp_path / "guardd.db")
    with Daemon(tmp_path).start() as daemon:
        for run in ("a", "b"):
            daemon.ask("tool.before", runId=run, toolName="t")
        daemon.stop()
        daemon.start()
        page = page_of(daemon.database, "notices")
        spoil(daemon.database, page)
        assert daemon.ask("tool.before", runId="a", toolName="t")["seq"] == 2
        with pytest.raises(StorageUnavailable, match="malformed"):
            daemon.ask("run.reset", run="a")
        assert daemon.ask("tool.before", runId="a", toolName="t")["seq"] == 3
        assert not daemon.ask("db.check")["ok"]
        assert daemon.ask("run.get", run="b")["calls"] == 1
