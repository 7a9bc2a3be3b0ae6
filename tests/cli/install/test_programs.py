"""Where the programs are, for settings that others read."""

import sys
from pathlib import Path

import pytest

from guardd.cli.errors import Failure
from guardd.cli.install import programs


@pytest.fixture
def real(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()


def make(folder: Path, name: str) -> Path:
    folder.mkdir(exist_ok=True)
    program = folder / name
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    return program


@pytest.mark.usefixtures("real")
def test_the_one_beside_this_python_comes_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", str(tmp_path / "venv" / "python"))
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    with pytest.raises(Failure, match="there is no program guardctl"):
        programs.program("guardctl")
    on_path = make(tmp_path / "bin", "guardctl")
    assert programs.program("guardctl") == on_path
    beside = make(tmp_path / "venv", "guardctl")
    assert programs.program("guardctl") == beside


def test_a_command_is_quoted_for_a_shell(monkeypatch: pytest.MonkeyPatch) -> None:
    assert programs.hook_command("codex", None) == "/opt/guardd/bin/guardctl hook codex"
    monkeypatch.setattr(programs, "program", lambda _: Path("/a b/guardctl"))
    assert programs.hook_command("codex", "/c d") == "'/a b/guardctl' hook codex --socket '/c d'"
