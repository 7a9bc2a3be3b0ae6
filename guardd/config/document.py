"""From a file to an object: reading, decoding, and saying where that failed.

Strict JSON comes first: the JSON5 reader is a thousand times slower, and a gateway writes strict JSON.
"""

import json
import math
import os
import re
import stat
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import json5

from guardd.config.errors import ConfigError, NoSuchConfigFile, shown, shown_file

LARGEST_FILE = 1 << 20
"""Bytes. A configuration is some kilobytes; reading JSON5 of this size takes many seconds already."""

LONGEST_NUMBER = 1024
"""Bits of an integer from which on it is infinite, as it is for the gateway, whose numbers are doubles."""

JSON5_ERROR = re.compile(r"<string>:(?P<line>\d+) (?P<what>.*) at column (?P<column>\d+)", re.DOTALL)


class Section(dict[str, Any]):
    """An object of the file, which remembers the keys that stood in it twice. The last one counts."""

    __slots__ = ("repeated",)

    def __init__(self, pairs: Iterable[tuple[str, Any]] = ()) -> None:
        pairs = list(pairs)
        super().__init__(pairs)
        self.repeated: list[str] = []
        if len(self) < len(pairs):
            times = Counter(key for key, _ in pairs)
            self.repeated = [key for key in self if times[key] > 1]


def read_document(path: Path) -> Section:
    """Read and decode a file.

    Raises:
        ConfigError: it cannot be read, or is not a JSON5 object.
    """
    return decode_document(_read(path), shown_file(str(path)))


def decode_document(text: str, file: str) -> Section:
    """Decode JSON5.

    Args:
        text: the content of the file.
        file: its name, for errors.

    Raises:
        ConfigError: it is not JSON5, or not an object; where the former, with line and column.
    """
    if not text.strip():
        raise ConfigError(file, "the file is empty; the least that it can hold is {}")
    try:
        document = _decode(text, file)
    except RecursionError:
        raise ConfigError(file, "values are nested too deeply") from None
    if not isinstance(document, Section):
        raise ConfigError(file, "expected an object at the top", value=shown(document))
    return document


def _decode(text: str, file: str) -> object:
    try:
        return json.loads(text, object_pairs_hook=Section, parse_int=_integer)
    except ValueError:
        pass  # perhaps because it is JSON5
    try:
        return json5.loads(text, object_pairs_hook=Section, parse_int=_integer)
    except ValueError as error:
        raise ConfigError(file, _syntax_error(str(error))) from None


def _integer(text: str, base: int = 10) -> int | float:
    """Decode an integer; one that is larger than any double is infinite."""
    try:
        value = int(text, base)
    except ValueError:  # more digits than Python converts
        return float(text)
    if value.bit_length() > LONGEST_NUMBER:
        return math.inf if value > 0 else -math.inf
    return value


def _syntax_error(message: str) -> str:
    """Return the JSON5 reader's message with its place in front."""
    found = JSON5_ERROR.fullmatch(message)
    if not found:
        return f"not valid JSON5: {message}"
    what = "".join(each if each.isprintable() else repr(each)[1:-1] for each in found["what"])
    return f"line {found['line']}, column {found['column']}: not valid JSON5: {what}"


def _read(path: Path) -> str:
    file = shown_file(str(path))
    try:
        data = _read_bytes(path, file)
    except (FileNotFoundError, NotADirectoryError):
        raise NoSuchConfigFile(file, "the file does not exist") from None
    except OSError as error:
        raise ConfigError(file, f"the file cannot be read: {error.strerror}") from None
    except ValueError:  # a zero byte, or a character that no file name can have
        raise ConfigError(file, "no file can have this name") from None
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise ConfigError(file, f"line {line}: not UTF-8 (byte 0x{data[error.start]:02x})") from None


def _read_bytes(path: Path, file: str) -> bytes:
    with open(path, "rb", opener=_open_without_waiting) as stream:
        if not stat.S_ISREG(os.fstat(stream.fileno()).st_mode):
            raise ConfigError(file, "this is not a regular file")
        data = stream.read(LARGEST_FILE + 1)
    if len(data) > LARGEST_FILE:
        raise ConfigError(file, f"the file is larger than {LARGEST_FILE >> 20} MiB")
    return data


def _open_without_waiting(path: str, flags: int) -> int:
    """Open a file, but do not wait for a named pipe's writer: the daemon would wait with it."""
    return os.open(path, flags | os.O_NONBLOCK)
