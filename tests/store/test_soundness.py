"""Damage is found, and nothing is written."""

import sqlite3
from pathlib import Path

import pytest
from support.databases import new_call, open_new
from support.guarding import run_scope

from guardd.store.soundness import damage

PAGE = 4096


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A database with some hundred calls."""
    path = tmp_path / "guardd.db"
    with open_new(path) as database:
        database.store.begin()
        run = database.store.enter_run(run_scope("r"), None, 0)
        for seq in range(1, 501):
            database.store.insert_call(new_call(run, seq, call_id="c" * 100))
        database.store.commit()
    return path


def test_a_sound_database(path: Path):
    before = path.read_bytes()
    assert damage(path) is None
    assert path.read_bytes() == before


@pytest.mark.parametrize("junk", [b"\xff", b"\x0d\x00\x00\xff"])
def test_each_page_of_a_table_or_an_index_matters(path: Path, junk: bytes):
    sound = path.read_bytes()
    unnoticed = []
    for start in range(PAGE, len(sound), PAGE):
        path.write_bytes(sound[:start] + junk * (PAGE // len(junk)) + sound[start + PAGE :])
        try:
            found = damage(path)
        except sqlite3.DatabaseError as error:
            found = str(error)
        if found is None:
            unnoticed.append(start // PAGE + 1)
        else:
            assert "\n" not in found
    assert not unnoticed


def test_a_file_that_is_cut_off(path: Path):
    path.write_bytes(path.read_bytes()[: 10 * PAGE])
    assert damage(path)


def test_what_is_no_database(tmp_path: Path):
    path = tmp_path / "junk.db"
    path.write_bytes(b"\xff" * PAGE)
    with pytest.raises(sqlite3.DatabaseError, match="not a database"):
        damage(path)


def test_it_looks_no_longer_than_it_may(path: Path):
    sound = path.read_bytes()
    path.write_bytes(sound[: 20 * PAGE] + b"\xff" * (len(sound) - 20 * PAGE))
    assert damage(path, 30)
    path.write_bytes(sound)
    assert damage(path, 0) is None
