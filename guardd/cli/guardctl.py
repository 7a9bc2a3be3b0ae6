"""`guardctl`: looks into a running guardd, and into backups of its database."""

import gc
from typing import NoReturn

import click

import guardd
from guardd.cli.options import database_option, shared_options
from guardd.cli.program import LazyProgram

SECTIONS = {
    "Look": ("runs", "history", "timeline", "explain", "events", "status", "doctor", "metrics"),
    "Try settings": ("replay", "export"),
    "Step in": ("reset", "abort"),
    "Keep": ("config", "backup", "prune", "db"),
    "Set up": ("demo", "install", "hook", "completion"),
}

EPILOG = """\b
Examples:
  guardctl runs                     what runs there are, and which loop
  guardctl history latest           what the newest one did
  guardctl events --follow          warnings and blocks as they happen
\b
The options may also stand after a command's name. The socket is the one that
--socket or $GUARDD_SOCKET names, else the first of the usual places.
Exit status: 0 done, 1 failed, 2 usage, 3 no daemon, 4 denied, 5 not found."""


@click.command(
    "guardctl",
    cls=LazyProgram,
    package="guardd.cli.commands",
    sections=SECTIONS,
    epilog=EPILOG,
    context_settings={"help_option_names": ["-h", "--help"]},
)
@shared_options
@database_option
@click.version_option(guardd.__version__, message="%(prog)s %(version)s")
def program() -> None:
    """Look into guardd, and step in.

    guardctl asks the daemon over its socket and never opens a live database;
    runs, history, timeline and events also read a backup with --db FILE. A RUN
    is an id, the beginning of one, source/id, or latest.
    """


def main() -> NoReturn:
    """Run guardctl with the arguments of the process."""
    # A short life with much importing: looking for garbage meanwhile would be a twentieth of it.
    gc.set_threshold(50_000)
    program.main()
