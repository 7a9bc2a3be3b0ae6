"""The two forms of output: JSON, which is a contract, and words. Tables are in `guardd.cli.tables`."""

import sys
from typing import Any

import click

from guardd.cli.wrapping import for_terminal


def document(value: Any) -> None:  # noqa: ANN401 - any JSON value
    """Print one JSON document: indented for a terminal, else on one line; ASCII, for any locale."""
    import json  # noqa: PLC0415 - people's output does not need it

    indent, separators = (2, None) if sys.stdout.isatty() else (None, (",", ":"))
    click.echo(json.dumps(value, indent=indent, separators=separators))


def line(value: Any) -> None:  # noqa: ANN401 - any JSON value
    """Print one JSON document of a stream, on a line of its own, at once."""
    import json  # noqa: PLC0415

    click.echo(json.dumps(value, separators=(",", ":")))


def raw(text: str) -> None:
    """Print text that another program is to read, on stdout."""
    click.echo(text)


def say(words: str) -> None:
    """Print what a command did, on stdout."""
    click.echo(for_terminal(words, sys.stdout))


def note(words: str) -> None:
    """Print what is worth knowing beside the output, on stderr."""
    click.echo(for_terminal(words, sys.stderr), err=True)
