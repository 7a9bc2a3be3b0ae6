"""The units, by systemd's own judgement. What they do in operation, only a booted system shows."""

import os
import re
import subprocess
from pathlib import Path

import pytest
from support.programs import needed

UNITS = Path(__file__).parents[2] / "systemd"
FOLDERS = {"--system": UNITS, "--user": UNITS / "user"}


@pytest.fixture(scope="module")
def analyze() -> str:
    return needed("systemd-analyze")


@pytest.mark.parametrize("manager", FOLDERS)
def test_systemd_understands_the_units(short_path: Path, analyze: str, manager: str):
    units = [str(FOLDERS[manager] / name) for name in ("guardd.service", "guardd.socket")]
    environ = {**os.environ, "XDG_RUNTIME_DIR": str(short_path)}
    done = subprocess.run(
        [analyze, "verify", manager, *units], env=environ, capture_output=True, text=True, check=False
    )
    ours = [line for line in done.stderr.splitlines() if "guardd" in line]
    assert (done.returncode, ours) == (0, [])


def test_the_systems_service_is_hardly_exposed(analyze: str):
    """Its exposure is 1.0 at most, of 10; the tool counts in tenths."""
    command = [analyze, "security", "--no-pager", "--offline=true", "--threshold=10"]
    done = subprocess.run(
        [*command, str(UNITS / "guardd.service")], capture_output=True, text=True, check=False
    )
    if "unrecognized option" in done.stderr:
        pytest.skip("this systemd judges no files, only units that it has loaded")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Overall exposure level" in done.stdout


@pytest.mark.parametrize("folder", FOLDERS.values(), ids=FOLDERS)
def test_peers_keep_their_user_ids(folder: Path):
    """With PrivateUsers= the kernel would show every peer as nobody; a user's manager adds it to some settings."""
    service = (folder / "guardd.service").read_text()
    assert not re.search("^PrivateUsers=", service, re.MULTILINE)
    if folder.name == "user":
        bring_it = (
            "^(Protect|Private|ReadOnly|ReadWrite|Inaccessible|Bind|TemporaryFileSystem|Root|Mount)\\w*="
        )
        assert not re.search(bring_it, service, re.MULTILINE)


def test_the_socket_of_the_system_stays_roots():
    """Clients trust it for that; a RuntimeDirectory= would give it to the service's user."""
    assert "RuntimeDirectory=" not in re.sub(
        "^#.*$", "", (UNITS / "guardd.service").read_text(), flags=re.MULTILINE
    )
    assert "Requires=guardd.socket" in (UNITS / "guardd.service").read_text().splitlines()
    assert "SocketUser" not in (UNITS / "guardd.socket").read_text()


@pytest.mark.parametrize("folder", FOLDERS.values(), ids=FOLDERS)
def test_service_and_socket_mean_the_same_place(folder: Path):
    runtime = {"systemd": "/run", "user": "%t"}[folder.name]
    assert f"ListenStream={runtime}/guardd/guardd.sock" in (folder / "guardd.socket").read_text().splitlines()
