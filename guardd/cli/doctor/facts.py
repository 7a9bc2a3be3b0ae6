"""The facts that the checks judge. They come from `gathering`; tests make them up."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any, NamedTuple

Described = Mapping[str, Any]
"""The answer of `config.get`."""


class Kind(StrEnum):
    """What lies at a path, in words."""

    SOCKET = "a socket"
    FILE = "a file"
    DIRECTORY = "a directory"
    OTHER = "neither a file, a directory nor a socket"
    MISSING = "not there"
    HIDDEN = "not for this user to see"


class Place(NamedTuple):
    """What lies at a path, links followed.

    Attributes:
        path: Where.
        kind: What it is; of what is missing or hidden nothing else is known.
        mode: Its permissions, `0o600` for instance, with the sticky bit.
        uid: Whose it is.
        owner: That user's name.
        group: Its group's name.
        writers: Who may write to it beside its owner, `anyone` or `the group NAME`; empty for nobody.
    """

    path: str
    kind: Kind
    mode: int = 0
    uid: int = 0
    owner: str = ""
    group: str = ""
    writers: str = ""


class Program(NamedTuple):
    """The program of `guardd.notify.command`.

    Attributes:
        name: As it is configured.
        place: What lies there, or where a name is found in this program's PATH; None where it is found nowhere.
        uid: Whom it runs as, the daemon's user.
        may_run: Whether that user may run it, by its permissions.
    """

    name: str
    place: Place | None
    uid: int
    may_run: bool


class Disk(NamedTuple):
    """The file system that the database is on, in bytes.

    Attributes:
        free: What may still be written.
        total: Its size.
    """

    free: int
    total: int


class Silence(NamedTuple):
    """Why the daemon did not say how it is.

    Attributes:
        reason: In words.
        advice: What to do.
        nobody_listens: Whether that is why; else there is a daemon, and it may be at work.
    """

    reason: str
    advice: str
    nobody_listens: bool = False


class Loaded(NamedTuple):
    """The configuration file as this program reads it.

    Attributes:
        path: The file; None where there is none.
        readable: Whether this user may read it.
        error: Why it cannot be used.
        warnings: What is allowed in it and yet looks wrong, for all agents.
        described: Everybody's values, as `config.get` would have them; None with an error.
        agents_watched: How many agents it switches loop detection on for.
    """

    path: str | None
    readable: bool = True
    error: str | None = None
    warnings: tuple[str, ...] = ()
    described: Described | None = None
    agents_watched: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """All that the checks are told.

    Attributes:
        version: This program's.
        schema: The version of the schema that it knows.
        uid: The user who asks.
        status: The daemon's `server.status`; None where it did not answer.
        silence: Why it did not.
        described: The configuration in force, the daemon's `config.get`; None where it did not answer.
        asked: When the daemon was asked.
        answered: When it had answered.
        loaded: The configuration file.
        socket: The socket, or where one would be.
        socket_directory: Its directory.
        database: The database file.
        database_directory: Its directory.
        beside_database: What SQLite keeps beside it, of what is there: its log, and that log's index.
        damage: What is wrong with it, found in a short look where nobody listens; None for nothing.
        found_schema: The schema that it has, read where nobody listens; None where it has none, or nobody could tell.
        notified: What the daemon runs on events; None for nothing, or where that is not known.
        disk: Where that is, by the daemon's word if it gave it; None where nobody could tell.
    """

    version: str
    schema: str
    uid: int
    status: Mapping[str, Any] | None
    silence: Silence | None
    described: Described | None
    asked: datetime
    answered: datetime
    loaded: Loaded
    socket: Place
    socket_directory: Place
    database: Place
    database_directory: Place
    beside_database: Sequence[Place]
    damage: str | None
    found_schema: str | None
    notified: Program | None
    disk: Disk | None

    @property
    def database_state(self) -> Mapping[str, Any]:
        """`database` of the status; empty where the daemon did not answer."""
        found = (self.status or {}).get("database")
        return found if isinstance(found, Mapping) else {}

    def setting(self, key: str) -> Any:  # noqa: ANN401 - by key
        """A value that is in force, or would be if a daemon were started; None where that is not known."""
        described = self.described or self.loaded.described or {}
        return described.get("values", {}).get(key, {}).get("value")
