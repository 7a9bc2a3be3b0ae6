"""The two forms of output: JSON, which is a contract, and words. Tables are in `guardd.cli.tables`."""

import sys
from typing import Any

import click


def document(value: Any) -> None:  # noqa: ANN401 - any JSON value
    """Print one JSON document: indented for a terminal, else on one line; ASCII, for any locale."""
    import json  # noqa: PLC0415 - people's output does not need it

    indent, separators = (2, None) if sys.stdout.isatty() else (None, (",", ":"))
    click.echo(json.dumps(value, indent=indent, separators=separators))


def line(value: Any) -> None:  # noqa: ANN401 - any JSON value
    """Print one JSON document of a stream, on a line of its own, at once."""
    import json  # noqa: PLC0415

    click.echo(json.dumps(value, separators=(",", ":")))


def say(words: str) -> None:
    """Print what a command did, on stdout."""
    click.echo(words)


def note(words: str) -> None:
    """Print what is worth knowing beside the output, on stderr."""
    click.echo(words, err=True)
