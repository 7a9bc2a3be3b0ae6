import pytest
from support.databases import open_new
from support.windows import figures, question, settings

from guardd.detect import rules


@pytest.fixture
def store(tmp_path):
    """A store in a transaction."""
    with open_new(tmp_path / "guardd.db") as database:
        database.store.begin()
        yield database.store


@pytest.fixture
def count(store):
    """Counts over a window in the notation of `support.windows`."""
    return lambda tokens, name, history=30: figures(store, tokens, name, history)


@pytest.fixture
def found(count):
    """What is found of a call after the calls of a window, by all rules or by one."""

    def found(tokens, name, rule=rules, *, is_poll=False, **loop):
        chosen = settings(**loop)
        return rule.judge(question(name, is_poll=is_poll), count(tokens, name, chosen.history_size), chosen)

    return found
