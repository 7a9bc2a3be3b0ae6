"""What befalls a daemon from below: a disk that loses power, clocks that jump. See `meddling.c`."""

import mmap
import os
import shutil
import struct
import subprocess
from pathlib import Path

import pytest

_SOURCE = Path(__file__).with_name("meddling.c")
_CLOCKS = struct.Struct("=qq")


def compile_library(directory: Path) -> Path:
    """Make the library; skips the test where there is no compiler."""
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("needs a C compiler")
    library = directory / "meddling.so"
    subprocess.run([compiler, "-O1", "-shared", "-fPIC", "-o", library, _SOURCE], check=True)
    return library


class Meddling:
    """Steps between a daemon and its C library.

    Args:
        library: see `compile_library`.
        directory: where its own files go.
        watched: the directory whose files are copied at each of their syncs.

    Attributes:
        environment: what the daemon is to be started with.
        synced: the directory of the copies.
    """

    def __init__(self, library: Path, directory: Path, watched: Path) -> None:
        self.synced = directory / "synced"
        self.synced.mkdir()
        clocks = directory / "clocks"
        clocks.write_bytes(bytes(_CLOCKS.size))
        with clocks.open("r+b") as file:
            self._clocks = mmap.mmap(file.fileno(), _CLOCKS.size)
        self.environment = {
            "LD_PRELOAD": os.fspath(library),
            "MEDDLING_WATCHED": os.fspath(watched.resolve()),
            "MEDDLING_SYNCED": os.fspath(self.synced),
            "MEDDLING_CLOCKS": os.fspath(clocks),
        }

    def turn_clocks(self, time_of_day: int, since_boot: int = 0) -> None:
        """Have the clocks differ from what they are by so many milliseconds."""
        _CLOCKS.pack_into(self._clocks, 0, time_of_day, since_boot)
