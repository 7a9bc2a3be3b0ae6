"""How the database is."""

from guardd.store.reading.state import overview, problems, run_counts


def test_an_empty_database(past):
    assert overview(past.core) == (0, 0, None, "wal")


def test_what_a_database_holds(past):
    first, second = past.run("r1", at=5), past.run("r2", at=9)
    for run in (first, first, second):
        past.call(run)
    assert overview(past.core) == (2, 3, 9, "wal")


def test_runs_are_counted_by_status(past):
    assert run_counts(past.core) == {"active": 0, "completed": 0, "failed": 0, "aborted": 0}
    past.run("r1", at=5)
    past.run("r2", at=9)
    assert run_counts(past.core) == {"active": 2, "completed": 0, "failed": 0, "aborted": 0}


def test_a_sound_database(past):
    assert problems(past.core) == []
