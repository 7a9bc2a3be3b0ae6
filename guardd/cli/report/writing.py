"""A page into a file: whole or not at all, for its owner alone, and never over something else."""

import os
import stat
import tempfile
from contextlib import suppress
from pathlib import Path

from guardd.cli.errors import Failure
from guardd.cli.report.rendering import GENERATOR
from guardd.cli.text import safe

_SIGN = f'<meta name="generator" content="{GENERATOR} '.encode()
_LOOKED_AT = 4096


def write(page: str, file: Path) -> None:
    """Write a page to a file, which only its owner may read: it holds previews of what an agent did.

    Raises:
        Failure: There is something that is no report of guardd's, or no such directory.
        OSError: It cannot be written; the error names this file.
    """
    _check(file)
    try:
        _write(page, file)
    except FileNotFoundError:
        raise Failure(
            f"there is no directory {safe(str(file.parent))}", "Make it first, or name another place"
        ) from None
    except OSError as error:  # which names the draft, of which nobody knows
        raise OSError(error.errno, error.strerror, str(file)) from None


def _write(page: str, file: Path) -> None:
    descriptor, name = tempfile.mkstemp(
        prefix=f".{file.name[:100]}.", suffix=".tmp", dir=file.parent
    )  # mode 0600
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8") as stream:
            stream.write(page)
            stream.flush()
            os.fsync(stream.fileno())
        Path(name).replace(file)
    except BaseException:
        with suppress(OSError):
            Path(name).unlink()
        raise


def _check(file: Path) -> None:
    try:
        status = file.stat()
    except FileNotFoundError:
        return
    if not stat.S_ISREG(status.st_mode):
        what = "a directory" if stat.S_ISDIR(status.st_mode) else "no regular file"
        raise Failure(f"{safe(str(file))} is {what}", "Name a file, or - for stdout")
    with file.open("rb") as stream:
        if _SIGN not in stream.read(_LOOKED_AT):
            raise Failure(
                f"{safe(str(file))} exists, and is no report of guardd's",
                "Nothing was written. Name another file, or remove this one first",
            )
