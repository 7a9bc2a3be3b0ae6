import os
import shutil
import subprocess
from pathlib import Path

import pytest

UNITS = Path(__file__).parents[2] / "systemd"


@pytest.mark.parametrize(("folder", "manager"), [(".", "--system"), ("user", "--user")])
def test_systemd_understands_the_units(short_path: Path, folder: str, manager: str):
    program = shutil.which("systemd-analyze")
    if program is None:
        pytest.skip("systemd-analyze is not installed")
    units = [str(UNITS / folder / name) for name in ("guardd.service", "guardd.socket")]
    environ = {**os.environ, "XDG_RUNTIME_DIR": str(short_path)}
    done = subprocess.run(
        [program, "verify", manager, *units], env=environ, capture_output=True, text=True, check=False
    )
    ours = [line for line in done.stderr.splitlines() if "guardd" in line]
    assert (done.returncode, ours) == (0, [])
