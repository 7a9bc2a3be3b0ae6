"""With which exit code a command ended, where the agent reports that as a success."""

import re
from typing import Final

_KEYS: Final = ("exitCode", "exit_code")
_PLACES: Final = ("details", "metadata")
"""Where OpenClaw and Codex CLI have them; Cursor has them in the result itself."""

_OF_CODEX: Final = re.compile(r"^(?:Process exited with code|Exit code:) (-?\d+)$", re.MULTILINE)
_HEAD_END: Final = "Output:\n"
_OF_GEMINI: Final = re.compile(
    r"\nExit Code: (-?\d+)(?:\n(?:Signal|Background PIDs|Process Group PGID): .*)*(?:\n</untrusted_context>)?\s*\Z"
)
_OF_COPILOT: Final = re.compile(r"<[^<>\n]*(?:completed|exited) with exit code (-?\d+)>\s*\Z")
_TEXTS: Final = {
    "llmContent": _OF_GEMINI,
    "textResultForLlm": _OF_COPILOT,
    "text_result_for_llm": _OF_COPILOT,
}
"""Where a text says it, and how: not just anywhere, where it may be something that the command printed."""
_END: Final = 1000
"""Characters at the end of such a text that are looked at."""


def exit_code(result: object) -> int | None:
    """Give the exit code that a shell's result names; None where it names none.

    Args:
        result: The decoded result.
    """
    if isinstance(result, str):
        head, end, _output = result.partition(_HEAD_END)
        return _number(_OF_CODEX.search(head) if end else None)
    if not isinstance(result, dict):
        return None
    for place in (result, *map(result.get, _PLACES)):
        for code in map(place.get, _KEYS) if isinstance(place, dict) else ():
            if isinstance(code, int) and not isinstance(code, bool):
                return code
    for key, pattern in _TEXTS.items():
        text = result.get(key)
        if isinstance(text, str):
            return _number(pattern.search(text[-_END:]))
    return None


def _number(found: re.Match[str] | None) -> int | None:
    return None if found is None else int(found[1])
