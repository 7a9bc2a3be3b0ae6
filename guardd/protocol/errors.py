"""The errors of the wire: each is one class here, on both sides.

::

    RpcError
    ├── ParseError          -32700
    ├── InvalidRequest      -32600
    ├── MethodNotFound      -32601
    ├── InvalidParams       -32602  data.field, where one is to blame
    ├── InternalError       -32603  never says why
    ├── StorageUnavailable  -32000  data.kind storage_unavailable
    ├── FrameTooLarge       -32001  data.kind frame_too_large
    ├── Denied              -32002  data.kind denied
    ├── RunNotFound         -32003  data.kind run_not_found
    ├── RunAmbiguous        -32003  data.kind run_ambiguous, data.candidates
    ├── Overloaded          -32004  data.kind overloaded
    ├── ShuttingDown        -32005  data.kind shutting_down
    └── UnknownError        any other code, from a daemon newer than this client

``data.kind`` is for programs and comes from the closed set of `ErrorKind`; the message is for people.
"""

# ruff: noqa: N818 - the names are those of the protocol's own table

from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import ClassVar


class ErrorKind(StrEnum):
    """Every value that ``data.kind`` can have."""

    STORAGE_UNAVAILABLE = "storage_unavailable"
    FRAME_TOO_LARGE = "frame_too_large"
    DENIED = "denied"
    RUN_NOT_FOUND = "run_not_found"
    RUN_AMBIGUOUS = "run_ambiguous"
    OVERLOADED = "overloaded"
    SHUTTING_DOWN = "shutting_down"


class RpcError(Exception):
    """What a JSON-RPC error object says.

    Args:
        message: For people: what was wrong, and where possible what to do. The class's summary where absent.
        data: Further members of the error object's ``data``.
    """

    code: int
    kind: ClassVar[ErrorKind | None] = None
    summary: ClassVar[str]

    def __init__(self, message: str | None = None, data: Mapping[str, object] | None = None) -> None:
        self.message = _encodable(self.summary if message is None else message)
        self.data: dict[str, object] = {"kind": self.kind.value} if self.kind else {}
        self.data.update(data or {})
        super().__init__(self.message)

    def to_wire(self) -> dict[str, object]:
        """The JSON-RPC error object."""
        wire: dict[str, object] = {"code": self.code, "message": self.message}
        if self.data:
            wire["data"] = self.data
        return wire


class ParseError(RpcError):
    """The message is not valid JSON."""

    code = -32700
    summary = "the message is not valid JSON"


class InvalidRequest(RpcError):
    """It is JSON, but no JSON-RPC 2.0 request."""

    code = -32600
    summary = "the message is not a JSON-RPC 2.0 request"


class MethodNotFound(RpcError):
    """There is no method of this name."""

    code = -32601
    summary = "there is no such method"


class InvalidParams(RpcError):
    """A parameter is missing or wrong; the message and ``data.field`` say which and why.

    Args:
        message: Names the field and says why.
        field: The parameter's name on the wire, where one is to blame.
    """

    code = -32602
    summary = "the parameters are not valid"

    def __init__(self, message: str | None = None, field: str | None = None) -> None:
        self.field = None if field is None else _encodable(field)
        super().__init__(message, None if self.field is None else {"field": self.field})


class InternalError(RpcError):
    """A fault inside guardd; the details are in its log and nowhere else."""

    code = -32603
    summary = "internal error; the daemon's log says more"


class StorageUnavailable(RpcError):
    """The database cannot be written: nothing was recorded, reads go on."""

    code = -32000
    kind = ErrorKind.STORAGE_UNAVAILABLE
    summary = "the database cannot be written; nothing was recorded"


class FrameTooLarge(RpcError):
    """The message is above ``limits.frameMB``; the connection is closed after this error.

    Args:
        limit: The limit in bytes, where it is known.
    """

    code = -32001
    kind = ErrorKind.FRAME_TOO_LARGE
    summary = "the message is too large"

    def __init__(self, limit: int | None = None) -> None:
        super().__init__(None if limit is None else f"the message is larger than {limit} bytes")


class Denied(RpcError):
    """The peer's user may not do this."""

    code = -32002
    kind = ErrorKind.DENIED
    summary = "this user may not do that"


class RunNotFound(RpcError):
    """No run is meant by what was given."""

    code = -32003
    kind = ErrorKind.RUN_NOT_FOUND
    summary = "there is no such run"


class RunAmbiguous(RpcError):
    """Several runs are meant, by a prefix or an id of several sources; ``data.candidates`` names them.

    Args:
        message: For people.
        candidates: What each of the runs (or the first of many) can be called instead.
    """

    code = -32003
    kind = ErrorKind.RUN_AMBIGUOUS
    summary = "more than one run is meant"

    def __init__(self, message: str | None = None, candidates: Sequence[str] = ()) -> None:
        self.candidates = [_encodable(candidate) for candidate in candidates]
        super().__init__(message, {"candidates": self.candidates})


class Overloaded(RpcError):
    """Too many connections, or too much unanswered work; try again."""

    code = -32004
    kind = ErrorKind.OVERLOADED
    summary = "too busy; try again"


class ShuttingDown(RpcError):
    """The daemon is stopping."""

    code = -32005
    kind = ErrorKind.SHUTTING_DOWN
    summary = "the daemon is shutting down"


class UnknownError(RpcError):
    """An error that this version does not know, kept as it came."""

    summary = "unknown error"

    def __init__(
        self, code: int, message: str | None = None, data: Mapping[str, object] | None = None
    ) -> None:
        self.code = code
        super().__init__(message, data)


ERRORS: tuple[type[RpcError], ...] = (
    ParseError,
    InvalidRequest,
    MethodNotFound,
    InvalidParams,
    InternalError,
    StorageUnavailable,
    FrameTooLarge,
    Denied,
    RunNotFound,
    RunAmbiguous,
    Overloaded,
    ShuttingDown,
)
"""Every error that a daemon of this version answers with."""

_BY_CODE_AND_KIND: dict[tuple[int, object], type[RpcError]] = {
    (error.code, error.kind and error.kind.value): error for error in ERRORS
}


def from_wire(error: object) -> RpcError:
    """The error that an error object means; whatever it holds, some error comes of it.

    Args:
        error: The ``error`` member of a reply, decoded.
    """
    members = error if isinstance(error, dict) else {}
    code = members.get("code")
    message = members.get("message")
    data = members.get("data")
    data = data if isinstance(data, dict) else {}
    message = message if isinstance(message, str) else None
    if not isinstance(code, int) or isinstance(code, bool):
        return UnknownError(InternalError.code, message, data)
    kind = data.get("kind")
    found = _BY_CODE_AND_KIND.get((code, kind if isinstance(kind, str) else None))
    if found is None:
        return UnknownError(code, message, data)
    return _restore(found, message, data)


def _restore(kind: type[RpcError], message: str | None, data: dict[str, object]) -> RpcError:
    """An error as received: its text and all of its data, whatever its own constructor would have written."""
    restored = kind.__new__(kind)
    RpcError.__init__(restored, message, data)
    if isinstance(restored, InvalidParams):
        field = data.get("field")
        restored.field = field if isinstance(field, str) else None
    elif isinstance(restored, RunAmbiguous):
        candidates = data.get("candidates")
        listed = candidates if isinstance(candidates, list) else []
        restored.candidates = [candidate for candidate in listed if isinstance(candidate, str)]
    return restored


def _encodable(text: str) -> str:
    """The text with lone surrogates spelt out: it has to be written as UTF-8."""
    return text.encode("utf-8", "backslashreplace").decode()
