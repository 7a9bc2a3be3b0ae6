"""Bringing a database file to the schema of this program.

Every start looks at the version table first; Alembic, which takes longer to import than all the rest, is only
imported when there is something to migrate.
"""

import os
import sqlite3
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

import guardd
from guardd.store.connecting import BUSY_TIMEOUT_MS, migrating_engine
from guardd.store.copying import copy_database
from guardd.store.errors import DatabaseUnusable, damaged, newer, unreadable
from guardd.store.schema_version import NEWEST
from guardd.store.soundness import damage

HEAD = NEWEST
"""The revision to which a database is brought."""

_TABLES_OF_EVERY_REVISION = {"alembic_version", "fingerprint_keys"}
"""Other programs keep an `alembic_version` too."""

_PACKAGE = Path(guardd.__file__).parent


@dataclass(frozen=True, slots=True)
class Migration:
    """What was done to a database.

    Attributes:
        before: the revision found, None for an empty file.
        after: the revision now.
        backup: the copy that was made before, if there was data.
    """

    before: str | None
    after: str
    backup: Path | None


def check(path: Path) -> str | None:
    """The revision of a database file, None where it is absent or empty.

    Raises:
        DatabaseUnusable: it is not a database of guardd's, or one of a newer guardd.
    """
    try:
        revision = _revision(path)
    except OSError as error:
        raise DatabaseUnusable(
            path, f"it cannot be looked at ({error.strerror})", "Choose another path with --db"
        ) from error
    except sqlite3.Error as error:
        raise unreadable(path, error) from error
    if revision is not None and revision > HEAD:
        raise newer(path, revision, HEAD)
    return revision


def _revision(path: Path) -> str | None:
    if not path.exists():
        return None
    if not path.is_file():
        raise DatabaseUnusable(path, "this is a directory or a device", "Name a file with --db")
    if not os.access(path, os.R_OK):
        raise DatabaseUnusable(
            path,
            "this user may not read it",
            "Run as the user it belongs to, or choose another path with --db",
        )
    try:
        return _read_revision(path, "ro")
    except sqlite3.OperationalError as error:
        if error.sqlite_errorcode != sqlite3.SQLITE_READONLY_ROLLBACK:
            raise
        # A transaction was cut off there: who may write undoes it by looking.
        return _read_revision(path, "rw")


def _read_revision(path: Path, mode: Literal["ro", "rw"]) -> str | None:
    with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode={mode}", uri=True)) as connection:
        connection.execute(f"pragma busy_timeout = {BUSY_TIMEOUT_MS}")
        tables = {name for (name,) in connection.execute("select name from sqlite_master")}
        if not tables:
            return None
        if not tables >= _TABLES_OF_EVERY_REVISION:
            raise DatabaseUnusable(
                path, "this is a database of another program", "Choose another path with --db"
            )
        row = connection.execute("select version_num from alembic_version").fetchone()
    return None if row is None else str(row[0])


def migrate(path: Path, revision: str = HEAD) -> Migration:
    """Bring a database to a revision, in one transaction; what held data is copied beside it first.

    Raises:
        DatabaseUnusable: see `check`; or it is damaged, or the migration failed; the file is as it was.
    """
    before = check(path)
    if before is not None:
        _refuse_damage(path)
    if before == revision:
        return Migration(before, revision, None)
    backup = None
    try:
        if before is not None:
            backup = _back_up(path, before)
        _upgrade(path, revision)
    except Exception as error:
        reason = getattr(error, "orig", error)  # SQLAlchemy's own text has the statement in it
        raise DatabaseUnusable(
            path,
            f"migrating it from schema {before or 'none'} to {revision} failed ({reason})",
            "Nothing was changed; free disk space if that is the reason, else report this as a bug",
        ) from error
    return Migration(before, revision, backup)


def _refuse_damage(path: Path) -> None:
    """Refuse a damaged file before anything is written to it: that might make the damage worse."""
    try:
        found = damage(path)
    except sqlite3.Error as error:
        raise unreadable(path, error) from error
    if found is not None:
        raise damaged(path, found)


def _back_up(path: Path, revision: str) -> Path:
    stamp = datetime.now(UTC).strftime("%Y%m%dT%H%M%S%fZ")
    backup = path.with_name(f"{path.name}.schema-{revision}-{stamp}.bak")
    copy_database(path, backup)
    return backup


def _upgrade(path: Path, revision: str) -> None:
    from alembic import command  # noqa: PLC0415  importing it costs more than a whole start without it
    from alembic.config import Config  # noqa: PLC0415

    config = Config()
    config.set_main_option("script_location", str(_script_directory()).replace("%", "%%"))
    config.set_main_option("path_separator", "os")
    engine = migrating_engine(path)
    try:
        with engine.begin() as connection:
            config.attributes["connection"] = connection
            command.upgrade(config, revision)
            broken = connection.exec_driver_sql("pragma foreign_key_check").fetchall()
            if broken:
                raise RuntimeError(f"{len(broken)} rows would refer to nothing")
    finally:
        engine.dispose()
    path.chmod(0o600)


def _script_directory() -> Path:
    """Beside the package in a checkout, inside it in a wheel."""
    inside = _PACKAGE / "migrations"
    return inside if inside.is_dir() else _PACKAGE.parent / "migrations"
