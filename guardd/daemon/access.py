"""Who is at the other end of a connection, and what they may do.

The kernel vouches for a peer (`SO_PEERCRED`, unix(7)). Its answer is of the moment of `connect`: a process
that changes its user afterwards, or hands the connection to another process, keeps the rights that it
connected with. Users of another user namespace that have no number in this one all appear as the kernel's
overflow user (65534, "nobody").
"""

import grp
import os
import pwd
import socket
import struct
from collections.abc import Collection
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from guardd.config import Config, ConfigError
from guardd.config.errors import raise_any, shown_file
from guardd.vocabulary import Role

# Python's socket module lacks it. The number is the same on every Linux but those for SPARC and PA-RISC.
_SO_PEERGROUPS = 59
_OPTION_BYTES = 1024  # the most that Python's getsockopt takes: 256 groups
_CREDENTIALS = struct.Struct("iII")  # struct ucred: pid, uid, gid
_GROUP = struct.Struct("I")
_NOBODY = 2**32 - 1  # (uid_t)-1, never a user: the kernel answers it for a socket without a peer


class AccessError(Exception):
    """A user or group of the configuration does not exist; the text says which."""


class Peer(NamedTuple):
    """The process at the other end, as it was when it connected."""

    pid: int
    """0 when it lives in a process namespace that this one cannot see."""
    uid: int
    gid: int
    groups: frozenset[int]
    """All its groups: `gid` and the supplementary ones."""


class HasOptions(Protocol):
    """A connected Unix socket, or what an event loop gives out in its place."""

    def getsockopt(self, level: int, option: int, length: int, /) -> bytes:
        """See `socket.socket.getsockopt`."""


def peer_of(connection: HasOptions) -> Peer:
    """Ask the kernel who is at the other end of a connected Unix socket.

    Raises:
        OSError: it is no Unix socket, or it is closed.
    """
    credentials = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _CREDENTIALS.size)
    pid, uid, gid = _CREDENTIALS.unpack(credentials)
    try:
        packed = connection.getsockopt(socket.SOL_SOCKET, _SO_PEERGROUPS, _OPTION_BYTES)
    except OSError:  # a kernel before 4.13, or more than 256 groups
        groups = _listed_groups(uid, gid)
    else:
        groups = [group for (group,) in _GROUP.iter_unpack(packed)]
    return Peer(pid, uid, gid, frozenset([gid, *groups]))


def _listed_groups(uid: int, gid: int) -> list[int]:
    """Look up the groups that the system's user database has for a user."""
    try:
        name = pwd.getpwuid(uid).pw_name
    except KeyError:
        return []
    return os.getgrouplist(name, gid)


@dataclass(frozen=True, slots=True)
class Members:
    """Users and groups that have something in common."""

    users: frozenset[int]
    groups: frozenset[int]

    def __contains__(self, peer: Peer) -> bool:
        return peer.uid in self.users or not self.groups.isdisjoint(peer.groups)


@dataclass(frozen=True, slots=True)
class Policy:
    """Who may do what. Names were looked up when it was built; build a new one to see later changes.

    Attributes:
        own_user: the user that the daemon runs as.
        gateways: who has the role of a gateway.
        readers: who has the role of a reader.
    """

    own_user: int
    gateways: Members
    readers: Members

    def roles(self, peer: Peer) -> frozenset[Role]:
        """Give a peer's roles; none means that it is to be refused at once."""
        if peer.uid in {0, self.own_user}:
            return frozenset(Role)
        held = set()
        if peer in self.gateways:
            held.add(Role.GATEWAY)
        if peer in self.readers:
            held.add(Role.READER)
        return frozenset(held)


def policy_of(config: Config) -> Policy:
    """Build the policy that a configuration asks for.

    Raises:
        ConfigError: it names users or groups that do not exist; all of them are told.
    """
    raise_any(unknown_names(config, ("gateways", "readers")))
    return build_policy(config.settings.socket.gateways, config.settings.socket.readers)


def unknown_names(
    config: Config, settings: Collection[str] = ("gateways", "readers", "group")
) -> list[ConfigError]:
    """Tell which users and groups that a configuration names do not exist on this system.

    Args:
        config: the configuration.
        settings: where to look, in `guardd.socket`.
    """
    socket_settings = config.settings.socket
    named: dict[str, Collection[str | int]] = {
        "gateways": socket_settings.gateways,
        "readers": socket_settings.readers,
        "group": () if socket_settings.group is None else (f"@{socket_settings.group}",),
    }
    file = shown_file(str(config.path))
    errors = []
    for setting in settings:
        for entry in named[setting]:
            try:
                _look_up(entry)
            except AccessError as error:
                errors.append(ConfigError(file, str(error), key=f"guardd.socket.{setting}"))
    return errors


def build_policy(
    gateways: Collection[str | int], readers: Collection[str | int], own_user: int | None = None
) -> Policy:
    """Build the policy from the configuration's `socket.gateways` and `socket.readers`.

    Args:
        gateways: user names, ids (as numbers or as text), and groups as `@name` or `@id`.
        readers: the same.
        own_user: the daemon's user id; by default that of this process.

    Raises:
        AccessError: there is no such user or group. A number is taken as it is.
    """
    return Policy(
        own_user=os.geteuid() if own_user is None else own_user,
        gateways=_members("socket.gateways", gateways),
        readers=_members("socket.readers", readers),
    )


def _members(setting: str, entries: Collection[str | int]) -> Members:
    users: set[int] = set()
    groups: set[int] = set()
    for entry in entries:
        try:
            number, is_group = _look_up(entry)
        except AccessError as error:
            raise AccessError(f"{setting}: {error}") from error
        (groups if is_group else users).add(number)
    return Members(frozenset(users), frozenset(groups))


def _look_up(entry: str | int) -> tuple[int, bool]:
    """Give the number of an entry, and whether it is a group's."""
    if isinstance(entry, str) and entry.startswith("@"):
        return group_id(entry[1:]), True
    return user_id(entry), False


def user_id(user: str | int) -> int:
    """Give the number of a user named in the configuration.

    Raises:
        AccessError: there is no such user.
    """
    number = _number(user)
    if number is not None:
        return number
    try:
        return pwd.getpwnam(str(user)).pw_uid
    except (KeyError, ValueError) as error:  # ValueError: characters that no name can have
        raise AccessError(f"there is no user {user!r} on this system (a group is written '@name')") from error


def group_id(group: str | int) -> int:
    """Give the number of a group named in the configuration (without `@`).

    Raises:
        AccessError: there is no such group.
    """
    number = _number(group)
    if number is not None:
        return number
    try:
        return grp.getgrnam(str(group)).gr_gid
    except (KeyError, ValueError) as error:
        raise AccessError(f"there is no group {group!r} on this system") from error


def _number(entry: str | int) -> int | None:
    """Read an entry that is a number; None for a name."""
    if isinstance(entry, str):
        # No user can have a name of digits only (useradd(8)), and a number this long is none either.
        if not (entry.isascii() and entry.isdigit() and len(entry) <= len(str(_NOBODY))):
            return None
        entry = int(entry)
    if isinstance(entry, bool) or not 0 <= entry < _NOBODY:
        raise AccessError(f"{entry!r} is not the id of a user or group")
    return entry
