"""One request to the daemon, and its reply, before a deadline."""

import json
import os
import socket
import time

from guardd import paths

LARGEST = 4 * 1024 * 1024
"""Of a value, in bytes of JSON: the daemon takes frames of 16 MiB by default. A larger one is sent as a digest."""
BUSY_PAUSE = 0.01
"""Seconds to wait when the daemon's queue of new connections is full."""
_CHUNK = 65_536


class NotAnsweredError(Exception):
    """There was no answer; the text says why."""


def ask(method: str, params: dict[str, object], named: str | None, deadline: float) -> dict[str, object]:
    """Return the result of a method.

    Args:
        method: its name.
        params: its parameters.
        named: the daemon's socket; None for `$GUARDD_SOCKET`, else the usual places.
        deadline: until when, by `time.monotonic`.

    Raises:
        NotAnsweredError: the daemon is away, slow, or refuses.
    """
    message = b'{"jsonrpc":"2.0","id":1,"method":"%b","params":%b}\n' % (method.encode(), _encoded(params))
    try:
        connection = _connect(named, deadline)
        try:
            connection.settimeout(_left(deadline))
            connection.sendall(message)
            line = _read_line(connection, deadline)
        finally:
            connection.close()
    except TimeoutError:
        raise NotAnsweredError("guardd did not answer in time") from None
    except OSError as error:
        raise NotAnsweredError(f"guardd cannot be asked: {error.strerror or error}") from None
    return _result(line)


def _encoded(params: dict[str, object]) -> bytes:
    members = []
    for name, value in params.items():
        value_text = json.dumps(value, separators=(",", ":"))
        if len(value_text) > LARGEST:
            value_text = json.dumps(_stand_in(value))
        members.append(f'"{name}":{value_text}')
    return f"{{{','.join(members)}}}".encode("ascii")


def _stand_in(value: object) -> dict[str, object]:
    """Return what is sent instead of a value that is too large: its digest, so that repeats still show."""
    from hashlib import sha256  # noqa: PLC0415 - rarely needed

    whole = json.dumps(value, sort_keys=True).encode("ascii")
    return {"guardd:sha256": sha256(whole).hexdigest(), "bytes": len(whole)}


def _connect(named: str | None, deadline: float) -> socket.socket:
    """Return a connection to the first place where a daemon listens.

    Raises:
        NotAnsweredError: there is none that may be used.
        OSError: connecting failed; TimeoutError where the daemon was busy until the deadline.
    """
    uid = os.geteuid()
    candidates = [(named, True)] if named else paths.client_socket_candidates(os.environ, uid)
    reasons = []
    for path, is_named in candidates:
        if not is_named and (reason := paths.untrusted_reason(path, uid)):
            reasons.append(f"{path} ({reason})")
            continue
        try:
            return _connect_to(path, deadline)
        except (FileNotFoundError, NotADirectoryError, ConnectionRefusedError, PermissionError) as error:
            reasons.append(f"{path} ({error.strerror})")
    raise NotAnsweredError(f"no guardd at {', '.join(reasons)}")


def _connect_to(path: str, deadline: float) -> socket.socket:
    connection = socket.socket(socket.AF_UNIX)
    try:
        while True:
            connection.settimeout(_left(deadline))
            try:
                connection.connect(path)
            except BlockingIOError:
                time.sleep(BUSY_PAUSE)
            else:
                return connection
    except BaseException:
        connection.close()
        raise


def _read_line(connection: socket.socket, deadline: float) -> bytes:
    received = b""
    while not received.endswith(b"\n"):
        connection.settimeout(_left(deadline))
        chunk = connection.recv(_CHUNK)
        if not chunk:
            raise NotAnsweredError("guardd closed the connection")
        received += chunk
    return received


def _left(deadline: float) -> float:
    """Return the seconds that are left.

    Raises:
        TimeoutError: none are.
    """
    left = deadline - time.monotonic()
    if left <= 0:
        raise TimeoutError
    return left


def _result(line: bytes) -> dict[str, object]:
    try:
        reply = json.loads(line)
    except ValueError:
        reply = None
    if isinstance(reply, dict):
        result, error = reply.get("result"), reply.get("error")
        if isinstance(result, dict):
            return result
        if isinstance(error, dict):
            raise NotAnsweredError(f"guardd answered with an error: {error.get('message')}")
    raise NotAnsweredError("guardd's answer makes no sense")
