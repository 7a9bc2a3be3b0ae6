"""From every earlier schema to this one, with rows; and whatever is in the way leaves the file as it was."""

import os
import re
import shutil
import signal
import sqlite3
import stat
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
from alembic.config import Config
from alembic.script import ScriptDirectory
from sqlalchemy import MetaData, create_engine
from support.daemon import eventually
from support.databases import make_database

import guardd
from guardd.store import migrating
from guardd.store.errors import DatabaseUnusable
from guardd.store.migrating import HEAD, Migration, check, migrate
from guardd.store.schema import metadata

NEXT = f"{int(HEAD) + 1:04}"
"""The revision that this program does not know yet."""
MIGRATIONS = Path(guardd.__file__).parent.parent / "migrations"

VALUES = {
    ("runs", "kind"): "run",
    ("runs", "status"): "active",
    ("calls", "state"): 2,
    ("detections", "level"): "warning",
    ("markers", "kind"): "compaction",
    ("notices", "warning_key"): "generic_repeat:00",
}
"""Where a CHECK does not allow just any value; a later revision may need to say more."""


def revisions() -> list[str]:
    """All that there are, oldest first."""
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS))
    config.set_main_option("path_separator", "os")
    return [script.revision for script in ScriptDirectory.from_config(config).walk_revisions()][::-1]


def schema_of(path: Path) -> dict[str, str]:
    """The text of every table and index, as SQLite keeps it, but for line breaks: an added column has none."""
    with closing(sqlite3.connect(path)) as connection:
        found = connection.execute("select name, sql from sqlite_master where sql is not null")
        return {name: " ".join(sql.split()) for name, sql in found if name != "alembic_version"}


def content_of(path: Path) -> list[str]:
    with closing(sqlite3.connect(path)) as connection:
        return list(connection.iterdump())


def fill(path: Path) -> None:
    """A row in every table, whatever tables and columns there are at that revision."""
    engine = create_engine(f"sqlite:///{path}")
    found = MetaData()
    found.reflect(engine)
    with engine.begin() as connection:
        for table in found.tables.values():
            if table.name != "alembic_version":
                plain = {int: 1, str: "x", bytes: b"x"}
                row = {
                    column.name: VALUES.get((table.name, column.name), plain[column.type.python_type])
                    for column in table.columns
                }
                connection.execute(table.insert().values(row))
    engine.dispose()


def rows_of(path: Path) -> dict[str, list[dict[str, object]]]:
    with closing(sqlite3.connect(path)) as connection:
        connection.row_factory = sqlite3.Row
        names = [
            name for (name,) in connection.execute("select name from sqlite_master where type = 'table'")
        ]
        return {name: [dict(row) for row in connection.execute(f"select * from {name}")] for name in names}  # noqa: S608


def foreign_keys_hold(path: Path) -> bool:
    with closing(sqlite3.connect(path)) as connection:
        return not connection.execute("pragma foreign_key_check").fetchall()


@pytest.fixture
def path(tmp_path):
    return tmp_path / "guardd.db"


@pytest.fixture
def scripts(tmp_path, monkeypatch):
    """Adds a revision to a copy of the migrations, and makes that the newest that the program knows."""
    directory = tmp_path / "migrations"
    shutil.copytree(MIGRATIONS, directory, ignore=shutil.ignore_patterns("__pycache__"))

    def add(body: str, revision: str = "9999") -> str:
        lines = "".join(f"    {line}\n" for line in body.strip().splitlines())
        (directory / "versions" / f"{revision}_added.py").write_text(
            "import sqlalchemy as sa\nfrom alembic import op\n"
            f"revision = {revision!r}\ndown_revision = {HEAD!r}\ndef upgrade():\n{lines}"
        )
        monkeypatch.setattr(migrating, "_script_directory", lambda: directory)
        monkeypatch.setattr(migrating, "HEAD", revision)
        return revision

    add.directory = directory
    return add


# The schema


def test_the_migrated_schema_is_the_declared_one(tmp_path):
    migrate(tmp_path / "migrated.db")
    engine = create_engine(f"sqlite:///{tmp_path / 'declared.db'}")
    metadata.create_all(engine)
    engine.dispose()
    declared = schema_of(tmp_path / "declared.db")
    assert schema_of(tmp_path / "migrated.db") == declared
    text = "\n".join(declared.values())
    for word in ("STRICT", "WITHOUT ROWID", "CHECK (", "ON DELETE CASCADE", "WHERE state < 2", "IS NOT NULL"):
        assert word in text


def test_the_head_is_the_newest_revision():
    assert revisions()[-1] == HEAD


def test_revisions_are_four_digits_in_order():
    found = revisions()
    assert all(re.fullmatch(r"\d{4}", revision) for revision in found)
    assert found == sorted(found)


# From every earlier revision


def test_a_new_file_gets_the_schema_and_no_copy(path):
    assert migrate(path) == Migration(None, HEAD, None)
    assert check(path) == HEAD
    assert list(path.parent.iterdir()) == [path]
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_an_empty_file_is_like_none(path):
    path.touch()
    assert check(path) is None
    assert migrate(path) == Migration(None, HEAD, None)


@pytest.mark.parametrize("revision", revisions())
def test_every_earlier_revision_keeps_its_rows(path, revision):
    migrate(path, revision)
    fill(path)
    before = rows_of(path)
    assert len(before) > 1
    assert all(len(found) == 1 for found in before.values())
    assert foreign_keys_hold(path)

    done = migrate(path)

    assert done.before == revision
    assert done.after == check(path) == HEAD
    assert foreign_keys_hold(path)
    after = rows_of(path)
    for table in before.keys() & after.keys() - {"alembic_version"}:
        (old,), (new,) = before[table], after[table]
        kept = old.keys() & new.keys()
        assert {name: new[name] for name in kept} == {name: old[name] for name in kept}


def test_a_current_database_is_left_alone(path):
    migrate(path)
    content, changed = path.read_bytes(), path.stat().st_mtime_ns
    assert migrate(path) == Migration(HEAD, HEAD, None)
    assert (path.read_bytes(), path.stat().st_mtime_ns) == (content, changed)


def test_rebuilding_a_parent_table_keeps_its_children(path, scripts):
    migrate(path)
    fill(path)
    before = rows_of(path)
    revision = scripts(
        "with op.batch_alter_table('runs', recreate='always') as batch:\n"
        "    batch.add_column(sa.Column('note', sa.Text()))"
    )
    done = migrate(path, revision)
    assert done == Migration(HEAD, revision, done.backup)
    after = rows_of(path)
    assert after["calls"] == before["calls"]
    assert after["runs"] == [before["runs"][0] | {"note": None}]
    assert foreign_keys_hold(path)


# The copy


def test_what_held_data_is_copied_first(path, scripts):
    migrate(path)
    fill(path)
    before = rows_of(path)
    revision = scripts("op.execute('delete from calls')")
    done = migrate(path, revision)
    assert rows_of(path)["calls"] == []
    assert done.backup is not None
    assert done.backup.parent == path.parent
    assert done.backup.name.startswith(f"guardd.db.schema-{HEAD}-")
    assert stat.S_IMODE(done.backup.stat().st_mode) == 0o600
    assert rows_of(done.backup) == before
    with closing(sqlite3.connect(done.backup)) as copy:
        assert copy.execute("pragma integrity_check").fetchall() == [("ok",)]


def test_the_copy_is_nobody_elses_from_the_start(path, scripts, monkeypatch):
    migrate(path)
    seen = []
    connect = sqlite3.connect

    def spy(name, **options):
        seen.extend(stat.S_IMODE(copy.stat().st_mode) for copy in path.parent.glob("*.bak"))
        return connect(name, **options)

    monkeypatch.setattr(sqlite3, "connect", spy)
    before = os.umask(0)
    try:
        migrate(path, scripts("pass"))
    finally:
        os.umask(before)
    assert set(seen) == {0o600}


def test_without_a_copy_nothing_is_migrated(path, scripts, monkeypatch):
    migrate(path)
    content = path.read_bytes()
    revision = scripts("op.execute('delete from calls')")

    def no_space(*_args, **_options):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "open", no_space)
    with pytest.raises(DatabaseUnusable, match="No space left on device"):
        migrate(path, revision)
    assert path.read_bytes() == content


def spoil(path: Path) -> bytes:
    """Overwrite a page; returns what is in the file now."""
    fill(path)
    with closing(sqlite3.connect(path)) as connection:
        (page,) = connection.execute("select rootpage from sqlite_master where name = 'calls'").fetchone()
        (size,) = connection.execute("pragma page_size").fetchone()
    spoilt = bytearray(path.read_bytes())
    spoilt[(page - 1) * size : page * size] = b"\xaa" * size
    path.write_bytes(spoilt)
    return bytes(spoilt)


@pytest.mark.parametrize("is_migrated", [True, False])
def test_a_damaged_database_is_refused_untouched(path, scripts, *, is_migrated):
    migrate(path)
    spoilt = spoil(path)
    with pytest.raises(DatabaseUnusable, match=r"it is damaged .*Restore a backup"):
        migrate(path, scripts("pass") if is_migrated else HEAD)
    assert path.read_bytes() == spoilt
    assert not list(path.parent.glob("*.bak"))


def test_a_copy_that_fails_is_not_left_behind(path, scripts, monkeypatch):
    """As that of a database too large to be looked at whole, in which damage is found only now."""
    monkeypatch.setattr(migrating, "damage", lambda _path: None)
    migrate(path)
    spoilt = spoil(path)
    with pytest.raises(DatabaseUnusable, match="malformed"):
        migrate(path, scripts("pass"))
    assert path.read_bytes() == spoilt
    assert not list(path.parent.glob("*.bak"))


# What is refused, untouched


def foreign(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("create table recipes (name text)")


def foreign_with_alembic(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("create table alembic_version (version_num varchar(32) not null)")
        connection.execute("create table recipes (name text)")
        connection.execute("insert into alembic_version values (?)", (HEAD,))
        connection.commit()


def newer(path: Path) -> None:
    make_database(path)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("update alembic_version set version_num = ?", (NEXT,))
        connection.commit()


def newer_and_live(path: Path) -> None:
    newer(path)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("pragma journal_mode = wal")


@pytest.mark.parametrize(
    ("make", "reason"),
    [
        (foreign, "this is a database of another program. Choose another path with --db."),
        (foreign_with_alembic, "this is a database of another program. Choose another path with --db."),
        (
            newer,
            f"a newer guardd (schema {NEXT}; this program knows schemas up to {HEAD}). Install the newer",
        ),
        (newer_and_live, f"it was written by a newer guardd (schema {NEXT}"),
        (
            lambda path: path.write_text("# my notes\n" * 100),
            "SQLite cannot read it (file is not a database)",
        ),
        (lambda path: path.write_bytes(b"# notes"), "SQLite cannot read it (file is not a database)"),
        (lambda path: path.write_bytes(b"SQLite format 3\0" + bytes(200)), "SQLite cannot read it ("),
    ],
    ids=["foreign", "foreign with Alembic", "newer", "newer, WAL", "text", "a word", "only a header"],
)
def test_what_is_no_database_of_ours_is_refused_untouched(path, make, reason):
    make(path)
    content, changed = path.read_bytes(), path.stat().st_mtime_ns
    for operation in (check, migrate):
        with pytest.raises(DatabaseUnusable) as caught:
            operation(path)
        assert str(caught.value).startswith(f"{path}: ")
        assert reason in str(caught.value)
        assert caught.value.path == path
    assert (path.read_bytes(), path.stat().st_mtime_ns) == (content, changed)
    assert not list(path.parent.glob("*.bak"))


def test_a_directory_is_refused(path):
    path.mkdir()
    with pytest.raises(DatabaseUnusable, match="this is a directory or a device"):
        migrate(path)
    assert list(path.iterdir()) == []


def test_a_pipe_is_refused_and_not_waited_for(path):
    os.mkfifo(path)
    with pytest.raises(DatabaseUnusable, match="this is a directory or a device"):
        migrate(path)


def test_a_name_that_no_file_can_have_is_refused(tmp_path):
    with pytest.raises(DatabaseUnusable, match=r"it cannot be looked at \(File name too long\)"):
        migrate(tmp_path / ("x" * 300))


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_an_unreadable_file_is_refused(path):
    make_database(path)
    content = path.read_bytes()
    path.chmod(0)
    try:
        with pytest.raises(DatabaseUnusable, match="this user may not read it"):
            migrate(path)
    finally:
        path.chmod(0o600)
    assert path.read_bytes() == content


@pytest.mark.skipif(os.geteuid() == 0, reason="root may look everywhere")
def test_a_directory_that_may_not_be_searched_is_refused(tmp_path):
    closed = tmp_path / "closed"
    closed.mkdir(0)
    try:
        with pytest.raises(DatabaseUnusable, match=r"it cannot be looked at \(Permission denied\)"):
            check(closed / "guardd.db")
    finally:
        closed.chmod(0o700)


def test_no_directory_no_database(tmp_path):
    with pytest.raises(DatabaseUnusable, match="unable to open database file"):
        migrate(tmp_path / "nowhere" / "guardd.db")


# A migration that does not come to its end

FAILING = """
op.execute("delete from calls")
op.create_table("half", sa.Column("id", sa.Integer(), primary_key=True))
op.drop_table("notices")
"""


@pytest.mark.parametrize(
    ("end", "reason"),
    [
        ("raise RuntimeError('the middle')", "the middle"),
        ("op.execute('insert into nowhere values (1)')", "no such table: nowhere"),
        ("op.execute('delete from runs')", "rows would refer to nothing"),
    ],
    ids=["raises", "is refused by SQLite", "breaks references"],
)
@pytest.mark.parametrize("mode", ["delete", "wal"])
def test_a_failed_migration_changes_nothing(path, scripts, end, reason, mode):
    migrate(path)
    fill(path)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(f"pragma journal_mode = {mode}")
    before, content = path.read_bytes(), content_of(path)
    revision = scripts(FAILING + end)
    with pytest.raises(DatabaseUnusable) as caught:
        migrate(path, revision)
    text = str(caught.value)
    assert f"migrating it from schema {HEAD} to {revision} failed (" in text
    assert reason in text
    assert "Nothing was changed" in text
    assert "\n" not in text
    assert content_of(path) == content
    assert path.read_bytes() == before
    assert check(path) == HEAD


def test_a_first_migration_that_fails_can_be_tried_again(path, scripts, monkeypatch):
    revision = scripts("raise RuntimeError('the middle')")
    with pytest.raises(DatabaseUnusable, match="from schema none to 9999 failed"):
        migrate(path, revision)
    assert check(path) is None
    monkeypatch.undo()
    assert migrate(path) == Migration(None, HEAD, None)


@pytest.mark.parametrize("mode", ["delete", "wal"])
def test_a_killed_migration_changes_nothing(path, scripts, tmp_path, mode):
    migrate(path)
    fill(path)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(f"pragma journal_mode = {mode}")
        # More than the page cache holds, so that what is not committed reaches the disk.
        connection.execute("pragma foreign_keys = off")
        connection.executemany(
            "insert into requests values ('s', 'm', ?, x'00', ?, 1)",
            [(f"{n}", b"x" * 4000) for n in range(1000)],
        )
        connection.commit()
    content = content_of(path)
    ready = tmp_path / "ready"
    wait = f"import pathlib, time\npathlib.Path({str(ready)!r}).touch()\ntime.sleep(600)"
    much = "op.execute('update requests set reply = zeroblob(4000)')"
    revision = scripts(much + FAILING + wait)
    program = (
        "import pathlib, sys\nfrom guardd.store import migrating\n"
        "migrating._script_directory = lambda: pathlib.Path(sys.argv[2])\n"
        "migrating.migrate(pathlib.Path(sys.argv[1]), sys.argv[3])"
    )
    process = subprocess.Popen([sys.executable, "-c", program, path, scripts.directory, revision])
    eventually(lambda: ready.exists() or process.poll() is not None)
    process.kill()
    assert process.wait() == -signal.SIGKILL
    beside = [name for name in (f"{path}-journal", f"{path}-wal") if Path(name).exists()]
    assert any(Path(name).stat().st_size > 1_000_000 for name in beside)

    assert check(path) == HEAD
    assert content_of(path) == content
    (copy,) = path.parent.glob("*.bak")
    assert content_of(copy) == content
    assert migrate(path, HEAD) == Migration(HEAD, HEAD, None)


# Names of files, and what a start costs


@pytest.mark.parametrize(
    "name", ["with space", "100%", "50%20x", "what?", "a#b", "naïve-日本.db", "file:x", "'q'", "a;b"]
)
def test_any_file_name(tmp_path, scripts, name):
    path = tmp_path / name / f"{name}.db"
    path.parent.mkdir()
    migrate(path)
    assert check(path) == HEAD
    done = migrate(path, scripts("op.execute('delete from calls')"))
    assert {entry.name for entry in path.parent.iterdir()} == {path.name, done.backup.name}


def test_any_name_of_the_directory_of_migrations(tmp_path, monkeypatch):
    directory = tmp_path / "50% of: what, a#b? 日本"
    shutil.copytree(MIGRATIONS, directory, ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.setattr(migrating, "_script_directory", lambda: directory)
    migrate(tmp_path / "guardd.db")
    assert check(tmp_path / "guardd.db") == HEAD


def test_a_relative_path(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    migrate(Path("guardd.db"))
    assert check(Path("guardd.db")) == HEAD


def test_migrations_are_found_inside_an_installed_package(tmp_path, monkeypatch):
    monkeypatch.setattr(migrating, "_PACKAGE", tmp_path)
    assert migrating._script_directory() == tmp_path.parent / "migrations"  # noqa: SLF001
    (tmp_path / "migrations").mkdir()
    assert migrating._script_directory() == tmp_path / "migrations"  # noqa: SLF001


def test_alembic_is_not_imported_where_there_is_nothing_to_migrate(path):
    make_database(path)
    program = (
        "import pathlib, sys\nfrom guardd.store.migrating import migrate\n"
        "assert migrate(pathlib.Path(sys.argv[1])).backup is None\n"
        "print(*(name for name in sys.modules if name.split('.')[0] in ('alembic', 'mako')))"
    )
    command = [sys.executable, "-c", program, path]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""
