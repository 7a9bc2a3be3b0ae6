"""How the database is."""

from guardd.store.reading.state import overview, problems


def test_an_empty_database(past):
    assert overview(past.core) == (0, 0, None, "wal")


def test_what_a_database_holds(past):
    first, second = past.run("r1", at=5), past.run("r2", at=9)
    for run in (first, first, second):
        past.call(run)
    assert overview(past.core) == (2, 3, 9, "wal")


def test_a_sound_database(past):
    assert problems(past.core) == []
