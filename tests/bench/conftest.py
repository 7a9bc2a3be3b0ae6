"""Printing figures beside their targets, and how much to measure."""

import os
from collections.abc import Callable, Iterator

import pytest

from guardd.bench.figures import Figure
from guardd.bench.servers import Floor, floor_and_guardd
from guardd.cli.bench_table import layout
from guardd.cli.tables import show
from guardd.own_daemon.daemon import OwnDaemon

SCALE = float(os.environ.get("GUARDD_BENCH_SCALE", "1"))
"""0.01 makes a hundredth of the stored calls; the figures then say less."""


@pytest.fixture(scope="session")
def scaled() -> Callable[[int], int]:
    """A number of calls as large as the environment allows it to be."""
    return lambda count: max(1000, int(count * SCALE))


@pytest.fixture
def tell(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Prints figures, below a line of words."""
    monkeypatch.setenv("COLUMNS", "140")

    def say(words: str, *figures: Figure) -> None:
        with capsys.disabled():
            print(f"\n{words}")
            if figures:
                show(*layout(figures), colored=False)

    return say


@pytest.fixture
def servers() -> Iterator[tuple[Floor, OwnDaemon]]:
    """The floor and a daemon, both just started."""
    with floor_and_guardd() as both:
        yield both
