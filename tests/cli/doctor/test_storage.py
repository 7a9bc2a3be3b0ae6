"""Checks of SQLite, the database's files and the disk."""

from typing import Any

import pytest

from guardd.cli.doctor import storage
from guardd.cli.doctor.facts import Disk, Silence
from guardd.cli.doctor.finding import State
from guardd.store.checkpointing import WAL_BYTES_TOO_MANY
from guardd.store.errors import RESTORE
from guardd.store.schema_version import NEWEST

GIGABYTE = 1_000_000_000


@pytest.mark.parametrize(
    ("version", "state"),
    [
        ("3.40.1", State.WARNING),
        ("3.44.5", State.WARNING),
        ("3.44.6", State.OK),
        ("3.45.0", State.WARNING),
        ("3.50.6", State.WARNING),
        ("3.50.7", State.OK),
        ("3.50.10", State.OK),
        ("3.51.2", State.WARNING),
        ("3.51.3", State.OK),
        ("3.52.0", State.OK),
        ("4.0", State.OK),
        ("", State.SKIPPED),
    ],
)
def test_sqlite_version(facts: Any, status: Any, version: str, state: State) -> None:
    finding = storage.sqlite_version(facts(status=status(sqliteVersion=version)))
    assert finding.state is state
    if state is State.WARNING:
        assert "guardd has one writer, and so is not affected" in finding.detail
        assert finding.fix.startswith("Nothing is urgent.")


@pytest.mark.parametrize(("mode", "state"), [("wal", State.OK), ("delete", State.FAILED)])
def test_journal_mode(facts: Any, status: Any, mode: str, state: State) -> None:
    finding = storage.journal_mode(facts(status=status({"journalMode": mode})))
    assert finding.state is state
    assert mode in finding.detail


@pytest.mark.parametrize(
    ("wal_bytes", "state"),
    [(0, State.OK), (WAL_BYTES_TOO_MANY, State.OK), (3 * WAL_BYTES_TOO_MANY, State.WARNING)],
)
def test_write_ahead_log(facts: Any, status: Any, wal_bytes: int, state: State) -> None:
    finding = storage.wal(facts(status=status({"walBytes": wal_bytes})))
    assert finding.state is state
    assert "beside 10 MB of database" in finding.detail


def test_a_log_is_large_when_the_daemon_has_failed_to_empty_it():
    assert storage.LARGE_WAL == 2 * WAL_BYTES_TOO_MANY


@pytest.mark.parametrize(
    ("free", "total", "state"),
    [
        (99_000_000, GIGABYTE, State.FAILED),
        (99_000_000, 100_000_000, State.FAILED),
        (100_000_000, GIGABYTE, State.WARNING),
        (999_000_000, 2 * GIGABYTE, State.WARNING),
        (GIGABYTE, 2 * GIGABYTE, State.OK),
        (4 * GIGABYTE, 100 * GIGABYTE, State.WARNING),
        (5 * GIGABYTE, 100 * GIGABYTE, State.OK),
    ],
)
def test_disk(facts: Any, free: int, total: int, state: State) -> None:
    finding = storage.disk(facts(disk=Disk(free, total)))
    assert finding.state is state
    assert " free of " in finding.detail
    assert bool(finding.fix) == (state is not State.OK)


@pytest.mark.parametrize(
    ("found", "state", "fix"),
    [
        (NEWEST, State.OK, None),
        ("0001", State.WARNING, "Restart the daemon"),
        ("9999", State.WARNING, "Use the guardctl that is installed with the daemon"),
    ],
)
def test_schema(facts: Any, status: Any, found: str, state: State, fix: str | None) -> None:
    finding = storage.schema(facts(status=status({"schema": found})))
    assert finding.state is state
    assert finding.fix is None if fix is None else finding.fix.startswith(fix)
    assert found in finding.detail


@pytest.mark.parametrize(
    ("found", "state", "detail"),
    [
        (NEWEST, State.OK, NEWEST),
        ("0001", State.OK, f"0001: guardd serve brings it to {NEWEST}"),
        ("9999", State.FAILED, "/d/guardd.db: it was written by a newer guardd (schema 9999; "),
    ],
)
def test_the_schema_of_a_file_that_no_daemon_has(facts: Any, found: str, state: State, detail: str) -> None:
    finding = storage.schema(facts(status=None, found_schema=found))
    assert finding.state is state
    assert finding.detail.startswith(detail)
    assert (finding.fix is None) == (state is State.OK)


@pytest.mark.parametrize(
    ("used", "state", "detail"),
    [
        (1_000_000, State.OK, "1 MB of 105 MB used; ended runs are kept 14 d"),
        (
            100_000_000,
            State.WARNING,
            "100 MB of 105 MB used: the oldest ended runs go before their 14 d are over",
        ),
    ],
)
def test_retention(facts: Any, status: Any, used: int, state: State, detail: str) -> None:
    finding = storage.retention(facts(status=status({"bytes": used})))
    assert (finding.state, finding.detail) == (state, detail)


def test_retention_is_not_known_without_the_settings(facts: Any) -> None:
    assert storage.retention(facts(described={"values": {}})).state is State.SKIPPED


def test_damage(facts: Any) -> None:
    assert storage.damage(facts()).state is State.OK
    nobody = Silence("nobody is there", "start it", nobody_listens=True)
    assert storage.damage(facts(status=None, silence=nobody)).state is State.OK
    hangs = Silence("it does not answer", "look into its log")
    assert storage.damage(facts(status=None, silence=hangs)).state is State.SKIPPED
    finding = storage.damage(facts(status=None, damage="page 3 is never used"))
    assert finding == (State.FAILED, "/d/guardd.db: page 3 is never used", RESTORE)
