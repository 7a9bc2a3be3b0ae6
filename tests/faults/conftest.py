from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from support.daemon import Configuration, Daemon
from support.databases import make_database
from support.meddling import Meddling, compile_library


@pytest.fixture(scope="session")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return compile_library(tmp_path_factory.mktemp("meddling"))


@pytest.fixture
def meddling(tmp_path: Path, library: Path) -> Meddling:
    """Between the C library and `meddled`."""
    watched = tmp_path / "watched"
    watched.mkdir()
    make_database(watched / "guardd.db")
    return Meddling(library, tmp_path, watched)


@pytest.fixture
def meddled(tmp_path: Path, meddling: Meddling) -> Iterator[Callable[[Configuration], Daemon]]:
    """Starts the daemon that is meddled with."""
    daemons = []

    def start(config: Configuration) -> Daemon:
        daemons.append(Daemon(tmp_path / "watched", config, environment=meddling.environment))
        return daemons[-1].start()

    yield start
    for daemon in daemons:
        daemon.close()
