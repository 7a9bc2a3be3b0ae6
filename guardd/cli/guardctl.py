"""`guardctl`: looks into a running guardd, and into backups of its database."""

import gc
from typing import NoReturn

import click

import guardd
from guardd.cli.options import database_option, shared_options
from guardd.cli.program import LazyProgram

SECTIONS = {
    "Look": (
        "runs",
        "history",
        "timeline",
        "report",
        "explain",
        "events",
        "watch",
        "status",
        "doctor",
        "metrics",
    ),
    "Try settings": ("replay", "tune", "export"),
    "Step in": ("reset", "abort"),
    "Keep": ("config", "backup", "prune", "db"),
    "Set up": ("demo", "bench", "install", "hook", "completion"),
}

EPILOG = """\b
Examples:
  guardctl runs                     what runs there are, and which loop
  guardctl history latest           what the newest one did
  guardctl events --follow          warnings and blocks as they happen
\b
The options may also stand after a command's name. The socket is the one that
--socket or $GUARDD_SOCKET names, else the first of the usual places.
reset, abort, config reload, backup, prune and db check are for root and the
daemon's own user.
\b
Environment:
  GUARDD_SOCKET        the daemon's socket
  NO_COLOR             no colours, unless --color always
  COLUMNS              how wide tables are; a terminal says it by itself
  GUARDCTL_TRACEBACK   an internal error ends with Python's traceback
\b
Exit status: 0 done, 1 failed, 2 usage, 3 no daemon, 4 denied, 5 not found,
130 Ctrl-C."""


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
    with --db FILE, the commands that list it in their --help read a backup. A
    RUN is an id, the beginning of one, source/id, or latest.
    """


def main() -> NoReturn:
    """Run guardctl with the arguments of the process."""
    # A short life with much importing: looking for garbage meanwhile would be a twentieth of it.
    gc.set_threshold(50_000)
    program.main()
