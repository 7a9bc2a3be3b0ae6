"""Progress bars: on stderr, on a terminal, and only for what takes long."""

import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, TypeVar

import click

Item = TypeVar("Item")

LONG = 1 << 20
"""Bytes of input from which on a bar is worth showing."""
MANY = 50
"""Likewise for requests to a daemon."""


class FileProgress:
    """How much of some files is read.

    Args:
        bar: A progress bar of click's, in bytes; None: nothing is shown.
    """

    def __init__(self, bar: Any) -> None:  # noqa: ANN401 - click has no public type for it
        self._bar = bar
        self._before = 0
        self._shown = 0
        self._here = 0

    def at(self, stream: BinaryIO) -> None:
        """So much of this file is read."""
        if self._bar is not None:
            self._here = stream.tell()
            self._bar.update(self._before + self._here - self._shown)
            self._shown = self._before + self._here

    def next(self) -> None:
        """A file is done."""
        self._before += self._here
        self._here = 0


@contextmanager
def over_files(files: Sequence[str], label: str) -> Iterator[FileProgress]:
    """A bar if the files are long; what is no file, as stdin, has no length that is known, and gets none."""
    sizes = [Path(file).stat().st_size if Path(file).is_file() else None for file in files]
    known = [size for size in sizes if size is not None]
    if len(known) < len(sizes) or sum(known) < LONG or not sys.stderr.isatty():
        yield FileProgress(None)
        return
    with click.progressbar(length=sum(known), label=label, file=sys.stderr, show_pos=False) as bar:
        yield FileProgress(bar)


@contextmanager
def over_items(items: Sequence[Item], label: str) -> Iterator[Iterable[Item]]:
    """The items, with a bar if they are many."""
    if len(items) < MANY or not sys.stderr.isatty():
        yield items
        return
    with click.progressbar(items, label=label, file=sys.stderr, show_pos=True) as bar:
        yield bar
