import sqlite3
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from guardd.store.checkpointing import WAL_BYTES_TOO_MANY, checkpoint
from guardd.store.connecting import BUSY_TIMEOUT_MS


def wal_of(database):
    return Path(f"{database.path}-wal")


def write(database, key="k"):
    database.connection.execute("insert into requests values ('s', 'm', ?, x'', x'', 1)", (key,))


@contextmanager
def reading(database):
    """Somebody reads what is there when it begins, until it ends."""
    with closing(sqlite3.connect(database.path, isolation_level=None)) as reader:
        reader.execute("begin")
        reader.execute("select count(*) from requests").fetchone()
        yield
        reader.execute("commit")


def content_without_log(path, tmp_path):
    """What a copy of the database file alone holds."""
    copy = tmp_path / "copy.db"
    copy.write_bytes(path.read_bytes())
    with closing(sqlite3.connect(copy)) as connection:
        return connection.execute("select request_id from requests").fetchall()


def test_it_moves_what_is_committed(database, tmp_path):
    write(database)
    assert content_without_log(database.path, tmp_path) == []
    assert checkpoint(database.connection, wal_of(database).stat().st_size)
    assert content_without_log(database.path, tmp_path) == [("k",)]


def test_without_anything_to_do_it_is_done(database):
    assert checkpoint(database.connection, 0)
    assert checkpoint(database.connection, 0)


def test_a_reader_is_not_waited_for(database):
    write(database, "first")
    with reading(database):
        write(database, "second")
        assert not checkpoint(database.connection, 0)
    assert checkpoint(database.connection, 0)


@pytest.mark.parametrize(("size", "is_cut"), [(WAL_BYTES_TOO_MANY, False), (WAL_BYTES_TOO_MANY + 1, True)])
def test_a_log_that_grew_too_large_is_cut_off(database, size, is_cut):
    write(database)
    assert checkpoint(database.connection, size)
    assert (wal_of(database).stat().st_size == 0) is is_cut


def test_cutting_it_off_waits_a_moment_for_readers(database):
    write(database, "first")
    with reading(database):
        write(database, "second")
        assert not checkpoint(database.connection, WAL_BYTES_TOO_MANY + 1)
        assert wal_of(database).stat().st_size > 0
    assert checkpoint(database.connection, WAL_BYTES_TOO_MANY + 1)
    assert wal_of(database).stat().st_size == 0
    assert database.connection.execute("pragma busy_timeout").fetchone() == (BUSY_TIMEOUT_MS,)


def test_nothing_is_left_to_a_commit(database, tmp_path):
    for number in range(30):
        database.connection.execute(
            "insert into requests values ('s', 'm', ?, x'', zeroblob(200000), 1)", (str(number),)
        )
    assert wal_of(database).stat().st_size > 1000 * 4096
    assert content_without_log(database.path, tmp_path) == []
