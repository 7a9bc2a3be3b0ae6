"""`guardctl db`: the database's own health."""

import click

from guardd.cli import forms
from guardd.cli.connect import UNLIMITED_PATIENCE, asking_daemon
from guardd.cli.errors import Failure
from guardd.cli.options import Shared, pass_shared, shared_options

EPILOG = """\b
Example:
  guardctl db check                 SQLite's own integrity check, read through"""


@click.group(epilog=EPILOG)
@shared_options
def command() -> None:
    """Check the daemon's database."""


@command.command(epilog=EPILOG)
@shared_options
@pass_shared
def check(shared: Shared) -> None:
    """Check the daemon's database while it works.

    The exit status is 1 where it is damaged.
    """
    with asking_daemon(shared, UNLIMITED_PATIENCE) as daemon:
        result = daemon.request("db.check", {})
    if shared.as_json:
        forms.document(result)
    elif result["ok"]:
        forms.say("The database is sound.")
    if not result["ok"]:
        raise Failure(
            "the database is damaged",
            *(str(problem) for problem in result.get("problems", ())),
            "Stop the daemon, keep a copy of the file, and put the newest backup in its place",
        )
