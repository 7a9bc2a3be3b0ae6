import pytest
from support.databases import open_new

from guardd.store.rows import Scope


@pytest.fixture
def database(tmp_path):
    with open_new(tmp_path / "guardd.db") as database:
        yield database


@pytest.fixture
def store(database):
    """A store in a transaction."""
    database.store.begin()
    return database.store


@pytest.fixture
def run(store):
    """A run without calls."""
    return store.enter_run(Scope("default", "run", "r1"), None, 1)
