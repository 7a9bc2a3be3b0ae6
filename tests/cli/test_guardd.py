import stat
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from guardd.cli.guardd import program
from guardd.config import load
from guardd.daemon import main as daemon
from guardd.daemon.lock import DatabaseLock
from guardd.store import migrating


def guardd(*arguments: str) -> Result:
    return CliRunner().invoke(program, arguments)


@pytest.mark.parametrize("command", [(), ("serve",), ("init",), ("migrate",)])
def test_every_command_has_a_help_with_an_example(command: tuple[str, ...]) -> None:
    result = guardd(*command, "--help")
    assert result.exit_code == 0
    assert f"  guardd {' '.join(command)}".rstrip() in result.stdout


def test_init_writes_a_private_file_that_can_be_used(tmp_path: Path) -> None:
    file = tmp_path / "new" / "guardd.json5"
    result = guardd("init", "--config", str(file))
    assert result.exit_code == 0
    assert f"guardd serve --config {file}" in result.stdout
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert load(file).loop_settings(None).enabled is True


def test_init_writes_where_the_daemon_looks_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "xdg"))
    assert guardd("init").exit_code == 0
    assert (tmp_path / "xdg/guardd/guardd.json5").exists()
    monkeypatch.setenv("GUARDD_CONFIG", str(tmp_path / "named.json5"))
    assert guardd("init").exit_code == 0
    assert (tmp_path / "named.json5").exists()


def test_init_does_not_replace_a_file_unasked(tmp_path: Path) -> None:
    file = tmp_path / "guardd.json5"
    file.write_text("mine")
    result = guardd("init", "--config", str(file))
    assert result.exit_code == 1
    assert file.read_text() == "mine"
    assert "--force" in result.stderr
    assert guardd("init", "--config", str(file), "--force").exit_code == 0
    assert load(file).loop_settings(None).enabled is True
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert [path.name for path in tmp_path.iterdir()] == ["guardd.json5"]


def test_init_says_where_it_cannot_write(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    result = guardd("init", "--config", str(tmp_path / "file" / "guardd.json5"))
    assert result.exit_code == 1
    assert result.stderr.startswith("guardd: cannot write ")
    assert "--config" in result.stderr


def test_migrate_without_a_database_is_not_found(tmp_path: Path) -> None:
    result = guardd("migrate", "--db", str(tmp_path / "none.db"))
    assert result.exit_code == 5
    assert "there is no database" in result.stderr


def test_migrate_brings_a_database_up_to_date(tmp_path: Path) -> None:
    path = tmp_path / "guardd.db"
    path.touch()
    result = guardd("migrate", "--check", "--db", str(path))
    assert result.exit_code == 1
    assert "no schema yet" in result.stderr
    assert path.stat().st_size == 0
    result = guardd("migrate", "--db", str(path))
    assert result.exit_code == 0
    assert f"now has schema {migrating.HEAD}" in result.stdout
    for options in ([], ["--check"]):
        result = guardd("migrate", *options, "--db", str(path))
        assert (result.exit_code, result.stderr) == (0, "")
        assert "is up to date" in result.stdout


@pytest.mark.parametrize("options", [[], ["--check"]])
def test_migrate_refuses_what_is_no_database_of_guardds(tmp_path: Path, options: list[str]) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("not a database" * 100)
    result = guardd("migrate", *options, "--db", str(path))
    assert result.exit_code == 1
    assert result.stderr.startswith(f"guardd: {path}: ")
    assert path.read_text().startswith("not a database")


def test_migrate_leaves_a_live_database_alone(tmp_path: Path) -> None:
    path = tmp_path / "guardd.db"
    path.touch()
    with DatabaseLock.acquire(path):
        result = guardd("migrate", "--db", str(path))
    assert result.exit_code == 1
    assert "another guardd" in result.stderr


def test_serve_is_given_its_options(monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[Any] = []
    monkeypatch.setattr(daemon, "serve", given.append)
    assert guardd("serve").exit_code == 0
    words = "serve --socket s --db d --config c --log-level debug --log-format json"
    assert guardd(*words.split()).exit_code == 0
    assert given == [
        daemon.Options(None, None, None, "info", "text"),
        daemon.Options(Path("s"), Path("d"), Path("c"), "debug", "json"),
    ]
    assert guardd("serve", "--log-level", "loud").exit_code == 2


def test_serve_says_in_words_why_it_cannot_start(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_: object) -> None:
        raise daemon.StartError("the socket is in use")

    monkeypatch.setattr(daemon, "serve", fail)
    result = guardd("serve")
    assert (result.exit_code, result.stderr) == (1, "guardd: the socket is in use\n")
