"""Checks of SQLite, the database's files, and the disk beside them."""

from pathlib import Path
from typing import Any

from guardd.cli.doctor.facts import Facts
from guardd.cli.doctor.finding import NEEDS_DAEMON, NOT_TOLD, Finding, failed, ok, warning
from guardd.cli.text import size
from guardd.store.errors import RESTORE, newer

MEGABYTE = 1_000_000
MEBIBYTE = 1024 * 1024
LEAST_FREE = 100 * MEGABYTE
LITTLE_FREE = 1000 * MEGABYTE
LITTLE_FREE_SHARE = 0.05
LARGE_WAL = 128 * MEBIBYTE
"""Twice what guardd lets the log grow to before it empties it (`guardd.store.checkpointing`)."""
NEARLY_FULL = 0.9

FIXED = ((3, 51, 3),)
FIXED_BRANCHES = ((3, 50, 7), (3, 44, 6))
"""Where the WAL corruption of two concurrent writers is mended (sqlite.org/wal.html, "The WAL-Reset Bug")."""


def sqlite_version(facts: Facts) -> Finding:
    """Whether the daemon's SQLite has the bug that corrupts a database which two connections write at once."""
    if facts.status is None:
        return NEEDS_DAEMON
    version = str(facts.status.get("sqliteVersion", ""))
    numbers = tuple(int(part) for part in version.split(".") if part.isdecimal())
    if not numbers:
        return NOT_TOLD
    if numbers >= FIXED[0] or any(
        numbers[:2] == branch[:2] and numbers >= branch for branch in FIXED_BRANCHES
    ):
        return ok(version)
    return warning(
        f"{version} can corrupt a database in WAL mode that two connections write at once; guardd has one "
        "writer, and so is not affected",
        "Nothing is urgent. Open the live database with no other program (guardctl backup FILE makes a copy to "
        "look at), and use SQLite 3.51.3 or later (3.50.7, 3.44.6) when your system has it",
    )


def journal_mode(facts: Facts) -> Finding:
    """Whether the database is in WAL mode, in which readers do not hold up verdicts."""
    found = _told(facts, "journalMode")
    if isinstance(found, Finding):
        return found
    if found == "wal":
        return ok("wal")
    return failed(
        f"{found}, and guardd works with wal",
        "Restart the daemon, which sets it; if it stays, the file system cannot do it (a network share): "
        "name a local place by guardd.database.path",
    )


def wal(facts: Facts) -> Finding:
    """Whether the write-ahead log is emptied into the database."""
    found = _told(facts, "walBytes")
    if isinstance(found, Finding):
        return found
    total = facts.database_state.get("bytes") or 0
    shown = f"{size(found)} beside {size(total)} of database"
    if found > LARGE_WAL:
        return warning(
            f"{shown}: it is not emptied",
            "Somebody keeps reading: end other programs that have the database open (fuser on the file names "
            "them) and long-running guardctl commands; restarting the daemon empties it",
        )
    return ok(shown)


def disk(facts: Facts) -> Finding:
    """Whether there is room for what comes."""
    if facts.disk is None:
        return NEEDS_DAEMON if facts.status is None else NOT_TOLD
    free, total = facts.disk
    shown = f"{size(free)} free of {size(total)}"
    fix = (
        "Free some space, or move the database by guardd.database.path; guardctl prune --older-than 7d and a "
        "lower guardd.retention.maxDatabaseMB make it smaller"
    )
    if free < LEAST_FREE:
        return failed(f"{shown}: soon nothing can be recorded", fix)
    if free < LITTLE_FREE or free < LITTLE_FREE_SHARE * total:
        return warning(shown, fix)
    return ok(shown)


def damage(facts: Facts) -> Finding:
    """Whether the database is damaged, so that no daemon starts on it."""
    if facts.status is not None:
        return ok("none when the daemon started; guardctl db check looks at all of it")
    if facts.silence is not None and not facts.silence.nobody_listens:
        return NEEDS_DAEMON
    if facts.damage is None:
        return ok("none was found")
    return failed(f"{facts.database.path}: {facts.damage}", RESTORE)


def schema(facts: Facts) -> Finding:
    """Whether the database has the schema that this program knows."""
    if facts.status is None and facts.found_schema is not None:
        return _schema_of_file(facts, facts.found_schema)
    found = _told(facts, "schema")
    if isinstance(found, Finding):
        return found
    if found == facts.schema:
        return ok(str(found))
    return warning(
        f"{found}, and this program knows {facts.schema}",
        "Restart the daemon: it brings the database to the schema of the version that is installed"
        if str(found) < facts.schema
        else "Use the guardctl that is installed with the daemon; this one is older",
    )


def _schema_of_file(facts: Facts, found: str) -> Finding:
    """Whether a daemon would start with the schema of a file that none has open."""
    if found > facts.schema:
        why = newer(Path(facts.database.path), found, facts.schema)
        return failed(f"{why.path}: {why.reason}", why.advice)
    return ok(found if found == facts.schema else f"{found}: guardd serve brings it to {facts.schema}")


def retention(facts: Facts) -> Finding:
    """Whether the database has reached the size at which runs go before their time."""
    if facts.status is None:
        return NEEDS_DAEMON
    days = facts.setting("guardd.retention.days")
    most = facts.setting("guardd.retention.maxDatabaseMB")
    used = facts.database_state.get("bytes")
    if not isinstance(most, int) or not isinstance(used, int):
        return NOT_TOLD
    limit = most * MEBIBYTE
    shown = f"{size(used)} of {size(limit)} used"
    if used < NEARLY_FULL * limit:
        return ok(f"{shown}; ended runs are kept {days} d")
    return warning(
        f"{shown}: the oldest ended runs go before their {days} d are over",
        "Raise guardd.retention.maxDatabaseMB if the disk has room, or lower guardd.retention.days",
    )


def _told(facts: Facts, key: str) -> Any:  # noqa: ANN401 - by key
    """What the status says of the database, or the finding where it says nothing."""
    if facts.status is None:
        return NEEDS_DAEMON
    value = facts.database_state.get(key)
    return NOT_TOLD if value is None else value
