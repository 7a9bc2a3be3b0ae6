"""Where temporary folders are made."""

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest


@contextmanager
def temporary_place(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An empty folder for temporary folders, of this process and of those it starts; short enough for sockets."""
    path = Path(tempfile.mkdtemp(prefix="g-"))
    monkeypatch.setenv("TMPDIR", str(path))
    monkeypatch.setattr(tempfile, "tempdir", None)
    yield path
    shutil.rmtree(path)
