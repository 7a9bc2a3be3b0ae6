"""The canonical form of a JSON value: two documents have the same one exactly when they are equal as values.

Compact, object keys in order of code points, the last of equal keys, numbers as in `numerals`, strings
neither normalised nor escaped more than JSON demands. A lone surrogate, which UTF-8 cannot hold, is written
as three bytes that no valid document contains. The form depends on the value alone: the fast and the lenient
way give the same bytes, so that neither spaces, nor key order, nor how deep the interpreter's stack was at
the time can make equal calls differ.

Only a document of more than `reading.MAX_DEPTH` levels, or one that the decoder refuses and that is large, is
taken as its bytes without the spaces, unsorted: reading it value by value would keep everybody waiting.
"""

import json
import re
from typing import Final, TypeAlias

import msgspec

from guardd.fingerprint.numerals import INLINE_DIGITS, contract, read_float
from guardd.fingerprint.reading import InvalidJsonError, TooDeepError, read_leniently

RawJson: TypeAlias = bytes | bytearray | memoryview | msgspec.Raw
"""A JSON document as it arrived, or a slice of one."""

_DECODER: Final = msgspec.json.Decoder(float_hook=read_float)
_ENCODER: Final = msgspec.json.Encoder(order="sorted")

# A number that is too long holds three digits in a row even of every twelfth character. Looking only at those
# first is fifty times faster than a regular expression, and rules out most documents.
_STRIDE: Final = 12
_DIGITS_TO_ZERO: Final = bytes(48 if 48 <= byte < 58 else 32 for byte in range(256))  # noqa: PLR2004 -- ASCII
_DIGIT_RUN: Final = b"0" * (INLINE_DIGITS + 1)
_STRIDE_RUN: Final = b"0" * (len(_DIGIT_RUN) // _STRIDE)

_STRING: Final = rb'"(?:[^"\\]++|\\.)*+(?:"|\\?\Z)'
_SPACE_OR_STRING: Final = re.compile(rb"(" + _STRING + rb")|[ \t\n\r]++", re.DOTALL)
_STRINGS: Final = re.compile(_STRING, re.DOTALL)
MOST_LENIENT_BYTES: Final = 256 * 1024
"""Of a document that the decoder refuses: larger ones are compared by their bytes."""
_BYTES_MARK: Final = b"bytes:"


def canonical(raw: RawJson) -> bytes:
    """Give the canonical form of a JSON document.

    Raises:
        InvalidJsonError: It is not JSON.
    """
    try:
        return encode(read(raw))
    except TooDeepError:
        return from_bytes(raw)


def read(raw: RawJson) -> object:
    """Decode a JSON document to plain values; numbers that are too long for int or float are `msgspec.Raw`.

    Raises:
        InvalidJsonError: It is not JSON.
        TooDeepError: It is nested more deeply than a value should be built, or too large for what is in it.
    """
    document = bytes(raw)
    try:
        value: object = _DECODER.decode(document)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        if len(document) > MOST_LENIENT_BYTES:
            raise TooDeepError from None
        return read_leniently(document)
    if _has_long_digits(document):
        return _with_contracted_integers(value)
    return value


def encode(value: object) -> bytes:
    """Write a value that `read` gave, or one made of such values, in its canonical form."""
    try:
        return _ENCODER.encode(value)
    except (UnicodeEncodeError, RecursionError):
        return _encode_patiently(value)


def from_bytes(raw: RawJson) -> bytes:
    """Give the form of a document that is too deep to be built: its bytes without the spaces between tokens.

    Its syntax is not checked, apart from the balance of its brackets.

    Raises:
        InvalidJsonError: Brackets are left open.
    """
    document = bytes(raw)
    skeleton = _STRINGS.sub(b"", document)
    if skeleton.count(b"[") != skeleton.count(b"]") or skeleton.count(b"{") != skeleton.count(b"}"):
        raise InvalidJsonError("not JSON: brackets are left open")
    return _BYTES_MARK + _SPACE_OR_STRING.sub(rb"\1", document)


def _has_long_digits(document: bytes) -> bool:
    return _STRIDE_RUN in document[::_STRIDE].translate(_DIGITS_TO_ZERO) and _DIGIT_RUN in document.translate(
        _DIGITS_TO_ZERO
    )


def _with_contracted_integers(value: object) -> object:
    """Replace, in place, the integers that are too long to be written out."""
    root = [value]
    pending: list[list[object] | dict[str, object]] = [root]
    while pending:
        container = pending.pop()
        members = container.items() if isinstance(container, dict) else enumerate(container)
        long = []
        for key, member in members:
            if isinstance(member, list | dict):
                pending.append(member)
            elif type(member) is int and contract(member) is not member:
                long.append((key, contract(member)))
        for key, number in long:
            container[key] = number  # type: ignore[index]
    return root[0]


def _encode_patiently(value: object) -> bytes:
    """Write a value with lone surrogates or of great depth: what `encode` does, without recursion."""
    written: list[bytes] = []
    pending: list[object] = [value]  # what is still to be written, the next one last; bytes are ready
    while pending:
        item = pending.pop()
        if isinstance(item, bytes):
            written.append(item)
        elif (ready := _encode_flat(item)) is not None:
            written.append(ready)
        elif isinstance(item, dict):
            pending.append(b"}")
            for key in sorted(item, reverse=True):
                pending += (item[key], _encode_string(key) + b":", b",")
            pending[-1] = b"{"
        elif isinstance(item, list):
            pending.append(b"]")
            for member in reversed(item):
                pending += (member, b",")
            pending[-1] = b"["
    return b"".join(written)


def _encode_flat(value: object) -> bytes | None:
    """Write a value without containers in it; None where it has to be taken apart."""
    if isinstance(value, dict | list):
        members = value.values() if isinstance(value, dict) else value
        if any(isinstance(member, dict | list) for member in members):
            return None
    if isinstance(value, str):
        return _encode_string(value)
    try:
        return _ENCODER.encode(value)
    except UnicodeEncodeError:
        return None


def _encode_string(text: str) -> bytes:
    """Write a string that may hold lone surrogates."""
    try:
        return _ENCODER.encode(text)
    except UnicodeEncodeError:
        return json.dumps(text, ensure_ascii=False).encode("utf-8", "surrogatepass")
