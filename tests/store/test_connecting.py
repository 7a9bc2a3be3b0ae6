import sqlite3
from contextlib import closing

import pytest
import sqlalchemy
from sqlalchemy import select, text
from support.databases import make_database

from guardd.store.connecting import (
    BUSY_TIMEOUT_MS,
    WAL_BYTES_KEPT,
    connect_writer,
    core_connection,
    migrating_engine,
    reading_engine,
)
from guardd.store.schema import requests

NAMES = ["with space", "100%", "what?", "a#b", "naïve-日本", "file:x?mode=memory"]


@pytest.fixture
def path(tmp_path):
    return make_database(tmp_path / "guardd.db")


@pytest.fixture
def writer(path):
    with closing(connect_writer(path, "normal")) as connection:
        yield connection


def pragma(connection, name):
    return connection.execute(f"pragma {name}").fetchone()[0]


def write(connection, key="k"):
    connection.execute("insert into requests values ('s', 'm', ?, x'', x'', 1)", (key,))


# The writer


@pytest.mark.parametrize(("durability", "synchronous"), [("normal", 1), ("full", 2)])
def test_the_writers_pragmas(path, durability, synchronous):
    with closing(connect_writer(path, durability)) as connection:
        assert pragma(connection, "busy_timeout") == BUSY_TIMEOUT_MS
        assert pragma(connection, "journal_mode") == "wal"
        assert pragma(connection, "wal_autocheckpoint") == 0
        assert pragma(connection, "synchronous") == synchronous
        assert pragma(connection, "foreign_keys") == 1
        assert pragma(connection, "mmap_size") == 0
        assert pragma(connection, "journal_size_limit") == WAL_BYTES_KEPT
        assert not connection.in_transaction


def test_the_writer_refuses_what_is_no_database(tmp_path):
    path = tmp_path / "notes.txt"
    path.write_text("these are my notes\n" * 100)
    with pytest.raises(sqlite3.DatabaseError, match="not a database"):
        connect_writer(path, "normal")


def test_the_writer_begins_no_transaction_of_its_own(writer):
    write(writer)
    assert not writer.in_transaction


# SQLAlchemy's view of it


def test_the_core_reads_inside_the_writers_transaction(writer):
    core = core_connection(writer)
    writer.execute("begin immediate")
    write(writer)
    assert core.execute(select(requests.c.request_id)).scalar() == "k"
    assert writer.in_transaction
    writer.execute("rollback")
    assert core.execute(select(requests.c.request_id)).scalar() is None


def test_an_error_in_the_core_does_not_end_the_writers_transaction(writer):
    core = core_connection(writer)
    writer.execute("begin immediate")
    write(writer)
    with pytest.raises(sqlalchemy.exc.OperationalError):
        core.execute(text("select * from nowhere"))
    assert writer.in_transaction
    writer.execute("commit")
    assert core.execute(select(requests.c.request_id)).scalar() == "k"


# Readers


def test_readers_see_what_is_committed_and_only_that(path, writer):
    engine = reading_engine(path)
    writer.execute("begin immediate")
    write(writer)
    with engine.connect() as reader:
        assert reader.execute(select(requests.c.request_id)).all() == []
    writer.execute("commit")
    with engine.connect() as reader:
        assert reader.execute(select(requests.c.request_id)).all() == [("k",)]
    engine.dispose()


@pytest.mark.parametrize(
    "statement",
    ["delete from requests", "create table t (a)", "insert into daemon_starts (version, at) values ('1', 1)"],
)
def test_readers_cannot_write(path, writer, statement):
    write(writer)
    engine = reading_engine(path)
    with engine.connect() as reader, pytest.raises(sqlalchemy.exc.OperationalError, match="readonly"):
        reader.execute(text(statement))
    engine.dispose()
    assert writer.execute("select count(*) from requests").fetchone() == (1,)


def test_a_reader_waits_as_long_as_the_writer(path):
    engine = reading_engine(path)
    with engine.connect() as reader:
        assert reader.execute(text("pragma busy_timeout")).scalar() == BUSY_TIMEOUT_MS
    engine.dispose()


def test_a_reader_makes_no_file(tmp_path):
    engine = reading_engine(tmp_path / "nothing.db")
    with pytest.raises(sqlalchemy.exc.OperationalError, match="unable to open"), engine.connect():
        pass
    engine.dispose()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", NAMES)
def test_any_file_name(tmp_path, name):
    path = make_database(tmp_path / name)
    with closing(connect_writer(path, "normal")) as writer:
        write(writer)
        engine = reading_engine(path)
        with engine.connect() as reader:
            assert reader.execute(select(requests.c.request_id)).scalar() == "k"
        engine.dispose()
    assert {entry.name for entry in tmp_path.iterdir()} <= {name, f"{name}-wal", f"{name}-shm"}


def test_a_file_that_nobody_writes_is_read_without_a_lock(path):
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        write(other)
        other.execute("begin exclusive")
        engine = reading_engine(path, immutable=True)
        with engine.connect() as reader:
            assert reader.execute(select(requests.c.request_id)).scalar() == "k"
        engine.dispose()


# Migrations


def test_a_migration_is_one_transaction_tables_too(path):
    engine = migrating_engine(path)

    def work():
        with engine.begin() as connection:
            connection.execute(text("create table half (a)"))
            connection.execute(text("delete from alembic_version"))
            raise RuntimeError

    with pytest.raises(RuntimeError):
        work()
    engine.dispose()
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("select count(*) from alembic_version").fetchone() == (1,)
        assert not connection.execute("select 1 from sqlite_master where name = 'half'").fetchall()


def test_a_new_file_can_give_its_space_back(tmp_path):
    engine = migrating_engine(tmp_path / "new.db")
    with engine.begin() as connection:
        connection.execute(text("create table t (a)"))
    engine.dispose()
    with closing(sqlite3.connect(tmp_path / "new.db")) as connection:
        assert pragma(connection, "auto_vacuum") == 2


def test_a_file_is_not_written_by_connecting(path):
    content = path.read_bytes()
    engine = migrating_engine(path)
    with engine.connect():
        pass
    engine.dispose()
    assert path.read_bytes() == content


def test_a_migration_does_not_cascade(path):
    engine = migrating_engine(path)
    with engine.connect() as connection:
        assert connection.execute(text("pragma foreign_keys")).scalar() == 0
        assert connection.execute(text("pragma busy_timeout")).scalar() == BUSY_TIMEOUT_MS
    engine.dispose()


def test_nobody_else_writes_during_a_migration(path):
    engine = migrating_engine(path)
    with (
        closing(sqlite3.connect(path, timeout=0)) as other,
        engine.begin(),
        pytest.raises(sqlite3.OperationalError, match="locked"),
    ):
        write(other)
    engine.dispose()
