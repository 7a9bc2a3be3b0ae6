import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest


@pytest.fixture
def short_path() -> Iterator[Path]:
    """A directory whose name leaves room for a socket's: pytest's own are often longer than 107 bytes."""
    path = Path(tempfile.mkdtemp(prefix="guardd-"))
    yield path
    shutil.rmtree(path)
