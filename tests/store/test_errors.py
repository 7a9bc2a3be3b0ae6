from pathlib import Path

from guardd.store.errors import RESTORE, DatabaseUnusable, damaged


def test_it_says_what_is_wrong_and_what_to_do():
    error = DatabaseUnusable(Path("/srv/guardd.db"), "the disk is full", "Make room")
    assert str(error) == "/srv/guardd.db: the disk is full. Make room."
    assert (error.path, error.reason, error.advice) == (
        Path("/srv/guardd.db"),
        "the disk is full",
        "Make room",
    )


def test_damage_is_told_with_what_to_do():
    error = damaged(Path("/srv/guardd.db"), "page 3 is never used")
    assert str(error).startswith(
        "/srv/guardd.db: it is damaged (page 3 is never used), and was left as it is. "
    )
    assert error.advice == RESTORE
