"""What both clients are told when they are made."""

import os

DEFAULT_TIMEOUT = 1.0
"""Seconds for one request."""


def check_timeout(timeout: float) -> None:
    """Refuse a timeout with which no request could succeed.

    Raises:
        ValueError: it is not above 0.
    """
    if not timeout > 0:
        raise ValueError(f"the timeout must be above 0 seconds, not {timeout}")


def path_text(socket_path: str | os.PathLike[str] | None) -> str | None:
    """Return the path as text."""
    return None if socket_path is None else os.fspath(socket_path)
