"""What a command makes, into a file: whole or not at all, for its owner alone, and never over something else."""

import os
import stat
import tempfile
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from guardd.cli.errors import Failure
from guardd.cli.text import safe

_LOOKED_AT = 4096


class Kind(NamedTuple):
    """What is written: only a file of the same kind may be overwritten.

    Attributes:
        name: For people: a file is no such thing.
        sign: What stands near the beginning of each.
    """

    name: str
    sign: bytes


def write(text: Iterable[str], file: Path, kind: Kind) -> None:
    """Write text to a file, which only its owner may read: it tells what an agent did.

    Raises:
        Failure: There is something of another kind, or it cannot be written.
    """
    try:
        _check(file, kind)
        _write(text, file)
    except FileNotFoundError:
        raise Failure(
            f"there is no directory {safe(str(file.parent))}", "Make it first, or name another place"
        ) from None
    except OSError as error:  # which may name the draft, of which nobody knows
        raise Failure(
            f"{safe(str(file))} cannot be written: {error.strerror}", "Name another place, or - for stdout"
        ) from None


def _write(text: Iterable[str], file: Path) -> None:
    descriptor, name = tempfile.mkstemp(
        prefix=f".{file.name[:100]}.", suffix=".tmp", dir=file.parent
    )  # mode 0600
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8") as stream:
            stream.writelines(text)
            stream.flush()
            os.fsync(stream.fileno())
        Path(name).replace(file)
    except BaseException:
        with suppress(OSError):
            Path(name).unlink()
        raise


def _check(file: Path, kind: Kind) -> None:
    try:
        status = file.stat()
    except FileNotFoundError:
        return
    if not stat.S_ISREG(status.st_mode):
        what = "a directory" if stat.S_ISDIR(status.st_mode) else "no regular file"
        raise Failure(f"{safe(str(file))} is {what}", "Name a file, or - for stdout")
    with file.open("rb") as stream:
        start = stream.read(_LOOKED_AT)
        if start and kind.sign not in start:  # an empty one may have been made for this
            raise Failure(
                f"{safe(str(file))} exists, and is no {kind.name} of guardd's",
                "Nothing was written. Name another file, or remove this one first",
            )
