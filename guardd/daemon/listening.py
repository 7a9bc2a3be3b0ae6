"""The daemon's listening socket: bound here, or handed over by systemd.

We bind it ourselves because asyncio, given a path, removes whatever socket lies there, a live daemon's too. A
listening socket goes to `create_unix_server(sock=…)`; from Python 3.13 on with `cleanup_socket=False`,
because removing it is for `Listener.close`.
"""

import contextlib
import errno
import fcntl
import logging
import os
import socket
import stat
import time
from collections.abc import Iterator, MutableMapping
from pathlib import Path

from guardd.daemon.access import AccessError, group_id, peer_of
from guardd.daemon.directories import DirectoryError, group_name, secure_directory, trusted, user_name
from guardd.daemon.logs import fields

logger = logging.getLogger(__name__)

_PATH_BYTES_AT_MOST = 107  # sun_path of unix(7), less the NUL at its end
_FIRST_PASSED_DESCRIPTOR = 3  # SD_LISTEN_FDS_START of sd_listen_fds(3)
_LOCK_SECONDS = 2.0
_ADVICE = "name another with --socket, $GUARDD_SOCKET or guardd.socket.path"


class ListenError(Exception):
    """The socket cannot be had; the text says what is wrong and what to do."""


class Listener:
    """A listening Unix socket, non-blocking.

    Attributes:
        socket: the socket, to be given to the event loop.
        path: where clients find it; None for an abstract socket of systemd's.
    """

    def __init__(self, listening: socket.socket, path: Path | None, pin: int | None) -> None:
        self.socket = listening
        self.path = path
        # A descriptor of the socket's file; None where systemd made that, and keeps it. While it is open, no other
        # file can get the same inode number.
        self._pin = pin

    def close(self) -> None:
        """Close the socket, and remove its file if it is the one that we made; a second call does nothing.

        Call it after the event loop's server was closed.
        """
        if self._pin is not None and self.path is not None:
            ours = os.fstat(self._pin)
            with contextlib.suppress(OSError):  # gone already, or its directory is
                if os.path.samestat(ours, self.path.lstat()):
                    self.path.unlink()
            os.close(self._pin)
            self._pin = None
        self.socket.close()


def bind(path: Path, group: str | int | None = None) -> Listener:
    """Bind a Unix socket and listen on it.

    Its directory is created when missing. A socket that a daemon left behind is replaced, never one that is
    in use nor any other file. The socket is for this user only (0600), or for one more group (0660), from the
    first moment at which it takes connections.

    Args:
        path: where, 107 bytes at most.
        group: the name or id of the group that may connect too.

    Raises:
        ListenError: another daemon listens there, the path or its directory cannot be used, or the group is
            unknown or not this user's to give.
    """
    path = path.absolute()
    _check_name(path)
    try:
        gid = None if group is None else group_id(group)
        created = secure_directory(path.parent)
    except AccessError as error:
        raise ListenError(f"socket.group: {error}") from error
    except DirectoryError as error:
        raise ListenError(f"cannot listen at {path}: {error}") from error
    try:
        if gid is not None:
            _admit(gid, path.parent, created)
        with _one_at_a_time(path.parent):
            _clear(path)
            return _bind(path, gid)
    except PermissionError as error:
        raise ListenError(
            f"cannot listen at {path}: "
            f"user {user_name(os.geteuid())} may not write to the directory {path.parent}; {_ADVICE}"
        ) from error
    except OSError as error:
        raise ListenError(f"cannot listen at {path}: {error.strerror or error}; {_ADVICE}") from error


def _check_name(path: Path) -> None:
    try:
        encoded = os.fsencode(path)
    except UnicodeEncodeError:
        encoded = b"\0"
    if b"\0" in encoded:
        raise ListenError(f"{str(path)!r} cannot be the path of a socket; {_ADVICE}")
    if path.name in {"", ".."}:
        raise ListenError(f"{path} is a directory, not the path of a socket; {_ADVICE}")
    if len(encoded) > _PATH_BYTES_AT_MOST:
        raise ListenError(
            f"the socket's path {path} has {len(encoded)} bytes, "
            f"and the kernel takes {_PATH_BYTES_AT_MOST}; {_ADVICE}"
        )


def _admit(gid: int, directory: Path, created: tuple[Path, ...]) -> None:
    """Let a group through the directories that we made; say so when another one keeps it out."""
    for made in created:
        _give_to_group(made, gid)
        made.chmod(0o710)
    for place in (directory, *directory.parents):
        status = place.stat()
        way_in = stat.S_IXGRP if status.st_gid == gid else stat.S_IXOTH
        if not status.st_mode & way_in:
            logger.warning(
                "the socket's group cannot enter a directory on its path",
                extra=fields(group=group_name(gid), directory=place),
            )


def _give_to_group(path: Path, gid: int) -> None:
    try:
        os.chown(path, -1, gid, follow_symlinks=False)
    except PermissionError as error:
        raise ListenError(
            f"socket.group: {path} cannot be given to the group {group_name(gid)}: "
            f"user {user_name(os.geteuid())} is not in it"
        ) from error


@contextlib.contextmanager
def _one_at_a_time(directory: Path) -> Iterator[None]:
    """Keep other daemons from this directory while we look at the old socket and make ours.

    Without it two could find the same dead socket, and the slower one would remove the faster one's live one.
    """
    descriptor = os.open(directory, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        deadline = time.monotonic() + _LOCK_SECONDS
        while True:
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError as error:
                if time.monotonic() > deadline:
                    raise ListenError(f"another process keeps the directory {directory} locked") from error
                time.sleep(0.01)
        yield
    finally:
        os.close(descriptor)


def _clear(path: Path) -> None:
    """Make room for our socket: remove a dead one, raise ListenError for anything else."""
    try:
        status = path.lstat()
    except FileNotFoundError:
        return
    if stat.S_ISLNK(status.st_mode):
        raise ListenError(
            f"{path} is a symbolic link (to {path.readlink()}), not a socket: remove it, or {_ADVICE}"
        )
    if not stat.S_ISSOCK(status.st_mode):
        raise ListenError(f"{path} exists and is not a socket: remove it if you do not need it, or {_ADVICE}")
    if not trusted(status):
        raise ListenError(f"{path} is a socket of user {user_name(status.st_uid)}; {_ADVICE}")
    _refuse_if_live(path)
    path.unlink(missing_ok=True)


def _refuse_if_live(path: Path) -> None:
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
        probe.setblocking(False)
        who = ""
        try:
            probe.connect(os.fspath(path))
            who = f" (process {peer_of(probe).pid})"
        except (ConnectionRefusedError, FileNotFoundError):
            return  # nobody listens
        except BlockingIOError:
            pass  # somebody listens, and is busy
        except OSError as error:
            if error.errno != errno.EPROTOTYPE:
                raise
            raise ListenError(
                f"{path} is in use, and not by guardd: it is no stream socket; {_ADVICE}"
            ) from error
    raise ListenError(f"another guardd is running at {path}{who}: stop it first, or {_ADVICE}")


def _bind(path: Path, gid: int | None) -> Listener:
    """Bind, set owner and mode, then listen: before that, every connection is refused by the kernel."""
    listening = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        before = os.umask(0o177)
        try:
            listening.bind(os.fspath(path))
        finally:
            os.umask(before)
        pin = os.open(path, os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC)
    except BaseException:
        listening.close()
        raise
    listener = Listener(listening, path, pin)
    try:
        if gid is not None:
            _give_to_group(path, gid)
        # The umask does not count where the directory has a default access control list.
        path.chmod(0o600 if gid is None else 0o660)
        listening.listen(socket.SOMAXCONN)
        listening.setblocking(False)
    except BaseException:
        listener.close()
        raise
    return listener


def passed_by_systemd(environ: MutableMapping[str, str] = os.environ) -> list[Listener]:
    """Take over the sockets that systemd opened for this process, by sd_listen_fds(3).

    The variables are taken out of the environment, so that no child believes that they are meant for it.

    Returns:
        One listener for each socket; none when the process was not started by a socket.

    Raises:
        ListenError: what was passed is not a listening Unix stream socket.
    """
    process = environ.pop("LISTEN_PID", "")
    count = environ.pop("LISTEN_FDS", "")
    names = environ.pop("LISTEN_FDNAMES", "").split(":")
    environ.pop("LISTEN_PIDFDID", None)
    if process != str(os.getpid()):
        return []
    if not (count.isascii() and count.isdigit()):
        raise ListenError(f"LISTEN_FDS is not a number: {count!r}")
    listeners: list[Listener] = []
    try:
        for index in range(int(count)):
            name = names[index] if index < len(names) else ""
            listeners.append(_take_over(_FIRST_PASSED_DESCRIPTOR + index, name))
    except BaseException:
        for listener in listeners:
            listener.close()
        raise
    return listeners


def _take_over(descriptor: int, name: str) -> Listener:
    what = f"the descriptor {descriptor} ({name or 'unnamed'}) that systemd passed"
    try:
        os.set_inheritable(descriptor, False)
        passed = socket.socket(fileno=descriptor)
    except OSError as error:
        raise ListenError(f"{what} is not a socket: {error.strerror}") from error
    suitable = (
        passed.family == socket.AF_UNIX
        and passed.type == socket.SOCK_STREAM
        and passed.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN)
    )
    if not suitable:
        passed.close()
        raise ListenError(
            f"{what} is not a listening Unix stream socket: "
            "its unit needs ListenStream= with a path, and Accept=no"
        )
    passed.setblocking(False)
    address = passed.getsockname()
    path = Path(address) if isinstance(address, str) and address else None
    return Listener(passed, path, None)
