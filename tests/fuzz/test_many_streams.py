"""The other tests of fuzzing for longer: `-m long` runs it, `$GUARDD_FUZZ_INPUTS` says with how many streams."""

import itertools
import time
from pathlib import Path

import pytest
from support.daemon import Daemon
from support.databases import make_database
from support.fuzzing import check_stream, check_streams, inputs, mutations

pytestmark = [pytest.mark.long, pytest.mark.timeout(24 * 3600)]


@pytest.fixture
def seed() -> int:
    """Another one in each run."""
    return time.time_ns()


def test_from_framer_to_preview(seed: int):
    print("seed", seed)  # noqa: T201 - shown where it fails
    for stream in itertools.islice(mutations(seed), inputs(300_000)):
        check_stream(stream)


def test_on_a_daemon(seed: int, tmp_path: Path):
    print("seed", seed)  # noqa: T201
    make_database(tmp_path / "guardd.db")
    with Daemon(tmp_path) as daemon:
        check_streams(daemon.start(), itertools.islice(mutations(seed), inputs(40_000)))
