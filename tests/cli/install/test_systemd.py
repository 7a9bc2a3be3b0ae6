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


def test_the_systems_units_come_and_go(
    guardctl: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mode: Any
) -> None:
    monkeypatch.setattr(systemd, "SYSTEM", tmp_path / "units")
    folder = tmp_path / "units"
    result = guardctl("install", "systemd", "--dry-run")
    assert "+ExecStart=/opt/guardd/bin/guardd serve\n" in result.stdout
    assert "Next:" not in result.stdout
    assert not folder.exists()
    result = guardctl("install", "systemd", "--yes")
    assert "SocketGroup=NAME" in result.stderr
    assert "guardd.notify" in result.stderr
    assert "systemctl restart" not in result.stdout
    for name in systemd.NAMES:
        text = (UNITS / name).read_text().replace("/usr/bin/env guardd", "/opt/guardd/bin/guardd")
        assert (folder / name).read_text() == text
        assert mode(folder / name) == 0o644
    assert "Nothing to do" in guardctl("install", "systemd", "--yes").stdout
    assert "\n-[Service]\n" in guardctl("install", "systemd", "--uninstall", "--dry-run").stdout
    assert len(list(folder.iterdir())) == 2
    result = guardctl("install", "systemd", "--uninstall", "--yes")
    assert "  systemctl disable --now guardd.service guardd.socket" in result.stdout
    assert "/var/lib/guardd" in result.stderr
    assert list(folder.iterdir()) == []
    assert "Nothing to do" in guardctl("install", "systemd", "--uninstall", "--yes").stdout


def test_a_service_that_runs_by_other_units_is_to_be_restarted(guardctl: Any, home: Path) -> None:
    folder = home / ".config/systemd/user"
    folder.mkdir(parents=True)
    (folder / "guardd.service").write_text("of an older version")
    result = guardctl("install", "systemd", "--user", "--yes")
    assert "  systemctl --user restart guardd.socket guardd.service" in result.stdout


def notes(monkeypatch: pytest.MonkeyPatch, *, program: Path, config: Path, user: bool = False) -> str:
    monkeypatch.setattr(programs, "program", lambda _: program)
    monkeypatch.setattr("guardd.paths.SYSTEM_CONFIG", str(config))
    return "\n".join(systemd.plan(Path("/nowhere"), user=user, uninstall=False).notes)


def test_what_the_services_user_cannot_reach_is_told(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    program, config = tmp_path / "guardd", tmp_path / "guardd.json5"
    monkeypatch.setattr(systemd, "kept_from", lambda path, **_: f"{path} is closed")
    told = notes(monkeypatch, program=program, config=config)
    assert f"may not run guardd here ({program} is closed)" in told
    assert f"({config} is closed): chmod go+rX {tmp_path} {config}" in told
    assert "is closed" not in notes(monkeypatch, program=program, config=config, user=True)
    monkeypatch.setattr(systemd, "kept_from", lambda *_, **__: "")
    assert "may not" not in notes(monkeypatch, program=program, config=config)


def test_the_python_beside_the_program_has_to_be_reached_too(monkeypatch: pytest.MonkeyPatch) -> None:
    beside = Path(systemd.sys.executable).absolute().with_name("guardd")
    monkeypatch.setattr(systemd, "kept_from", lambda path, **_: f"not {path}" if path != beside else "")
    told = notes(monkeypatch, program=beside, config=Path("/nowhere"))
    assert f"may not run guardd here (not {Path(systemd.sys.executable).absolute()})" in told


def test_what_is_to_be_run_has_to_be_runnable(monkeypatch: pytest.MonkeyPatch) -> None:
    python = Path(systemd.sys.executable).absolute()
    asked: dict[Path, bool] = {}
    monkeypatch.setattr(
        systemd, "kept_from", lambda path, *, program=False: asked.__setitem__(path, program) or ""
    )
    notes(monkeypatch, program=python.with_name("guardd"), config=Path("/nowhere"))
    assert [path for path, is_run in asked.items() if is_run] == [python.with_name("guardd"), python]
    assert Path(systemd.sys.base_prefix) in asked


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
    units = [tmp_path / name for name in systemd.NAMES]
    for unit in units:
        unit.write_text(systemd.unit(unit.name, user=False))
    analyze = shutil.which("systemd-analyze")
    if analyze is None:
        pytest.skip("systemd-analyze is not installed")
    done = subprocess.run([analyze, "verify", *map(str, units)], capture_output=True, text=True, check=False)
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
