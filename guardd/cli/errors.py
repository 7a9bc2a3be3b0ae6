"""What went wrong, in words for a person, and the exit statuses of commands.md.

Every error that a program shows says what to do next where there is something to do.
"""

from enum import IntEnum
from typing import TYPE_CHECKING

from guardd.cli.text import safe

if TYPE_CHECKING:
    from guardd.protocol.errors import RpcError

_ASK_FOR_ACCESS = "Use the daemon's own user or root; whom guardd.socket.readers names may look, and no more"
_SHOWN_CANDIDATES = 10


class Status(IntEnum):
    """Exit statuses, as commands.md lists them; `INTERRUPTED` is a shell's own for Ctrl-C."""

    DONE = 0
    FAILED = 1
    USAGE = 2
    NO_DAEMON = 3
    DENIED = 4
    NOT_FOUND = 5
    INTERRUPTED = 130


class Failure(Exception):  # noqa: N818 - of the program, not of a function
    """Ends a program with a message, advice and an exit status.

    Args:
        message: What happened, without a full stop.
        advice: What to do next, one line each; may be none.
        status: The exit status.
    """

    def __init__(self, message: str, *advice: str, status: Status = Status.FAILED) -> None:
        super().__init__(message)
        self.message = message
        self.advice = advice
        self.status = status

    def in_words(self, program: str) -> str:
        """The message, after the program's name, and the advice, indented."""
        return "\n  ".join((f"{program}: {self.message}", *self.advice))


def unavailable(error: Exception) -> Failure:
    """What it means that no daemon answered.

    Args:
        error: A `GuardUnavailable` of the client's, whose text says where it looked and how to start one.
    """
    return Failure(
        str(error),
        "A daemon that listens elsewhere is named with --socket PATH or $GUARDD_SOCKET",
        status=Status.NO_DAEMON,
    )


def kept_out(error: Exception) -> Failure:
    """What it means that permissions keep this user out: a `GuardDenied`, which says what to do."""
    return Failure(str(error), status=Status.DENIED)


def answered(error: "RpcError") -> Failure:  # noqa: PLR0911 - one for each error
    """What an error that the daemon answered with means to a person."""
    from guardd.protocol import errors as wire  # noqa: PLC0415 - nothing went wrong most of the time

    match error:
        case wire.RunNotFound():
            return Failure(safe(error.message), "guardctl runs shows what there is", status=Status.NOT_FOUND)
        case wire.RunAmbiguous():
            names = [safe(name) for name in error.candidates]
            more = [f"… and {len(names) - _SHOWN_CANDIDATES} more"] if len(names) > _SHOWN_CANDIDATES else []
            advice = ("Say more of the id, or the source before it:", *names[:_SHOWN_CANDIDATES], *more)
            return Failure(safe(error.message), *advice, status=Status.NOT_FOUND)
        case wire.Denied():
            return Failure(safe(error.message), _ASK_FOR_ACCESS, status=Status.DENIED)
        case wire.InvalidParams():
            return Failure(safe(error.message))
        case wire.MethodNotFound():
            return Failure(
                "the running daemon does not know this yet", "Restart it with the version that guardctl has"
            )
        case wire.StorageUnavailable():
            return Failure(
                safe(error.message), "guardctl status shows where the database is; look for a full disk there"
            )
        case wire.Overloaded():
            return Failure(safe(error.message), "Try again in a moment")
        case wire.ShuttingDown():
            return Failure(safe(error.message), "Try again in a moment", status=Status.NO_DAEMON)
        case _:
            return Failure(f"{safe(error.message)} (error {error.code})", "guardd's log may say more")
