"""What the daemon says of its own errors: little to the peer, all to the log."""

import logging

from guardd.daemon.logs import fields
from guardd.protocol.errors import Denied, InternalError, MethodNotFound

logger = logging.getLogger("guardd.errors")

LONGEST_NAME_REPEATED = 60
"""Of a method that does not exist, in an error."""


def bug(error: Exception) -> InternalError:
    """Log what should not have happened; the peer is told no more than that."""
    logger.error(
        "a request failed inside guardd; this is a bug",
        exc_info=error,
        extra=fields(error=type(error).__name__),
    )
    return InternalError()


def no_method(name: str) -> MethodNotFound:
    """There is no such method; repeats only what is plainly a name, since it may be anything."""
    letters = name.replace(".", "").replace("_", "")
    if len(name) <= LONGEST_NAME_REPEATED and letters.isascii() and letters.isalpha():
        return MethodNotFound(f"there is no method {name!r}")
    return MethodNotFound("there is no method of that name")


def not_admitted(uid: int) -> Denied:
    """A user has no role."""
    return Denied(f"user {uid} may not connect; name it in guardd.socket.gateways or .readers")
