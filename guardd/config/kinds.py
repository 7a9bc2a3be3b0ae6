"""What a configured value may be: a kind takes a decoded value and returns it as guardd uses it."""

from collections.abc import Callable
from pathlib import Path

from guardd.config.errors import shown

Kind = Callable[[object], object]

LARGEST_WHOLE_NUMBER = 2**53 - 1
"""The largest that a gateway can write exactly; it also leaves room for one more in SQLite's integers."""

_SHELL = '["/bin/sh", "-c", "…"]'


class Mismatch(Exception):  # noqa: N818 - not an error until it is known where
    """The value is of another kind; says what was expected."""


def switch(value: object) -> bool:
    """Take true or false."""
    if not isinstance(value, bool):
        raise Mismatch("expected true or false")
    return value


def whole_number(largest: int = LARGEST_WHOLE_NUMBER) -> Kind:
    """Take whole numbers of at least 1; `10.0` is the same number as `10`, and `true` is none."""

    def kind(value: object) -> int:
        if isinstance(value, float) and value.is_integer():
            value = int(value)
        if not isinstance(value, int) or isinstance(value, bool) or value < 1:
            raise Mismatch("expected a whole number of at least 1")
        if value > largest:
            raise Mismatch(f"expected a whole number of at most {largest}")
        return value

    return kind


def one_of(*words: str) -> Kind:
    """Take one of some words."""

    def kind(value: object) -> str:
        if not isinstance(value, str) or value not in words:
            raise Mismatch(f"expected one of {', '.join(map(repr, words))}")
        return value

    return kind


def text(value: object) -> str:
    """Take a string that is not empty and can be encoded."""
    if not isinstance(value, str) or not value.strip() or not _encodes(value):
        raise Mismatch("expected a string that is not empty")
    return value


def file_path(value: object) -> Path:
    """Take the path of a file, with `~` for a home directory; a relative path stays one."""
    if not isinstance(value, str) or not value.strip() or not _encodes(value) or "\0" in value:
        raise Mismatch("expected the path of a file")
    try:
        return Path(value).expanduser()
    except RuntimeError:
        raise Mismatch("expected the path of a file; this home directory is not known") from None


def identity(value: object) -> str:
    """Take the name of a user or group, or its id as a number, which becomes its digits."""
    if isinstance(value, int) and not isinstance(value, bool) and value >= 0:
        return str(value)
    try:
        return text(value)
    except Mismatch:
        raise Mismatch("expected a name or an id") from None


def command(value: object) -> tuple[str, ...]:
    """Take a program and its arguments, as they are: no shell looks at them. `~` is a home directory in the program."""
    if isinstance(value, str):
        raise Mismatch(f"expected a list of a program and its arguments; for a shell {_SHELL}")
    words = list_of(_word)(value)
    if not words:
        raise Mismatch(f"expected a program and its arguments, as in {_SHELL}")
    program, *arguments = map(str, words)
    path = file_path(program)
    if "/" in program and not path.is_absolute():
        raise Mismatch("expected a program by its whole path, or by a name that is looked up in PATH")
    return str(path), *arguments


def _word(value: object) -> str:
    """Take what a program can be given."""
    if not isinstance(value, str) or not _encodes(value) or "\0" in value:
        raise Mismatch("expected a string")
    return value


def list_of(kind: Kind) -> Callable[[object], tuple[object, ...]]:
    """Take lists whose items are all of one kind."""

    def list_kind(value: object) -> tuple[object, ...]:
        if not isinstance(value, list):
            raise Mismatch("expected a list")
        return tuple(_item(kind, value, index) for index in range(len(value)))

    return list_kind


def _item(kind: Kind, values: list[object], index: int) -> object:
    try:
        return kind(values[index])
    except Mismatch as mismatch:
        raise Mismatch(f"item {index} is {shown(values[index])}: {mismatch}") from None


def _encodes(value: str) -> bool:
    """Say whether a string is free of lone surrogates, which neither a database nor a reply can hold."""
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True
