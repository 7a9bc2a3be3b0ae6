"""Finding the daemon's socket and connecting to it."""

import errno
import os
import socket
import stat

from guardd import paths
from guardd.client.exceptions import GuardDenied, GuardUnavailable

CHUNK = 64 * 1024
"""Bytes that are read at once."""

BUSY_PAUSE = 0.01
"""Seconds to wait when the daemon's queue of new connections is full."""


def open_socket(socket_path: str | None) -> socket.socket:
    """Connect to the first place where a daemon listens; the socket does not block.

    Args:
        socket_path: The only place to look, or None for ``$GUARDD_SOCKET``, else the usual places. The usual
            places are only used if they belong to root or to this user.

    Raises:
        BlockingIOError: too many others are connecting; try again in `BUSY_PAUSE`.
        GuardDenied: a socket is there, but its permissions keep this user out.
        GuardUnavailable: nobody listens at any of them; the text says what to do.
    """
    uid = os.geteuid()
    candidates = [(socket_path, True)] if socket_path else paths.client_socket_candidates(os.environ, uid)
    denied = []
    distrusted = []
    for path, named in candidates:
        if not named and (reason := paths.untrusted_reason(path, uid)):
            distrusted.append(reason)
            continue
        try:
            return _connect(path)
        except BlockingIOError:
            raise
        except PermissionError:
            denied.append(path)
        except OSError as error:
            if named and error.errno == errno.ECONNREFUSED and not _is_socket(path):
                raise GuardUnavailable(f"no guardd at {path}: that is not a socket") from None
            if error.errno not in (errno.ENOENT, errno.ENOTDIR, errno.ECONNREFUSED):
                raise GuardUnavailable(
                    f"cannot connect to guardd at {path}: {error.strerror or error}"
                ) from None
    raise _nobody([path for path, _ in candidates], denied, distrusted)


def _connect(path: str) -> socket.socket:
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        connection.setblocking(False)  # a Unix socket connects at once or not at all
        connection.connect(path)
    except BaseException:
        connection.close()
        raise
    return connection


def _is_socket(path: str) -> bool:
    try:
        return stat.S_ISSOCK(os.stat(path).st_mode)  # noqa: PTH116 - pathlib is not needed here
    except OSError:  # it is gone by now
        return True


def _nobody(places: list[str], denied: list[str], distrusted: list[str]) -> GuardUnavailable:
    if denied:
        return GuardDenied(
            f"the permissions of {denied[0]} keep user {os.geteuid()} out: "
            "name a group of this user as guardd.socket.group in guardd's configuration"
        )
    text = f"no guardd at {', '.join(places)}: start it with `guardd serve`"
    if distrusted:
        text += f" (not used, since {'; '.join(distrusted)}: set $GUARDD_SOCKET if that is the one you mean)"
    return GuardUnavailable(text)
