"""Recorded transcripts that a command is given as files, or on stdin."""

import io
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, cast

import click

from guardd.cli.errors import Failure, Status
from guardd.cli.text import safe

STDIN = "-"


def check_named(files: Sequence[str]) -> None:
    """Refuse files that cannot be read, before the first is.

    Raises:
        UsageError: stdin stands among them twice.
        Failure: One is not there, or is a directory.
    """
    if files.count(STDIN) > 1:
        raise click.UsageError("stdin can be read only once.")
    for file in files:
        if file != STDIN and Path(file).is_dir():
            raise Failure(f"{safe(file)} is a directory", "Name the files in it")
        if file != STDIN and not Path(file).exists():
            raise Failure(f"there is no file {safe(file)}", status=Status.NOT_FOUND)


@contextmanager
def opened(file: str) -> Iterator[BinaryIO]:
    """A file, or stdin, buffered.

    Raises:
        OSError: It cannot be read.
        Failure: stdin is empty.
    """
    if file == STDIN:
        # Wrapped, since not everything that stands in for stdin can be looked into.
        stream = io.BufferedReader(cast("io.RawIOBase", sys.stdin.buffer))
        try:
            if not stream.peek(1):
                raise Failure("stdin is empty")
            yield stream
        finally:
            stream.detach()  # else stdin would be closed with it
        return
    with Path(file).open("rb") as found:
        yield found


def unknown_formats(files: Sequence[str], command: str) -> Failure:
    """What it means that files are no transcripts."""
    empty = [file for file in dict.fromkeys(files) if _is_empty(file)]
    others = ", ".join(dict.fromkeys(safe(file) for file in files if file not in empty))
    said = [f"{safe(file)} is empty" for file in empty]
    if others:
        said.insert(0, f"no transcript that guardd knows: {others}")
        said.append(f"guardctl {command} --help lists the formats")
    return Failure(*said)


def _is_empty(file: str) -> bool:
    try:
        return file != STDIN and Path(file).stat().st_size == 0 and Path(file).is_file()
    except OSError:  # it is gone by now
        return False
