"""From bytes to turns: unpacks, decodes, and finds by the content what a transcript is."""

import gzip
import json
import zlib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import chain
from typing import Any, BinaryIO, Final, cast

from guardd.replay import claude_code, codex, export, intercode, openai_chat, pi_session, swe_agent
from guardd.replay.turns import Entry, Format, Skip, Skipped, Turn

FORMATS: Final[tuple[Format, ...]] = (
    export,
    pi_session,
    claude_code,
    codex,
    swe_agent,
    intercode,
    openai_chat,
)

LOOKED_AT: Final = 200
"""Entries after which a transcript that no format knows is given up."""

_GZIP: Final = b"\x1f\x8b"
_BYTE_ORDER_MARK: Final = b"\xef\xbb\xbf"
_TWO: Final = 2


@dataclass(slots=True)
class Transcript:
    """A transcript that is being read.

    Attributes:
        format: What it is; None: nothing that is known.
        turns: Its turns that hold calls or what matters to them, read as they are asked for.
        skipped: What could not be read so far, by the reason.
    """

    format: Format | None
    turns: Iterator[Turn]
    skipped: Skipped = field(default_factory=Counter)


def read(stream: BinaryIO) -> Transcript:
    """Read a transcript; gzip is unpacked.

    Args:
        stream: buffered, so that it can be looked into (`peek`).

    Raises:
        OSError: It cannot be read.
    """
    skipped: Skipped = Counter()
    if cast("Any", stream).peek(2)[:2] == _GZIP:
        stream = cast("BinaryIO", gzip.GzipFile(fileobj=stream))
    entries = _entries(_lines(stream, skipped), skipped)
    seen: list[Entry] = []
    for entry in entries:
        seen.append(entry)
        found = next((known for known in FORMATS if known.matches(entry)), None)
        if found is not None:
            turns = found.turns(chain(seen, entries), skipped)
            return Transcript(found, (turn for turn in turns if turn.calls), skipped)
        if len(seen) == LOOKED_AT:
            break
    return Transcript(None, iter(()), skipped)


def _lines(stream: BinaryIO, skipped: Skipped) -> Iterator[bytes]:
    """The lines that are not empty, as far as they can be unpacked."""
    try:
        for number, line in enumerate(stream):
            bare = (line.removeprefix(_BYTE_ORDER_MARK) if number == 0 else line).strip()
            if bare:
                yield bare
    except (EOFError, zlib.error, gzip.BadGzipFile):
        skipped[Skip.CUT_OFF] += 1


def _entries(lines: Iterator[bytes], skipped: Skipped) -> Iterator[Entry]:
    """The objects of a file; a list stands for its items."""
    for document in _documents(lines):
        value = _decode(document)
        for one in value if isinstance(value, list) else [value]:
            if isinstance(one, dict):
                yield one
            else:
                skipped[one if isinstance(one, Skip) else Skip.NOT_AN_OBJECT] += 1


def _documents(lines: Iterator[bytes]) -> Iterator[bytes]:
    """The documents of a file: one a line, or a single one over all lines.

    Lines are held back only until it is clear which: two whole objects in lines that follow each other stand
    in no document, where something would have to be between them.
    """
    held: list[bytes] = []
    for line in lines:
        held.append(line)
        if len(held) == 1 and not isinstance(_decode(line), Skip):
            break
        if len(held) > _TWO and all(isinstance(_decode(one), dict) for one in held[-_TWO:]):
            break
    else:
        whole = b"\n".join(held)
        if not isinstance(_decode(whole), Skip):
            held = [whole]
    yield from held
    yield from lines


def _decode(line: bytes) -> object:
    """The JSON value of a line, or why there is none."""
    try:
        return json.loads(line, parse_constant=_refuse)
    except RecursionError:
        return Skip.TOO_DEEP
    except ValueError:
        return Skip.NOT_JSON


def _refuse(constant: str) -> object:
    raise ValueError(f"{constant} is not JSON")
