"""The benchmark and the daemon that it measures stand below the programs: those import them, never the reverse."""

import subprocess
import sys

import pytest

IMPORT = """
import sys
from {module} import *
print(*(name for name in sys.modules if name.startswith("guardd.cli.")))
"""


@pytest.mark.parametrize("module", ["guardd.bench.whole", "guardd.own_daemon.daemon"])
def test_nothing_of_the_programs_is_imported(module):
    done = subprocess.run(
        [sys.executable, "-c", IMPORT.format(module=module)], capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == []
