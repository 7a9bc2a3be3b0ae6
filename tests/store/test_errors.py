from pathlib import Path

from guardd.store.errors import DatabaseUnusable


def test_it_says_what_is_wrong_and_what_to_do():
    error = DatabaseUnusable(Path("/srv/guardd.db"), "the disk is full", "Make room")
    assert str(error) == "/srv/guardd.db: the disk is full. Make room."
    assert (error.path, error.reason, error.advice) == (
        Path("/srv/guardd.db"),
        "the disk is full",
        "Make room",
    )
