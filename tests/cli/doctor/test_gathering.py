"""Facts from files, the configuration and a daemon's answers."""

import os
from pathlib import Path
from typing import Any

import pytest
from support.databases import make_database

import guardd
from guardd.cli.doctor.facts import Disk, Kind
from guardd.cli.doctor.gathering import gather
from guardd.cli.options import Shared
from guardd.store.schema_version import NEWEST


@pytest.fixture
def shared() -> Shared:
    return Shared()


def test_this_program(shared: Shared) -> None:
    facts = gather(shared)
    assert (facts.version, facts.schema, facts.uid) == (guardd.__version__, NEWEST, os.geteuid())
    assert facts.asked <= facts.answered


def test_without_a_daemon(shared: Shared, tmp_path: Path) -> None:
    facts = gather(shared)
    assert facts.status is facts.described is None
    assert facts.silence.reason == f"no guardd at {tmp_path}/guardd.sock"
    assert facts.silence.advice.startswith("Start it: guardd serve")
    assert (facts.socket.path, facts.socket.kind) == (f"{tmp_path}/guardd.sock", Kind.MISSING)
    assert (facts.socket_directory.path, facts.socket_directory.kind) == (str(tmp_path), Kind.DIRECTORY)
    assert facts.loaded.described["values"]["guardd.mode"]["value"] == "enforce"
    assert facts.disk.free > 0


def test_the_database_of_the_configuration(
    shared: Shared, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "g.json5").write_text("{ guardd: { database: { path: 'data/own.db' } } }")
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "own.db").touch()
    (tmp_path / "data" / "own.db").chmod(0o640)
    monkeypatch.setenv("GUARDD_CONFIG", str(tmp_path / "g.json5"))
    facts = gather(shared)
    assert facts.loaded.path == str(tmp_path / "g.json5")
    assert facts.database[:4] == (str(tmp_path / "data" / "own.db"), Kind.FILE, 0o640, os.geteuid())
    assert facts.database_directory.path == str(tmp_path / "data")


@pytest.mark.parametrize(
    ("spoil", "found"),
    [
        (lambda content: content, None),
        (lambda content: content[:8192] + b"\xff" * 4096 + content[12288:], "Page 5"),
        (lambda content: b"\xff" * 4096 + content[4096:], "not a database"),
        (lambda _content: b"", None),
    ],
    ids=["sound", "page", "header", "empty"],
)
def test_a_damaged_database_that_no_daemon_has(
    shared: Shared, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, spoil: Any, found: str | None
) -> None:
    path = make_database(tmp_path / "guardd.db")
    path.write_bytes(spoil(path.read_bytes()))
    (tmp_path / "g.json5").write_text(f"{{ guardd: {{ database: {{ path: '{path}' }} }} }}")
    monkeypatch.setenv("GUARDD_CONFIG", str(tmp_path / "g.json5"))
    damage = gather(shared).damage
    assert damage is None if found is None else found in damage


def test_the_schema_and_the_log_of_a_database_that_no_daemon_has(
    shared: Shared, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = make_database(tmp_path / "guardd.db")
    (tmp_path / "g.json5").write_text(f"{{ guardd: {{ database: {{ path: '{path}' }} }} }}")
    monkeypatch.setenv("GUARDD_CONFIG", str(tmp_path / "g.json5"))
    facts = gather(shared)
    assert (facts.found_schema, facts.beside_database) == (NEWEST, [])
    path.with_name("guardd.db-wal").touch()
    assert [place.path for place in gather(shared).beside_database] == [f"{path}-wal"]
    path.write_bytes(b"no database")
    assert gather(shared).found_schema is None


def test_the_database_of_a_daemon_that_hangs_is_not_opened(
    shared: Shared, daemon: Any, refuse: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def hang_up(_params: object) -> None:
        raise ConnectionError

    (tmp_path / "guardd.db").write_bytes(b"no database")
    (tmp_path / "g.json5").write_text(f"{{ guardd: {{ database: {{ path: '{tmp_path / 'guardd.db'}' }} }} }}")
    monkeypatch.setenv("GUARDD_CONFIG", str(tmp_path / "g.json5"))
    answers = [hang_up, {"hello": "world"}, refuse(-32002, "not for you", kind="denied")]
    for answer in answers:
        daemon.answers["server.status"] = answer
        facts = gather(shared)
        assert facts.silence is not None
        assert not facts.silence.nobody_listens
        assert facts.damage is None
    daemon.stop()
    assert "not a database" in (gather(shared).damage or "")


def test_a_bad_configuration(shared: Shared, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "g.json5").write_text("{ guardd: { mode: 'x' } }")
    monkeypatch.setenv("GUARDD_CONFIG", str(tmp_path / "g.json5"))
    loaded = gather(shared).loaded
    assert (loaded.path, loaded.described) == (str(tmp_path / "g.json5"), None)
    assert "guardd.mode" in loaded.error


def test_what_an_agent_has_on(shared: Shared, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "g.json5").write_text(
        "{ agents: { list: [{ id: 'a', tools: { loopDetection: { enabled: true, historySize: 5 } } }] } }"
    )
    monkeypatch.setenv("GUARDD_CONFIG", str(tmp_path / "g.json5"))
    loaded = gather(shared).loaded
    assert loaded.agents_watched == 1
    assert all(line.startswith("agent a: ") for line in loaded.warnings)
    assert loaded.warnings


def test_what_the_daemon_says_comes_first(shared: Shared, daemon: Any, tmp_path: Path) -> None:
    (tmp_path / "its.json5").write_text("{}")
    daemon.answers["server.status"] = {
        "version": "9",
        "configPath": str(tmp_path / "its.json5"),
        "database": {"path": str(tmp_path / "its.db"), "freeBytes": 5, "diskBytes": 7},
    }
    daemon.answers["config.get"] = {"path": None, "values": {}}
    facts = gather(shared)
    assert facts.silence is None
    assert facts.status["version"] == "9"
    assert facts.loaded.path == str(tmp_path / "its.json5")
    assert (facts.database.path, facts.database.kind) == (str(tmp_path / "its.db"), Kind.MISSING)
    assert facts.disk == Disk(5, 7)
    assert (facts.socket.path, facts.socket.kind) == (str(daemon.path), Kind.SOCKET)


def test_a_daemon_without_a_file_has_none_even_if_we_have(
    shared: Shared, daemon: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "ours.json5").write_text("broken")
    monkeypatch.setenv("GUARDD_CONFIG", str(tmp_path / "ours.json5"))
    daemon.answers["server.status"] = {"version": "9", "configPath": None, "database": {}}
    loaded = gather(shared).loaded
    assert (loaded.path, loaded.error) == (None, None)


def test_a_file_that_this_user_may_not_read(
    shared: Shared, daemon: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "its.json5").touch(0o000)
    monkeypatch.setattr(os, "access", lambda *_: False)  # root may read everything
    daemon.answers["server.status"] = {"version": "9", "configPath": str(tmp_path / "its.json5")}
    assert gather(shared).loaded[:3] == (str(tmp_path / "its.json5"), False, None)


def test_a_user_who_may_not_look(shared: Shared, daemon: Any, refuse: Any) -> None:
    daemon.answers["server.status"] = refuse(-32002, "your user may not call server.status", kind="denied")
    silence = gather(shared).silence
    assert silence.reason == "your user may not call server.status"
    assert silence.advice.endswith("; whom guardd.socket.readers names may look, and no more")


def test_something_else_answers(shared: Shared, daemon: Any) -> None:
    daemon.answers["server.status"] = {"hello": "world"}
    assert gather(shared).silence.reason == "what answers is not guardd"


def test_a_daemon_that_hangs_up_is_not_to_be_started(shared: Shared, daemon: Any) -> None:
    def hang_up(_params: object) -> None:
        raise ConnectionError

    daemon.answers["server.status"] = hang_up
    silence = gather(shared).silence
    assert silence.advice.startswith("Look into its log")


@pytest.mark.parametrize("kind", [Kind.FILE, Kind.DIRECTORY])
def test_a_place_that_is_no_socket(shared: Shared, tmp_path: Path, kind: Kind) -> None:
    place = tmp_path / "guardd.sock"
    place.touch() if kind is Kind.FILE else place.mkdir()
    facts = gather(shared)
    assert facts.socket.kind is kind
    assert facts.silence is not None
