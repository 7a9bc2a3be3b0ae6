"""One daemon for one database.

Two connections that write to or checkpoint one database at once have corrupted it in many versions of SQLite,
so a daemon holds a lock file beside its database while it runs. The kernel gives the lock back when the
process ends, however it ends. The file itself stays: were it removed, two daemons could hold locks on two
files of the same name.
"""

import contextlib
import errno
import fcntl
import os
import stat
from pathlib import Path
from types import TracebackType
from typing import Self

from guardd.daemon.directories import DirectoryError, secure_directory, trusted, user_name

_NUMBER_BYTES = 32  # more than any process id has digits


class LockError(Exception):
    """The database's lock cannot be had; the text says why and what to do."""


class LockHeldError(LockError):
    """Another process holds it."""


class DatabaseLock:
    """The lock of one database, held from `acquire` until `release` or the end of the process.

    It works between processes and within one. It says nothing about processes that do not ask for it.
    """

    def __init__(self, database: Path, descriptor: int) -> None:
        self.database = database
        """Its path with symbolic links resolved, so that it has one lock whatever link it is opened by."""
        self._descriptor: int | None = descriptor

    @classmethod
    def acquire(cls, database: Path) -> Self:
        """Take the lock of a database, at once or not at all; its directory is created (0700) when missing.

        Raises:
            LockError: another process holds it (the text has its process id), or others could tamper with the
                database or its lock where they are.
        """
        try:
            secure_directory(database.parent)  # before links are resolved, because it looks at them
            _check_owner(database)
            database = database.resolve()
            secure_directory(database.parent)
            _check_files(database)
        except DirectoryError as error:
            raise LockError(f"cannot use the database {database}: {error}") from error
        except (OSError, RuntimeError, ValueError) as error:  # RuntimeError: a loop of links
            raise LockError(f"{str(database)!r} cannot be the path of a database: {error}") from error
        path = database.with_name(f"{database.name}.lock")
        try:
            descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        except OSError as error:
            raise LockError(f"cannot open the lock file {path}: {_reason(error)}") from error
        try:
            _lock(descriptor, database, path)
        except BaseException:
            os.close(descriptor)
            raise
        return cls(database, descriptor)

    def release(self) -> None:
        """Give the lock back; a second call does nothing."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.release()


def _check_owner(path: Path) -> None:
    try:
        status = path.lstat()
    except FileNotFoundError:
        return
    if not trusted(status):
        raise LockError(f"{path} belongs to user {user_name(status.st_uid)}: use another database (--db)")


def _check_files(database: Path) -> None:
    """Refuse a database whose files another user has laid there, as anyone can in `/tmp`."""
    for suffix in ("", "-wal", "-shm", "-journal"):
        path = database.with_name(database.name + suffix)
        _check_owner(path)
        if path.is_symlink() or (path.exists() and not path.is_file()):
            raise LockError(f"{path} is not a regular file, so it can be no database; name another with --db")


def _reason(error: OSError) -> str:
    match error.errno:
        case errno.ELOOP:
            return "it is a symbolic link; remove it"
        case errno.EACCES | errno.EPERM:
            return "permission denied; does it, or its directory, belong to another user?"
        case _:
            return error.strerror or str(error)


def _lock(descriptor: int, database: Path, path: Path) -> None:
    """Lock an open lock file and write our process id into it, for people."""
    status = os.fstat(descriptor)
    if not stat.S_ISREG(status.st_mode):
        raise LockError(f"{path} is not a regular file: remove it")
    if not trusted(status):  # who could keep it locked for ever
        raise LockError(f"{path} belongs to user {user_name(status.st_uid)}: use another database (--db)")
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        raise LockHeldError(
            f"another guardd{_holder(descriptor)} has the database {database} open: "
            "stop it first, or name another database with --db"
        ) from error
    except OSError as error:  # some network file systems
        raise LockError(
            f"cannot lock {path}: {error.strerror}; the database must be on a local file system"
        ) from error
    with contextlib.suppress(OSError):  # a full disk does not make the lock any weaker
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, b"%d\n" % os.getpid(), 0)


def _holder(descriptor: int) -> str:
    """Say which process holds a lock, as far as its file tells."""
    written = os.pread(descriptor, _NUMBER_BYTES, 0).strip()
    return f" (process {int(written)})" if written.isdigit() else ""
