"""The units, as this installation has to have them."""

import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from guardd.cli.errors import Failure
from guardd.cli.install import programs, systemd

UNITS = Path(__file__).parents[3] / "systemd"


def test_a_users_units(guardctl: Any, home: Path, mode: Any) -> None:
    folder = home / ".config/systemd/user"
    result = guardctl("install", "systemd", "--user", "--yes")
    assert result.exit_code == 0
    assert "systemctl --user enable --now guardd.socket guardd.service" in result.stdout
    service = (folder / "guardd.service").read_text()
    assert service == (UNITS / "user/guardd.service").read_text().replace(
        "/usr/bin/env guardd", "/opt/guardd/bin/guardd"
    )
    assert "ExecStart=/opt/guardd/bin/guardd serve\n" in service
    assert (folder / "guardd.socket").read_text() == (UNITS / "user/guardd.socket").read_text()
    assert mode(folder / "guardd.service") == 0o644
    assert "Nothing to do" in guardctl("install", "systemd", "--user").stdout
    assert guardctl("install", "systemd", "--user", "--uninstall", "--yes").exit_code == 0
    assert list(folder.iterdir()) == []


def test_the_systems_units(
    guardctl: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, backups: Any
) -> None:
    monkeypatch.setattr(systemd, "SYSTEM", tmp_path)
    unit = tmp_path / "guardd.service"
    unit.write_text("mine")
    result = guardctl("install", "systemd", "--yes")
    assert "  systemctl enable --now" in result.stdout
    assert "StateDirectory=guardd" in unit.read_text()
    assert backups(unit)[0].read_text() == "mine"


def test_a_unit_that_was_changed_is_copied_before_it_goes(guardctl: Any, home: Path, backups: Any) -> None:
    guardctl("install", "systemd", "--user", "--yes")
    unit = home / ".config/systemd/user/guardd.service"
    unit.write_text("changed")
    result = guardctl("install", "systemd", "--user", "--yes", "--uninstall")
    assert "systemctl --user disable --now" in result.stdout
    assert not unit.exists()
    assert backups(unit)[0].read_text() == "changed"


def test_where_a_users_units_are() -> None:
    assert systemd.directory({"XDG_CONFIG_HOME": "/c"}, "/h", user=True) == Path("/c/systemd/user")
    assert systemd.directory({"XDG_CONFIG_HOME": "c"}, "/h", user=True) == Path("/h/.config/systemd/user")


def test_systemd_understands_a_path_that_needs_quotes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "a b $c %d é" / "guardd"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    monkeypatch.setattr(programs, "program", lambda _: program)
    unit = tmp_path / "guardd.service"
    unit.write_text(systemd.unit("guardd.service", user=False))
    analyze = shutil.which("systemd-analyze")
    if analyze is None:
        pytest.skip("systemd-analyze is not installed")
    done = subprocess.run([analyze, "verify", str(unit)], capture_output=True, text=True, check=False)
    assert [line for line in done.stderr.splitlines() if "guardd" in line] == []


def test_a_path_that_systemd_refuses_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(programs, "program", lambda _: Path("/a'b/guardd"))
    with pytest.raises(Failure, match="quotes"):
        systemd.unit("guardd.service", user=False)


def test_units_that_are_missing_are_told(
    guardctl: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(systemd, "_PACKAGE", tmp_path / "guardd")
    assert "Install guardd again" in guardctl("install", "systemd", "--user", "--yes").stderr
