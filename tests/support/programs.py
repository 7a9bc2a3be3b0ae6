"""Programs that not every machine has."""

import shutil

import pytest


def needed(name: str) -> str:
    """The path of a program of the package systemd; without it, the test is skipped."""
    program = shutil.which(name)
    if program is None:
        pytest.skip(f"{name} (of the package systemd) is not installed")
    return program
