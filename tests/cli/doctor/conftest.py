"""Facts of a healthy installation, to be changed by each test in the one way that it is about."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest

from guardd.cli.doctor.facts import Disk, Facts, Kind, Loaded, Place
from guardd.store.schema_version import NEWEST

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)

VALUES = {
    "tools.loopDetection.enabled": True,
    "tools.loopDetection.historySize": 30,
    "guardd.mode": "enforce",
    "guardd.notify.on": ["block", "abort"],
    "guardd.retention.days": 14,
    "guardd.retention.maxDatabaseMB": 100,
}


def described_with(**changed: object) -> dict[str, Any]:
    """An answer of `config.get`; keys are the last part of a setting's."""
    values = {key: changed.get(key.rpartition(".")[2], value) for key, value in VALUES.items()}
    return {"values": {key: {"value": value, "origin": "default"} for key, value in values.items()}}


def status_with(database: dict[str, Any] | None = None, **changed: object) -> dict[str, Any]:
    """An answer of `server.status`."""
    return {
        "version": "1.0",
        "pid": 4711,
        "database": {
            "path": "/d/guardd.db",
            "bytes": 10_000_000,
            "walBytes": 4000,
            "schema": NEWEST,
            "journalMode": "wal",
        }
        | (database or {}),
        "sqliteVersion": "3.51.3",
        "runs": 4,
        "calls": 40,
        "mode": "enforce",
        "time": "2026-03-01T12:00:00.000Z",
        "lastActivityAt": "2026-03-01T11:59:00.000Z",
        "configPath": "/c/guardd.json5",
        "waitsForRestart": [],
        "socket": "/s/guardd.sock",
    } | changed


def facts_with(**changed: object) -> Facts:
    """Facts of a healthy installation, but for what a test is about."""
    healthy: dict[str, Any] = {
        "version": "1.0",
        "schema": NEWEST,
        "uid": 1000,
        "status": status_with(),
        "silence": None,
        "described": described_with(),
        "asked": NOON,
        "answered": NOON,
        "loaded": Loaded("/c/guardd.json5", described=described_with()),
        "socket": Place("/s/guardd.sock", Kind.SOCKET, 0o600, 1000, "me", "us"),
        "socket_directory": Place("/s", Kind.DIRECTORY, 0o700, 1000, "me", "us"),
        "database": Place("/d/guardd.db", Kind.FILE, 0o600, 1000, "me", "us"),
        "database_directory": Place("/d", Kind.DIRECTORY, 0o755, 1000, "me", "us"),
        "beside_database": [],
        "damage": None,
        "found_schema": None,
        "notified": None,
        "disk": Disk(100_000_000_000, 200_000_000_000),
    }
    return Facts(**healthy | changed)


@pytest.fixture
def facts() -> Callable[..., Facts]:
    return facts_with


@pytest.fixture
def status() -> Callable[..., dict[str, Any]]:
    return status_with


@pytest.fixture
def described() -> Callable[..., dict[str, Any]]:
    return described_with
