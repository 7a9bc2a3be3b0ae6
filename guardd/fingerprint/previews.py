"""A short line that tells people what a call was about."""

import json
from typing import Final

import msgspec

from guardd.fingerprint.arguments import Arguments
from guardd.fingerprint.redaction import MASK, VALUE_KEYS, is_command, is_secret, joined, mask_text, name_in

PREVIEW_LENGTH: Final = 120
"""Characters of a preview at most."""

_LOOKED_AT: Final = 4096
"""Characters of the arguments that are looked at, at most."""

_WINDOW: Final = 384
"""Characters of a text that are looked at first; more only when masks leave too few of them for a preview."""

_CUT_TAIL: Final = 128
"""What a cut may have halved: so much of the last word before it is left out."""

_DEPTH: Final = 8
_MORE: Final = "…"
_COMMANDS: Final = ("command", "cmd")
_quoted: Final = json.JSONEncoder(ensure_ascii=False).encode


def preview(arguments: Arguments) -> str:
    """Give a line of at most `PREVIEW_LENGTH` characters made of the arguments, for people.

    Secrets are masked before anything is cut off. Line breaks, control characters and those that change the
    direction of writing appear as escapes.
    """
    if arguments.value is None:
        return f"({len(arguments.canonical)} bytes, nested too deeply to show)"
    line = _Line()
    line.write(arguments.value)
    return line.text()


class _Line:
    """A preview in the making; once it is full, nothing more is looked at."""

    def __init__(self) -> None:
        self._written: list[str] = []
        self._length = 0
        self._to_look_at = _LOOKED_AT

    def write(self, value: object) -> None:
        """Write the whole arguments: a command as it is, then the rest as compact JSON."""
        if isinstance(value, dict):
            for key in _COMMANDS:
                command = _command(value.get(key))
                if command:
                    self._add(self._masked(command))
                    rest = {name: member for name, member in value.items() if name != key}
                    if rest:
                        self._add(" ")
                        self._json(rest)
                    return
        self._json(value)

    def text(self) -> str:
        """What is written, cut where it is too long."""
        line = "".join(self._written)
        return line if len(line) <= PREVIEW_LENGTH else line[: PREVIEW_LENGTH - 1] + _MORE

    @property
    def _is_full(self) -> bool:
        return self._length > PREVIEW_LENGTH

    def _add(self, piece: str) -> None:
        shown = piece if piece.isprintable() else "".join(map(_visible, piece[: PREVIEW_LENGTH + 1]))
        self._written.append(shown)
        self._length += len(shown)

    def _json(self, value: object, depth: int = 0) -> None:
        if self._is_full:
            return
        if isinstance(value, str):
            self._add(_quoted(self._masked(value)))
        elif not isinstance(value, dict | list):
            self._add(msgspec.json.encode(value).decode())
        elif depth == _DEPTH or self._to_look_at <= 0:
            self._add(_MORE)
        elif isinstance(value, dict):
            self._object(value, depth)
        else:
            self._list(value, depth)

    def _object(self, value: dict[str, object], depth: int) -> None:
        name = "" if VALUE_KEYS.isdisjoint(value) else name_in(value)
        separator = "{"
        for key, member in value.items():
            if self._is_full:
                return
            self._add(f"{separator}{_quoted(self._masked(key))}:")
            if is_secret(key, member) or (key in VALUE_KEYS and is_secret(name, member)):
                self._add(f'"{MASK}"')
            else:
                self._json(member, depth + 1)
            separator = ","
        self._add("}" if value else "{}")

    def _list(self, value: list[object], depth: int) -> None:
        if is_command(value):
            masked = self._masked(joined(value))
            if MASK in masked:  # a secret may be one by the words before it, so they are shown together
                self._add(_quoted([masked]))
                return
        separator = "["
        for member in value:
            if self._is_full:
                return
            self._add(separator)
            self._json(member, depth + 1)
            separator = ","
        self._add("]" if value else "[]")

    def _masked(self, text: str) -> str:
        """Mask the beginning of a text, as much as may still be looked at."""
        window = min(_WINDOW, self._to_look_at)
        masked = _masked_beginning(text, window)
        if window < len(text) and len(masked) <= PREVIEW_LENGTH:
            window = self._to_look_at
            masked = _masked_beginning(text, window)
        self._to_look_at -= min(window, len(text))
        return masked


def _masked_beginning(text: str, length: int) -> str:
    masked = mask_text(text[:length])
    if length >= len(text):
        return masked
    tail = masked[-_CUT_TAIL:]
    kept = max(tail.rfind(" "), tail.rfind("\n"), 0)
    return masked[: len(masked) - len(tail) + kept] + _MORE


def _command(value: object) -> str:
    """Give a command that is a string, or a list of words; else nothing."""
    if isinstance(value, list) and all(isinstance(word, str) for word in value):
        return joined(value)
    return value if isinstance(value, str) else ""


def _visible(character: str) -> str:
    return character if character.isprintable() else character.encode("unicode_escape").decode()
