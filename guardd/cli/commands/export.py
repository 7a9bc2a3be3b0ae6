"""`guardctl export RUN`: a run as NDJSON, which `guardctl replay` reads."""

import json
from collections.abc import Iterator
from pathlib import Path

import click

from guardd.cli import forms
from guardd.cli.completing import RUN
from guardd.cli.connect import asking
from guardd.cli.options import ALL, Shared, database_option, pass_shared, shared_options
from guardd.cli.paging import history
from guardd.cli.text import plural

EPILOG = """\b
Examples:
  guardctl export latest > run.ndjson
  guardctl export 3f2a -o run.ndjson && guardctl replay run.ndjson
  guardctl export latest | guardctl replay --config new.json5 -
  guardctl export latest --db backup.db -o run.ndjson

A line says which run it is; then there is a line for each call and for each
compaction, reset and restart between them. Arguments and results are never
stored: fingerprints stand for them, which are equal where these were equal,
and mean nothing outside of this run's database. FILE is readable by its owner
alone; it may exist if it is such an export, and is overwritten then; nothing
else is. --json changes nothing."""

STDOUT = "-"


@click.command(epilog=EPILOG)
@click.argument("run", type=RUN)
@click.option(
    "--output",
    "-o",
    type=click.Path(path_type=Path, readable=False, allow_dash=True),
    metavar="FILE",
    help="Write to FILE, not to stdout, which - is too.",
)
@database_option
@shared_options
@pass_shared
def command(shared: Shared, run: str, output: Path | None) -> None:
    """Write a RUN as NDJSON, for replay.

    RUN is an id, the beginning of one, source/id, or latest.
    """
    from guardd.replay import export  # noqa: PLC0415 - only here

    with asking(shared) as daemon:
        found = daemon.request("run.get", {"run": run})
        past = history(daemon, found, ALL)
    written = _ndjson(export.lines(past.run, past.calls, past.markers))
    if output is None or str(output) == STDOUT:
        for line in written:
            click.echo(line)
        return
    from guardd.cli.output import Kind, write  # noqa: PLC0415 - brings tempfile

    kind = Kind("export", f'{{"format":"{export.FORMAT}"'.encode())
    write((f"{line}\n" for line in written), output, kind)
    forms.note(f"{plural(len(past.calls), 'call')} written to {output}.")


def _ndjson(lines: Iterator[dict[str, object]]) -> Iterator[str]:
    return (json.dumps(line, separators=(",", ":")) for line in lines)
