import sqlite3
from contextlib import closing

import pytest
from support.databases import close, make_database

import guardd
from guardd.fingerprint import VERSION
from guardd.store.errors import DatabaseUnusable
from guardd.store.migrating import HEAD, Migration
from guardd.store.opening import KEY_BYTES, open_database


@pytest.fixture
def path(tmp_path):
    return make_database(tmp_path / "guardd.db")


@pytest.fixture
def opened():
    """Opens databases that are closed after the test."""
    databases = []

    def open_one(path, durability="normal", now=1):
        databases.append(open_database(path, durability, now))
        return databases[-1]

    yield open_one
    for database in databases:
        close(database)


def test_a_new_file_is_made_and_migrated(tmp_path, opened):
    database = opened(tmp_path / "new.db")
    assert database.migration == Migration(None, HEAD, None)
    assert database.path == tmp_path / "new.db"
    assert not database.connection.in_transaction
    assert database.connection.execute("pragma journal_mode").fetchone() == ("wal",)


@pytest.mark.parametrize(("durability", "synchronous"), [("normal", 1), ("full", 2)])
def test_durability(path, opened, durability, synchronous):
    database = opened(path, durability)
    assert database.connection.execute("pragma synchronous").fetchone() == (synchronous,)


def test_the_secret_stays_and_each_database_has_its_own(tmp_path, path, opened):
    first = opened(path)
    again = opened(path)
    other = opened(make_database(tmp_path / "other.db"))
    assert len(first.key) == KEY_BYTES
    assert again.key == first.key
    assert other.key != first.key
    keys = first.connection.execute("select version, key from fingerprint_keys").fetchall()
    assert keys == [(VERSION, first.key)]


def test_each_start_is_recorded(path, opened):
    opened(path, now=10)
    database = opened(path, now=20)
    starts = database.connection.execute("select id, version, at from daemon_starts").fetchall()
    assert starts == [(1, guardd.__version__, 10), (2, guardd.__version__, 20)]


def test_store_and_core_share_the_connection(path, opened):
    database = opened(path)
    database.store.begin()
    assert database.connection.in_transaction
    assert database.core.connection.dbapi_connection is database.connection


def test_a_database_of_another_program_is_refused(tmp_path):
    path = tmp_path / "recipes.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("create table recipes (name text)")
    content = path.read_bytes()
    with pytest.raises(DatabaseUnusable, match="another program"):
        open_database(path, "normal", 1)
    assert path.read_bytes() == content


def test_a_file_that_somebody_else_writes_is_refused_and_let_go(path, monkeypatch):
    connections = []
    connect = sqlite3.connect

    def spy(*args, **options):
        connections.append(connect(*args, **options))
        return connections[-1]

    monkeypatch.setattr(sqlite3, "connect", spy)
    with closing(connect(path, isolation_level=None)) as other:
        other.execute("pragma journal_mode = wal")
        other.execute("begin immediate")
        with pytest.raises(DatabaseUnusable, match=r"SQLite cannot write it \(database is locked\)"):
            open_database(path, "normal", 1)
        other.execute("commit")
    assert connections
    for connection in connections:
        with pytest.raises(sqlite3.ProgrammingError, match="closed"):
            connection.execute("select 1")
