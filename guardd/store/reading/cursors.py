"""Opaque cursors: where a list goes on."""

import base64
import json

from guardd.protocol.errors import InvalidParams

_LARGEST = 2**63 - 1
"""Of SQLite's integers."""


def encode_cursor(*position: int | str) -> str:
    """A cursor for a position in a list."""
    return base64.urlsafe_b64encode(json.dumps(position).encode()).decode().rstrip("=")


def decode_cursor(cursor: str, *types: type) -> list[int | str]:
    """The position that a cursor stands for.

    Raises:
        InvalidParams: it is not one that this list gave out.
    """
    try:
        position = json.loads(base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)))
    except (ValueError, RecursionError):
        position = None
    if not isinstance(position, list) or [type(part) for part in position] != list(types):
        raise unknown_cursor()
    if any(isinstance(part, int) and not 0 <= part <= _LARGEST for part in position):
        raise unknown_cursor()
    return position


def unknown_cursor() -> InvalidParams:
    """The error for a cursor that the list did not give out."""
    return InvalidParams("cursor is not one that this list gave out", field="cursor")
