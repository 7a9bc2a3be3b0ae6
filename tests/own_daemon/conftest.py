from collections.abc import Iterator
from pathlib import Path

import pytest
from support.places import temporary_place


@pytest.fixture
def place(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Where temporary folders are made."""
    with temporary_place(monkeypatch) as path:
        yield path
