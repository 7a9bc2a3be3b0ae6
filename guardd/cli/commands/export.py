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
and mean nothing outside of this run's database. --json changes nothing."""


@click.command(epilog=EPILOG)
@click.argument("run", type=RUN)
@click.option(
    "--output",
    "-o",
    type=click.Path(path_type=Path, readable=False, dir_okay=False),
    metavar="FILE",
    help="Write to FILE, not to stdout.",
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
    if output is None:
        for line in written:
            click.echo(line)
        return
    with output.open("w", encoding="utf-8") as file:
        file.writelines(f"{line}\n" for line in written)
    forms.note(f"{plural(len(past.calls), 'call')} written to {output}.")


def _ndjson(lines: Iterator[dict[str, object]]) -> Iterator[str]:
    return (json.dumps(line, separators=(",", ":")) for line in lines)
