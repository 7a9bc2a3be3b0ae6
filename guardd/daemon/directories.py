"""Directories that nobody else can tamper with, for the socket, the lock file, the database and its copies.

Every directory from the root down is looked at: whoever may rename one of them decides what lies below it.
"""

import grp
import os
import pwd
import stat
from pathlib import Path


class DirectoryError(Exception):
    """A directory cannot be used; the text says which one, why, and what to do."""


def secure_directory(path: Path) -> tuple[Path, ...]:
    """Make sure that a directory exists and that only root and this user decide what is in it.

    Missing directories are created with mode 0700, parents too. Those that exist must belong to root or to
    this user, and others may not write to them unless the sticky bit keeps them from renaming what is not
    theirs (`/tmp`). Links on the way are followed when root or this user made them, but never in a directory
    where anyone can make one.

    Args:
        path: the directory; a relative one counts from the working directory.

    Returns:
        The directories that were created, outermost first.

    Raises:
        DirectoryError: it cannot be created, or somebody else could replace what is in it.
    """
    return _walked(path, create=True)


def check_directory(path: Path) -> None:
    """Make sure of the same of a directory that has to exist; see `secure_directory`.

    Raises:
        DirectoryError: it does not exist, or somebody else could replace what is in it.
    """
    _walked(path, create=False)


def _walked(path: Path, *, create: bool) -> tuple[Path, ...]:
    try:
        return _walk(path, create=create)
    except OSError as error:
        place = error.filename if error.filename is not None else path
        raise DirectoryError(f"cannot use the directory {path}: {place}: {error.strerror}") from error
    except ValueError as error:  # a NUL, or a lone surrogate
        raise DirectoryError(f"{str(path)!r} cannot be the name of a directory: {error}") from error


def _walk(path: Path, *, create: bool) -> tuple[Path, ...]:
    """Go down a path one name at a time, resolving links by hand, and check or create each directory."""
    created: list[Path] = []
    current = Path("/")
    pending = list(reversed(path.absolute().parts[1:]))
    _check(current, current.lstat())
    while pending:
        name = pending.pop()
        if name == "..":
            current = current.parent  # `current` holds no link, so this is what the kernel would find
            continue
        step = current / name
        try:
            status = step.lstat()
        except FileNotFoundError:
            if not create:
                raise
            if _create(step):
                created.append(step)
            status = step.lstat()
        if not stat.S_ISLNK(status.st_mode):
            _check(step, status)
            current = step
            continue
        target = _target(step, status)
        if target.is_absolute():
            current = Path("/")
        pending.extend(reversed([part for part in target.parts if part != "/"]))
    return tuple(created)


def _create(path: Path) -> bool:
    """Create one directory; false when another process was faster."""
    try:
        path.mkdir(mode=0o700)
    except FileExistsError:
        return False
    return True


def trusted(status: os.stat_result) -> bool:
    """Tell whether a file belongs to root or to this user."""
    return status.st_uid in {0, os.geteuid()}


def _check(path: Path, status: os.stat_result) -> None:
    """Raise DirectoryError unless only root and this user can replace what is in a directory."""
    if not stat.S_ISDIR(status.st_mode):
        raise DirectoryError(f"{path} is not a directory")
    if not trusted(status):
        raise DirectoryError(
            f"the directory {path} belongs to {user_name(status.st_uid)}, who could replace what is in it: "
            "use a directory of your own or of root"
        )
    writers = other_writers(status)
    if writers and not status.st_mode & stat.S_ISVTX:
        raise DirectoryError(
            f"{writers} may write to the directory {path}: use another, or `chmod go-w {path}`"
        )


def _target(link: Path, status: os.stat_result) -> Path:
    """Read a link that may be followed; raise DirectoryError for any other."""
    if not trusted(status):
        raise DirectoryError(f"the symbolic link {link} belongs to user {user_name(status.st_uid)}")
    writers = other_writers(link.parent.stat())
    if writers:
        raise DirectoryError(
            f"{link} is a symbolic link, in a directory to which {writers} may write: remove it"
        )
    target = link.readlink()
    if not link.exists():  # nor does it when links lead in a circle
        raise DirectoryError(f"the symbolic link {link} points to {target}, which does not exist")
    return target


def other_writers(status: os.stat_result) -> str:
    """Say who may write to a directory beside its owner; empty for nobody."""
    if status.st_mode & stat.S_IWOTH:
        return "anyone"
    if status.st_mode & stat.S_IWGRP and not _only_owner_in_group(status):
        return f"the group {group_name(status.st_gid)}"
    return ""


def _only_owner_in_group(status: os.stat_result) -> bool:
    """Tell whether a directory's group is its owner's private one, as many systems make for each user.

    With such groups the usual umask is 002: a plain `~/.local` is group-writable, and still nobody else's.
    """
    try:
        owner = pwd.getpwuid(status.st_uid)
        group = grp.getgrgid(status.st_gid)
    except KeyError:
        return False
    return (
        owner.pw_gid == group.gr_gid
        and owner.pw_name == group.gr_name
        and set(group.gr_mem) <= {owner.pw_name}
    )


def user_name(user: int) -> str:
    """Give a user's name, for people; the number when it has none."""
    try:
        return pwd.getpwuid(user).pw_name
    except KeyError:
        return str(user)


def group_name(group: int) -> str:
    """Give a group's name, for people; the number when it has none."""
    try:
        return grp.getgrgid(group).gr_name
    except KeyError:
        return str(group)
