"""Text from agents and gateways made fit for a terminal, and ids cut to what still names them."""

from collections.abc import Iterable
from itertools import pairwise

_NAMED = {"\n": "\\n", "\r": "\\r", "\t": "\\t", "\x1b": "\\e", "\0": "\\0"}
_FIRST_FLAG_LETTER, _LAST_FLAG_LETTER = "\U0001f1e6", "\U0001f1ff"
_OF_NO_CERTAIN_WIDTH = frozenset("\ufe0e\ufe0f\U0001f3fb\U0001f3fc\U0001f3fd\U0001f3fe\U0001f3ff")


def safe(text: str) -> str:
    """Escape what a terminal would not show as itself: controls, escapes, marks that turn the direction.

    Terminals disagree about the width of what variation selectors and skin tones change, so these are left out,
    and about that of flags, so the letters that they are made of stand for them.
    """
    if text.isascii() and text.isprintable():
        return text
    return "".join(_shown(character) for character in text)


def _shown(character: str) -> str:
    if character in _OF_NO_CERTAIN_WIDTH:
        return ""
    if _FIRST_FLAG_LETTER <= character <= _LAST_FLAG_LETTER:
        return chr(ord("A") + ord(character) - ord(_FIRST_FLAG_LETTER))
    if character.isprintable():
        return character
    if character in _NAMED:
        return _NAMED[character]
    point = ord(character)
    return f"\\x{point:02x}" if point < 0x100 else f"\\u{point:04x}" if point < 0x10000 else f"\\U{point:08x}"  # noqa: PLR2004


def needed_prefix(ids: Iterable[str]) -> int:
    """How many characters tell each id from the others; of one that begins another, all."""
    ordered = sorted(set(ids))
    needed = 1
    for one, other in pairwise(ordered):
        common = 0
        for left, right in zip(one, other, strict=False):
            if left != right:
                break
            common += 1
        needed = max(needed, common + 1)
    return needed


def size(count: int) -> str:
    """A number of bytes: `312 B`, `1.4 MB`."""
    amount = float(count)
    for unit in ("B", "kB", "MB"):
        if amount < 1000:  # noqa: PLR2004
            return f"{amount:.3g} {unit}"
        amount /= 1000
    return f"{amount:,.3g} GB" if amount < 1000 else f"{amount:,.0f} GB"  # noqa: PLR2004


def count_above_0(text: str) -> int | None:
    """Read a whole number above 0, in decimal digits; None if it is none, or longer than Python reads any."""
    try:
        return int(text) or None if text.isdecimal() else None
    except ValueError:
        return None


def plural(count: int, noun: str) -> str:
    """`1 call`, `2 calls`."""
    return f"{count:,} {noun}{'' if count == 1 else 's'}"
