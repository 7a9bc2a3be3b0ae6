import pytest
from support.guarding import LOOP, Guarded


@pytest.fixture
def guard_with(tmp_path):
    """Makes guards, each on a file of its own, that are closed after the test."""
    made = []

    def make(loop=LOOP, **rest):
        made.append(Guarded(tmp_path / f"{len(made)}.db", loop, **rest))
        return made[-1]

    yield make
    for guarded in made:
        guarded.close()


@pytest.fixture
def guard(guard_with):
    """A guard with low thresholds: 3, 6, 9, and 4 for tools that do not exist."""
    return guard_with()


@pytest.fixture
def observing(guard_with):
    """The same in observing mode."""
    return guard_with(mode="observe")
