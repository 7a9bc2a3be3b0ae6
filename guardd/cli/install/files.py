"""Files as they are found, and written whole or not at all, with what they were kept beside them."""

import contextlib
import glob
import os
import stat
import time
from dataclasses import dataclass
from pathlib import Path

from guardd.cli.errors import Failure, Status
from guardd.cli.text import safe

LARGEST = 1 << 20
"""Bytes. A settings file is some kilobytes; one of this size is not one."""

CHANGED_MEANWHILE = "Nothing was written. Look at it, then run this again"


@dataclass(frozen=True, slots=True)
class Found:
    """A file as it was when it was read.

    Attributes:
        path: The file, as it was named.
        target: The file itself, where `path` is a symbolic link to it; else the same.
        content: What is in it; None where there is no such file.
        stat: Its status; None where there is no such file.
    """

    path: Path
    target: Path
    content: bytes | None
    stat: os.stat_result | None

    @property
    def text(self) -> str | None:
        """The content, decoded; a byte order mark stays a character of it.

        Raises:
            Failure: It is not UTF-8.
        """
        if self.content is None:
            return None
        try:
            return self.content.decode()
        except UnicodeDecodeError as error:
            line = self.content.count(b"\n", 0, error.start) + 1
            raise Failure(
                f"{shown(self.path)}, line {line}: not UTF-8 (byte 0x{self.content[error.start]:02x})",
                "Nothing was changed. Save the file as UTF-8, then run this again",
            ) from None


def find(path: Path) -> Found:
    """Read a file, or find that there is none.

    Raises:
        Failure: There is something, but it is no file or cannot be read.
    """
    try:
        target = path.resolve()
        descriptor = os.open(target, os.O_RDONLY | os.O_NONBLOCK)
    except (FileNotFoundError, NotADirectoryError):
        return Found(path, path.resolve(), None, None)
    except (OSError, RuntimeError) as error:  # a loop of links is a RuntimeError before Python 3.13
        raise _unreadable(path, error) from None
    status = os.fstat(descriptor)
    if not stat.S_ISREG(status.st_mode):
        os.close(descriptor)
        what = "a directory" if stat.S_ISDIR(status.st_mode) else "no regular file"
        raise Failure(f"{shown(path)} is {what}", "Name the file itself with --config FILE")
    with os.fdopen(descriptor, "rb") as stream:
        content = stream.read(LARGEST + 1)
    if len(content) > LARGEST:
        raise Failure(f"{shown(path)} is larger than {LARGEST >> 20} MiB", "Is it the right file?")
    return Found(path, target, content, status)


def backups(found: Found) -> list[Path]:
    """The copies that were made of a file before it was changed, the newest first."""
    name = found.target.name
    try:
        there = found.target.parent.glob(f"{glob.escape(name)}.guardd-*.bak")
        return sorted(there, key=lambda copy: copy.stat().st_mtime_ns, reverse=True)
    except OSError:
        return []


def check_writable(found: Found) -> None:
    """See that a file may be written, before anybody is asked.

    Raises:
        Failure: It may not.
    """
    if found.stat is None:
        return
    read_only = not stat.S_IMODE(found.stat.st_mode) & 0o222 or not _may_write(found.target)
    if read_only:
        raise Failure(
            f"{shown(found.target)} is read-only",
            "Make it writable, or change it where it is generated; --dry-run shows what to change",
            status=Status.DENIED,
        )
    if not _may_write(found.target.parent):
        raise Failure(
            f"{shown(found.target.parent)} is read-only, and a file in it cannot be replaced",
            "Run this as the user that the directory belongs to",
            status=Status.DENIED,
        )


def write(found: Found, content: bytes, mode: int) -> Path | None:
    """Put new content in the place of what was found.

    Args:
        found: The file as it was read; where it changed meanwhile, nothing is written.
        content: The new content.
        mode: The mode of a file that there was none of; one that there was keeps its own.

    Returns:
        The copy of the file as it was; None where there was none.

    Raises:
        Failure: Nothing was written, and why.
    """
    try:
        found.target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        draft = _draft(found, content, mode)
        try:
            return _put(found, draft)
        finally:
            draft.unlink(missing_ok=True)
    except OSError as error:
        raise _unwritable(found.target, error) from None


def delete(found: Found, *, copy: bool) -> Path | None:
    """Take away a file that was found.

    Args:
        found: The file as it was read; where it changed meanwhile, it stays.
        copy: Whether to leave a copy of it.

    Returns:
        The copy.

    Raises:
        Failure: Nothing was deleted, and why.
    """
    backup = None
    try:
        backup = _back_up(found) if copy else None
        _check_unchanged(found)
        found.target.unlink()
    except BaseException as error:
        if backup:
            backup.unlink()
        if isinstance(error, OSError):
            raise _unwritable(found.target, error) from None
        raise
    return backup


def shown(path: Path) -> str:
    """A file's name, fit for a terminal."""
    return safe(str(path))


def _may_write(path: Path) -> bool:
    return os.access(path, os.W_OK, effective_ids=os.access in os.supports_effective_ids)


def _draft(found: Found, content: bytes, mode: int) -> Path:
    draft = found.target.with_name(f".{found.target.name}.guardd-{os.getpid()}")
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(descriptor, "wb") as stream:
            _give(stream.fileno(), found.stat, mode)
            stream.write(content)
            stream.flush()
            os.fsync(stream.fileno())
    except BaseException:
        draft.unlink()
        raise
    return draft


def _put(found: Found, draft: Path) -> Path | None:
    if found.stat is None:
        try:
            found.target.hardlink_to(draft)  # unlike a rename it fails where there is a file by now
        except FileExistsError:
            raise _changed(found) from None
        _sync(found.target.parent)
        return None
    backup = _back_up(found)
    try:
        _check_unchanged(found)
        draft.replace(found.target)
    except BaseException:
        backup.unlink()
        raise
    _sync(found.target.parent)
    return backup


def _back_up(found: Found) -> Path:
    assert found.content is not None
    assert found.stat is not None
    moment = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime())
    for number in range(1000):
        extra = f"-{number}" if number else ""
        backup = found.target.with_name(f"{found.target.name}.guardd-{moment}{extra}.bak")
        with contextlib.suppress(FileExistsError):
            descriptor = os.open(backup, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with os.fdopen(descriptor, "wb") as stream:
                _give(stream.fileno(), found.stat, 0o600)
                stream.write(found.content)
                os.fsync(stream.fileno())
            return backup
    raise FileExistsError(17, "there are too many copies already")


def _give(descriptor: int, like: os.stat_result | None, mode: int) -> None:
    """Give a new file the owner, the group and the mode of the one that it replaces."""
    if like is None:
        os.fchmod(descriptor, mode)
        return
    own = os.fstat(descriptor)
    if (own.st_uid, own.st_gid) != (like.st_uid, like.st_gid):
        os.fchown(descriptor, like.st_uid, like.st_gid)
    os.fchmod(descriptor, stat.S_IMODE(like.st_mode))


def _check_unchanged(found: Found) -> None:
    now = find(found.path)
    known = (found.target, found.content, _identity(found.stat))
    if (now.target, now.content, _identity(now.stat)) != known:
        raise _changed(found)


def _identity(status: os.stat_result | None) -> tuple[int, ...] | None:
    return None if status is None else (status.st_dev, status.st_ino, status.st_mtime_ns, status.st_size)


def _sync(directory: Path) -> None:
    """Make a rename last; some file systems cannot, and do not need it."""
    with contextlib.suppress(OSError):
        descriptor = os.open(directory, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _changed(found: Found) -> Failure:
    return Failure(f"somebody else changed {shown(found.path)} meanwhile", CHANGED_MEANWHILE)


def _unreadable(path: Path, error: OSError | RuntimeError) -> Failure:
    reason = error.strerror if isinstance(error, OSError) else "the links to it go in a circle"
    denied = isinstance(error, PermissionError)
    advice = "Run this as the user that it belongs to" if denied else "Name another file with --config FILE"
    status = Status.DENIED if denied else Status.FAILED
    return Failure(f"cannot read {shown(path)}: {reason}", advice, status=status)


def _unwritable(target: Path, error: OSError) -> Failure:
    denied = isinstance(error, PermissionError)
    advice = "Run this as the user that it belongs to" if denied else "Nothing was changed"
    status = Status.DENIED if denied else Status.FAILED
    return Failure(f"cannot write {shown(target)}: {error.strerror or error}", advice, status=status)
