r"""Any Python value as JSON text, always, and the same text for the same value.

What an agent passes to a tool and gets from it is often not JSON: paths, times, bytes, sets, objects. The
guard only compares calls, so each value needs a text that equals that of an equal value and differs from
that of another one; memory addresses are therefore left out of an object's ``repr``. Nothing here raises.

==============================  =======================================================================
value                           becomes
==============================  =======================================================================
what ``json`` encodes           itself
NaN, infinities                 ``"NaN"``, ``"Infinity"``, ``"-Infinity"``
a lone surrogate in a string    spelt out, as ``\udc80``
bytes                           their text in UTF-8, other bytes spelt out, as ``\xff``
paths                           their text
dates and times                 ISO 8601
sets                            a list in a fixed order
pydantic models, arrays         what ``model_dump`` and ``tolist`` give
dataclass instances             an object of their fields
exceptions                      their type and text
other objects                   their ``repr``, or what ``vars`` holds where that would be the default one
a value that holds itself       ``"guardd:circular"`` at that place
deeper than `MAX_DEPTH`         ``"guardd:too deep"`` at that place
==============================  =======================================================================
"""

import json
import os
import re
from collections.abc import Iterable, Mapping

MAX_DEPTH = 200
"""How deeply a value that `json` refuses is followed."""

_CONVERSIONS: tuple[tuple[str, dict[str, object]], ...] = (
    ("__fspath__", {}),
    ("isoformat", {}),
    ("model_dump", {"mode": "json", "by_alias": True}),
    ("tolist", {}),  # an array's repr leaves out its middle
)
_ADDRESS = re.compile(r"\bat 0x[0-9A-Fa-f]+")
_dumps = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode


def encode(value: object) -> bytes:
    """Return the value as JSON text in UTF-8, on one line."""
    try:
        return _dumps(value).encode()
    except Exception:  # noqa: BLE001 - objects may raise anything when looked at; the table says what follows
        return _dumps(_Plain().of(value)).encode()


def encode_params(params: Mapping[str, object], frame_limit: int) -> bytes:
    """Return a request's parameters as JSON text that fits into a frame, with a ``requestId`` of its own.

    A value of more than two fifths of the limit (there are at most two large ones, arguments and result) is
    replaced by its digest.
    """
    members = {"requestId": os.urandom(16).hex(), **params}
    texts = ((encode(name), encode(value)) for name, value in members.items())
    most = frame_limit * 2 // 5
    return b"{%s}" % b",".join(
        b"%s:%s" % (name, text if len(text) <= most else _stand_in(text)) for name, text in texts
    )


def _stand_in(text: bytes) -> bytes:
    """Return what is sent instead of a text that is too large: its digest, so that repeats still show."""
    import hashlib  # noqa: PLC0415 - rarely needed, and a hook pays for every import

    return _dumps({"guardd:sha256": hashlib.sha256(text).hexdigest(), "bytes": len(text)}).encode()


def error_text(error: object) -> object:
    """Return an exception as ``Type: text`` without memory addresses, and anything else as it is."""
    if not isinstance(error, BaseException):
        return error
    name = type(error).__name__
    try:
        text = str(error)
    except Exception:  # noqa: BLE001 - an exception's own code
        return name
    return _without_addresses(f"{name}: {text}" if text else name)


class _Plain:
    """Makes values of what `json` encodes for certain."""

    def __init__(self) -> None:
        self._open: set[int] = set()  # the containers that the current place is inside of

    def of(self, value: object) -> object:
        """Return the plain value; see the module's table."""
        if value is None or isinstance(value, bool):
            return value
        if isinstance(value, str):
            return _text(value)
        if isinstance(value, int):
            return _number(value)
        if isinstance(value, float):
            return _float(value)
        return self._inside(value)

    def _inside(self, value: object) -> object:
        if id(value) in self._open:
            return "guardd:circular"
        if len(self._open) >= MAX_DEPTH:
            return "guardd:too deep"
        self._open.add(id(value))
        try:
            return self._container(value)
        except RecursionError:
            return "guardd:too deep"
        except Exception:  # noqa: BLE001 - the object's own code: its repr, its model_dump, its keys
            return f"guardd:{type(value).__qualname__}"
        finally:
            self._open.discard(id(value))

    def _container(self, value: object) -> object:
        if isinstance(value, Mapping):
            return {self._key(key): self.of(member) for key, member in value.items()}
        if isinstance(value, (list, tuple)):
            return [self.of(member) for member in value]
        if isinstance(value, (set, frozenset)):
            return sorted((self.of(member) for member in value), key=_dumps)
        if isinstance(value, (bytes, bytearray, memoryview)):
            return bytes(value).decode("utf-8", "backslashreplace")
        return self._object(value)

    def _object(self, value: object) -> object:
        if isinstance(value, type):
            return value.__qualname__
        if isinstance(value, BaseException):
            return self.of(error_text(value))
        for name, options in _CONVERSIONS:
            method = getattr(value, name, None)
            if callable(method):
                return self.of(method(**options))
        fields: Iterable[str] | None = getattr(value, "__dataclass_fields__", None)
        if fields is not None:
            return {name: self.of(getattr(value, name, None)) for name in fields}
        if type(value).__repr__ is object.__repr__ and hasattr(value, "__dict__"):
            return {"guardd:type": type(value).__qualname__, **self._members(vars(value))}
        return _without_addresses(repr(value))

    def _members(self, members: Mapping[str, object]) -> dict[str, object]:
        return {_text(name): self.of(member) for name, member in members.items()}

    def _key(self, key: object) -> str:
        """Return an object's key, as `json` makes it of those that it accepts."""
        plain = self.of(key)
        return plain if isinstance(plain, str) else _dumps(plain)


def _text(value: str) -> str:
    return value.encode("utf-8", "backslashreplace").decode()


def _number(value: int) -> object:
    try:
        int.__repr__(value)
    except ValueError:  # above the interpreter's limit for decimal digits
        return f"guardd:{value:x}"
    return int(value)


def _float(value: float) -> object:
    if value != value:  # noqa: PLR0124 - only NaN differs from itself
        return "NaN"
    if value in (float("inf"), float("-inf")):
        return "Infinity" if value > 0 else "-Infinity"
    return float(value)


def _without_addresses(text: str) -> str:
    return _text(_ADDRESS.sub("at 0x", text))
