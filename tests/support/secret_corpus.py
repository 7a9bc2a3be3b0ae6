"""Secrets as they stand in tool calls, put together when the tests run: see `tests/data/secrets.json`."""

import functools
import json
import random
import re
import string
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

FILE = Path(__file__).parent.parent / "data" / "secrets.json"
_ALPHABETS = {
    "a": string.ascii_letters + string.digits,
    "h": "0123456789abcdef",
    "d": string.digits,
    "u": string.ascii_uppercase + string.digits,
    "l": string.ascii_lowercase + string.digits,
    "b": string.ascii_letters + string.digits + "+/",
    "w": string.ascii_letters + string.digits + "!#%^*_+.,:?~@",
}
_PIECE = 6
"""A secret of which so many characters are seen, from any place that is a multiple of it, is a secret seen."""
_PIECE_OF_DIGITS = 12
"""The same of hexadecimal and other digits, of which six also come up by chance."""


class Sample(NamedTuple):
    """A tool call with secrets in its arguments.

    Attributes:
        kind: what kind of secret it is, and where it stands.
        secrets: the secrets.
        args: the arguments.
        needles: pieces of the secrets, none of which may be seen.
        by_place: it is known by its place in an object or a list; as a text alone it is not.
    """

    kind: str
    secrets: list[str]
    args: Any
    needles: list[str]
    by_place: bool

    @property
    def text(self) -> str:
        """The arguments as a text, for what has none: the strings in it, a line each."""
        return "\n".join(_strings(self.args))

    def seen_in(self, shown: str | bytes) -> list[str]:
        """The pieces of the secrets that are in what is shown, or kept."""
        if isinstance(shown, bytes):
            return [needle for needle in self.needles if needle.encode() in shown]
        return [needle for needle in self.needles if needle in shown]


@functools.cache
def samples() -> list[Sample]:
    """All kinds of secrets."""
    return [_sample(entry) for entry in json.loads(FILE.read_text(encoding="utf-8"))["secrets"]]


@functools.cache
def look_alikes() -> dict[str, Any]:
    """The arguments of calls without secrets, by what looks like one."""
    entries = json.loads(FILE.read_text(encoding="utf-8"))["harmless"]
    return {entry["kind"]: entry["args"] for entry in entries}


def _sample(entry: dict[str, Any]) -> Sample:
    chance = random.Random(entry["kind"])  # noqa: S311 - it is to be the same each time
    secrets: list[str] = []
    needles: list[str] = []
    for parts in entry["secrets"]:
        made = [_made(part, chance) for part in parts]
        secrets.append("".join(made))
        for part, text in zip(parts, made, strict=True):
            if part.startswith("#"):
                size = _PIECE_OF_DIGITS if part[1] in "hd" else _PIECE
                needles += [text[at : at + size] for at in range(0, len(text) - size + 1, size)]
    return Sample(entry["kind"], secrets, _filled(entry["args"], secrets), needles, "byPlace" in entry)


def _made(part: str, chance: random.Random) -> str:
    """A part of a secret; of those made up, one with a digit and a letter in every piece."""
    if not part.startswith("#"):
        return part
    alphabet, length = _ALPHABETS[part[1]], int(part[3:])
    while True:
        text = "".join(chance.choices(alphabet, k=length))
        pieces = [text[at : at + _PIECE] for at in range(0, length - _PIECE + 1, _PIECE)]
        if part[1] != "w":
            if part[1] == "d" or any(character.isdigit() for character in text):
                return text
        elif text[0].isalpha() and text[-1].isalpha() and all(re.search("[0-9]", piece) for piece in pieces):
            return text


def _filled(value: Any, secrets: list[str]) -> Any:
    """The arguments with the secrets in their places; in a text that is JSON they are escaped already."""
    if isinstance(value, str):
        return re.sub("«([0-9])»", lambda match: secrets[int(match[1]) - 1], value)
    if isinstance(value, list):
        return [_filled(member, secrets) for member in value]
    if isinstance(value, dict):
        return {_filled(key, secrets): _filled(member, secrets) for key, member in value.items()}
    return value


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for member in value:
            yield from _strings(member)
    elif isinstance(value, dict):
        for key, member in value.items():
            yield from _strings([key, member])
