"""How long a poll waits for news: it asks the same with another patience."""

import re
from typing import Final

import msgspec

from guardd.fingerprint.arguments import Arguments
from guardd.fingerprint.canonical import encode

# OpenClaw and Claude Code say timeout, GitHub Copilot CLI delay, Gemini CLI delay_ms, Codex yield_time_ms, Cursor
# block_until_ms.
_WAITING: Final = re.compile(r"(?:wait|timeout|delay|yield)(?:[A-Z_]|\Z)|block_until_ms\Z")


def without_waiting(arguments: Arguments) -> Arguments:
    """Leave out the numbers that say how long to wait: ``timeout``, ``waitMs``, ``delay_ms`` and the like.

    Only those of the outermost object. Arguments without one are given back as they are.
    """
    if not isinstance(arguments.value, dict):
        return arguments
    kept = {key: member for key, member in arguments.value.items() if not _is_waiting(key, member)}
    return arguments if len(kept) == len(arguments.value) else Arguments(kept, encode(kept))


def _is_waiting(key: str, value: object) -> bool:
    is_number = isinstance(value, int | float | msgspec.Raw) and not isinstance(value, bool)
    return is_number and _WAITING.match(key) is not None
