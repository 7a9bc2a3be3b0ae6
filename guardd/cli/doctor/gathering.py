"""Gathering the facts: asks the daemon, looks at files, reads the configuration.

Opens the database only where nobody listens at the socket, and then to read; a daemon that has it all the same,
with another socket, is not disturbed by that.
"""

import os
import pwd
import shutil
import stat
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import guardd
from guardd import paths
from guardd.cli.connect import asking_daemon
from guardd.cli.doctor.facts import Described, Disk, Facts, Kind, Loaded, Place, Program, Silence
from guardd.cli.errors import Failure, Status
from guardd.cli.options import Shared
from guardd.cli.times import now
from guardd.config import Config, ConfigError, load
from guardd.config.errors import raise_any
from guardd.daemon.access import unknown_names
from guardd.daemon.directories import group_name, other_writers, user_name
from guardd.store.schema_version import NEWEST

PATIENCE = 5.0
_START_IT = ": start it with `guardd serve`"
START = "Start it: guardd serve (systemctl start guardd where it is a service)"
ELSEWHERE = "one that listens elsewhere is named with --socket PATH or $GUARDD_SOCKET"
LOOK = "Look into its log (journalctl -u guardd where it is a service), and restart it if it stays so"
GET_IN = "Run this as root or as the daemon's user, or have a group of yours named as guardd.socket.group"


def gather(shared: Shared) -> Facts:
    """Find out all that the checks need.

    Args:
        shared: The shared options.

    Raises:
        UsageError: A database file was named.
    """
    asked = now()
    status = _ask(shared, "server.status")
    answered = now()
    silence = status if isinstance(status, Silence) else None
    told: Mapping[str, Any] = {} if isinstance(status, Silence) else status
    described = _ask(shared, "config.get") if told else None
    in_force = None if isinstance(described, Silence) else described
    socket = _look(_socket_path(shared, told))
    loaded, config = _load(_configured(told, in_force), told, socket)
    database = _look(_database_path(told, config))
    nobody_listens = silence is not None and silence.nobody_listens
    return Facts(
        version=guardd.__version__,
        schema=NEWEST,
        uid=os.geteuid(),
        status=told or None,
        silence=silence,
        described=in_force,
        asked=asked,
        answered=answered,
        loaded=loaded,
        socket=socket,
        socket_directory=_look_above(socket),
        database=database,
        database_directory=_look_above(database),
        beside_database=_beside(database),
        damage=_damage(database) if nobody_listens else None,
        found_schema=_schema(database) if nobody_listens else None,
        notified=_program(in_force or loaded.described, _daemons_user(told, socket)),
        disk=_disk(told, database),
    )


def _ask(shared: Shared, method: str) -> Mapping[str, Any] | Silence:
    try:
        with asking_daemon(shared, PATIENCE) as daemon:
            answer = daemon.request(method, {})
    except Failure as failure:
        nobody = failure.status == Status.NO_DAEMON and failure.message.startswith("no guardd at")
        reason = failure.message.replace(_START_IT, "")  # the advice says it
        return Silence(reason, _advice(failure, nobody_listens=nobody), nobody)
    if isinstance(answer, dict) and answer.keys() & {"version", "values"}:
        return answer
    return Silence("what answers is not guardd", "Name guardd's socket: --socket PATH or $GUARDD_SOCKET")


def _advice(failure: Failure, *, nobody_listens: bool) -> str:
    if failure.status == Status.NO_DAEMON:
        return f"{START if nobody_listens else LOOK}; {ELSEWHERE}"
    return "; ".join(failure.advice) or (GET_IN if failure.status == Status.DENIED else LOOK)


def _socket_path(shared: Shared, told: Mapping[str, Any]) -> str:
    """The socket that was named, or that the daemon says it has, or that one of the usual places has."""
    if shared.socket:
        return str(shared.socket)
    places = [place for place, _ in paths.client_socket_candidates(os.environ, os.geteuid())]
    if isinstance(told.get("socket"), str):
        places.insert(0, told["socket"])
    return next((place for place in places if os.path.lexists(place)), places[0])


def _configured(told: Mapping[str, Any], in_force: Mapping[str, Any] | None) -> str | None:
    """The file that the daemon reads, or that one would read if we started it."""
    if not told:
        uid = os.geteuid()
        named = paths.named_config(os.environ, uid)
        return named or next(filter(os.path.lexists, paths.config_candidates(os.environ, uid)), None)
    found = told.get("configPath", (in_force or {}).get("path"))
    return None if found is None else str(found)


def _load(path: str | None, told: Mapping[str, Any], socket: Place) -> tuple[Loaded, Config | None]:
    """Read the file that the daemon reads, as the daemon's user would; without a daemon, ours."""
    environ, uid = dict(os.environ), _daemons_user(told, socket)
    if told:
        if path is None:
            return Loaded(None), None
        if not os.access(path, os.R_OK) and os.path.lexists(path):
            return Loaded(path, readable=False), None
        if uid != os.geteuid():
            environ.pop("HOME", None)  # what `~` is, is in the password database
    try:
        config = load(path, environ, uid)
        raise_any(unknown_names(config))
    except ConfigError as error:
        return Loaded(path or error.file, error="\n".join(map(str, error.errors))), None
    watched = sum(config.loop_settings(agent_id).enabled is True for agent_id in config.agents)
    loaded = Loaded(
        None if config.path is None else str(config.path),
        warnings=config.warnings,
        described=config.describe(),
        agents_watched=watched,
    )
    return loaded, config


def _daemons_user(told: Mapping[str, Any], socket: Place) -> int:
    """Whose the running daemon is; without one, it would be ours."""
    return socket.uid if told and socket.kind is Kind.SOCKET else os.geteuid()


def _program(described: Described | None, uid: int) -> Program | None:
    """What a daemon of a user runs on events."""
    command = (described or {}).get("values", {}).get("guardd.notify.command", {}).get("value")
    if not command:
        return None
    name = str(command[0])
    path = name if "/" in name else shutil.which(name)
    if path is None:
        return Program(name, None, uid, may_run=False)
    return Program(name, _look(path), uid, may_run=_may_run(path, uid))


def _may_run(path: str, uid: int) -> bool:
    """Whether a user may run a program, by the permissions of its file."""
    if uid == os.geteuid():
        return os.access(path, os.X_OK)
    try:
        status = os.stat(path)  # noqa: PTH116 - as above
    except OSError:
        return False
    if uid == 0:
        return bool(status.st_mode & 0o111)
    if status.st_uid == uid:
        return bool(status.st_mode & stat.S_IXUSR)
    return bool(status.st_mode & (stat.S_IXGRP if status.st_gid in _groups(uid) else stat.S_IXOTH))


def _groups(uid: int) -> list[int]:
    try:
        user = pwd.getpwuid(uid)
    except KeyError:
        return []
    return os.getgrouplist(user.pw_name, user.pw_gid)


def _database_path(told: Mapping[str, Any], config: Config | None) -> str:
    database = told.get("database")
    if isinstance(database, Mapping) and database.get("path"):
        return str(database["path"])
    if config is not None and config.settings.database.path is not None:
        return str(config.settings.database.path)
    return paths.default_database_path(os.environ, os.geteuid())


def _disk(told: Mapping[str, Any], database: Place) -> Disk | None:
    """What the daemon says; without one, what is to be seen at the database or where it would be made."""
    if told:
        state = told.get("database", {})
        free, total = state.get("freeBytes"), state.get("diskBytes")
        return Disk(free, total) if isinstance(free, int) and isinstance(total, int) else None
    path = Path(database.path).absolute()
    try:
        found = os.statvfs(next(place for place in path.parents if os.path.lexists(place)))
    except OSError:
        return None
    return Disk(found.f_bavail * found.f_frsize, found.f_blocks * found.f_frsize)


def _damage(database: Place) -> str | None:
    """What is wrong with a database file: why no daemon starts, perhaps."""
    if database.kind is not Kind.FILE or not os.access(database.path, os.R_OK):
        return None
    import sqlite3  # noqa: PLC0415  most have a daemon

    from guardd.store.soundness import damage  # noqa: PLC0415

    try:
        return damage(Path(database.path))
    except sqlite3.OperationalError:
        return None  # somebody works with it, or it may not be opened: not for us to say
    except sqlite3.DatabaseError as error:
        return str(error)


def _schema(database: Place) -> str | None:
    """The schema of a database file; that of a damaged one, or of none of guardd's, cannot be told."""
    if database.kind is not Kind.FILE or not os.access(database.path, os.R_OK):
        return None
    import sqlite3  # noqa: PLC0415  as above

    try:
        with closing(
            sqlite3.connect(f"{Path(database.path).absolute().as_uri()}?mode=ro", uri=True)
        ) as opened:
            row = opened.execute("select version_num from alembic_version").fetchone()
    except sqlite3.Error:
        return None
    return None if row is None else str(row[0])


def _beside(database: Place) -> list[Place]:
    places = [_look(f"{database.path}{suffix}") for suffix in ("-wal", "-shm")]
    return [place for place in places if place.kind not in (Kind.MISSING, Kind.HIDDEN)]


def _look_above(place: Place) -> Place:
    return _look(str(Path(place.path).absolute().parent))


def _look(path: str) -> Place:
    try:
        status = os.stat(path)  # noqa: PTH116 - links are followed, and the path stays as it was given
    except PermissionError:
        return Place(path, Kind.HIDDEN)
    except (OSError, ValueError):
        return Place(path, Kind.MISSING)
    return Place(
        path,
        _kind(status.st_mode),
        stat.S_IMODE(status.st_mode),
        status.st_uid,
        user_name(status.st_uid),
        group_name(status.st_gid),
        other_writers(status),
    )


def _kind(mode: int) -> Kind:
    kinds = ((stat.S_ISSOCK, Kind.SOCKET), (stat.S_ISREG, Kind.FILE), (stat.S_ISDIR, Kind.DIRECTORY))
    return next((kind for test, kind in kinds if test(mode)), Kind.OTHER)
