"""Which outcomes OpenClaw 2026.9 takes for the same, where detection.md does not; for the profile `openclaw-2026.9`.

The nonce of a complete wrapper around external content is no difference, a `write` that changes nothing has one
outcome, and commands that fail get a second form that leaves out times, attempts, durations and process ids.
All of it is the release's own, its oddities included: `volatile` masks more, and more carefully.
"""

import re
from typing import Final

from guardd.fingerprint.outcomes import SPACES

SENDING_TOOLS: Final = ("conversations_send", "conversations_turn")
"""Further tools that only send."""

UNCHANGED: Final = ["unchanged"]
"""What counts in the result of a `write` that changes nothing."""

_FLAGS: Final = re.ASCII | re.IGNORECASE
_CLOCK: Final = r"[0-9]{2}:[0-9]{2}(?:\.[0-9]{1,6})?"
_BEFORE_NUMBER: Final = rf"[{SPACES}#:=]*+[0-9]++"
_SHAPES: Final = (  # in this order, each over what the one before has left
    re.compile(
        rf"[0-9]{{4}}-[0-9]{{2}}-[0-9]{{2}}[t ][0-9]{{2}}:{_CLOCK}(?:z|[+-][0-9]{{2}}:[0-9]{{2}})?", _FLAGS
    ),
    re.compile(rf"[0-9]{{1,2}}:{_CLOCK}", _FLAGS),
    re.compile(rf"\b(?:attempt|retry)\b{_BEFORE_NUMBER}", _FLAGS),
    re.compile(
        rf"\b[0-9]++(?:\.[0-9]++)?+[{SPACES}]?(?:ns|us|ms|seconds?|minutes?|hours?|s)\b",
        _FLAGS,
    ),
    re.compile(rf"\bp?pid\b{_BEFORE_NUMBER}", _FLAGS),
)

_WRAPPER: Final = b"EXTERNAL_UNTRUSTED_CONTENT"
_MARKERS: Final = re.compile(
    rb'<<<(?P<end>END_)?EXTERNAL_UNTRUSTED_CONTENT(?: id=(?P<escape>\\*+)"(?P<nonce>[a-f0-9]{16})(?P=escape)">>>)?'
)
_QUOTES: Final = re.compile(rb'(?<!\\)\\*+"')
_NO_NONCE: Final = b"0" * 16


def without_nonces(data: bytes) -> bytes:
    """Take the nonces of complete wrappers out of a text, or out of JSON that holds such texts.

    A wrapper is complete where the marker after its beginning is its end, with the same nonce and its quotes escaped
    as often, and the content does not end the JSON string that both are in. A nonce that the content repeats stays.
    """
    if _WRAPPER not in data:
        return data
    kept: list[bytes] = []
    at = 0
    begin = None
    for marker in _MARKERS.finditer(data):
        if begin is not None and marker["end"] and _is_complete(data, begin, marker):
            kept += (data[at : begin.start("nonce")], _NO_NONCE)
            kept += (data[begin.end("nonce") : marker.start("nonce")], _NO_NONCE)
            at = marker.end("nonce")
        begin = None if marker["end"] or marker["nonce"] is None else marker
    return b"".join((*kept, data[at:]))


def _is_complete(data: bytes, begin: re.Match[bytes], end: re.Match[bytes]) -> bool:
    if (begin["nonce"], begin["escape"]) != (end["nonce"], end["escape"]):
        return False
    quote = len(begin["escape"]) + 1
    if quote & (quote - 1):  # escaping doubles it
        return False
    quotes = _QUOTES.finditer(data, begin.end("nonce"), end.start("nonce"))
    return all(len(found[0]) % quote == 0 for found in quotes)


def is_unchanged_write(tool: str, result: object) -> bool:
    """Say whether a `write` says that the file had that content already."""
    details = result.get("details") if tool == "write" and isinstance(result, dict) else None
    return isinstance(details, dict) and details.get("changed") is False


def failure_form(form: object) -> list[object] | None:
    """Give what commands that fail alike have in common; None for anything else.

    Args:
        form: What counts of a result, see `outcomes.normal_form`.
    """
    match form:
        case [
            "exec",
            ("completed" | "failed") as status,
            int() | float() as code,
            False,
            str() as output,
        ] if code and output not in ("", f"(Command exited with code {code})"):
            return ["exec", status, code, False, shape(output)]
    return None


def shape(output: str) -> str:
    """Give what a command printed with `#` for times, attempts, durations and process ids."""
    for pattern in _SHAPES:
        output = pattern.sub("#", output)
    return output
