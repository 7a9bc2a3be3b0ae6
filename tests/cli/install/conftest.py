"""A home of its own for each test, and files laid out in it."""

import os
import pty
import stat
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from guardd.cli.install import openclaw, programs

GUARDCTL = "/opt/guardd/bin/guardctl"
GUARDD = "/opt/guardd/bin/guardd"


@pytest.fixture(autouse=True)
def home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    for name in (
        "CLAUDE_CONFIG_DIR",
        "CODEX_HOME",
        "GEMINI_CLI_HOME",
        "COPILOT_HOME",
        "XDG_CONFIG_HOME",
        "GUARDD_SOCKET",
    ):
        monkeypatch.delenv(name, raising=False)
    for name in ("OPENCLAW_HOME", "OPENCLAW_STATE_DIR", "OPENCLAW_CONFIG_PATH"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(programs, "program", lambda name: Path(f"/opt/guardd/bin/{name}"))
    return home


@pytest.fixture
def plugin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A plugin of this installation."""
    folder = tmp_path / "guardd" / "adapters" / "openclaw"
    folder.mkdir(parents=True)
    (folder / "openclaw.plugin.json").write_text("{}")
    monkeypatch.setattr(openclaw, "PLUGIN", folder)
    return folder


Write = Callable[..., Path]


@pytest.fixture
def write(home: Path) -> Write:
    """Writes a file below the home directory, byte for byte."""

    def make(name: str, content: str | bytes, mode: int = 0o640) -> Path:
        path = home / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        path.chmod(mode)
        return path

    return make


def backups_of(path: Path) -> list[Path]:
    return sorted(path.parent.glob(f"{path.name}.guardd-*.bak"))


def mode_of(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@pytest.fixture
def backups() -> Callable[[Path], list[Path]]:
    return backups_of


@pytest.fixture
def mode() -> Callable[[Path], int]:
    return mode_of


@pytest.fixture
def typed() -> Iterator[Callable[[str], int]]:
    """Makes a terminal on which something was typed; its descriptor is for a program's stdin."""
    opened: list[int] = []

    def make(words: str) -> int:
        controller, terminal = pty.openpty()
        opened.extend((controller, terminal))
        os.write(controller, words.encode())
        return terminal

    yield make
    for descriptor in opened:
        os.close(descriptor)
