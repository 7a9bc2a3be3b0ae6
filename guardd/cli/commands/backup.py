"""`guardctl backup FILE`: a copy of the database, made by the daemon while it works."""

import os
from pathlib import Path

import click

from guardd.cli import forms
from guardd.cli.connect import UNLIMITED_PATIENCE, asking_daemon
from guardd.cli.errors import Failure
from guardd.cli.options import Shared, pass_shared, shared_options

EPILOG = """\b
Examples:
  guardctl backup /var/backups/guardd.db
  guardctl backup now.db && guardctl runs --db now.db

The daemon writes the file, as its own user; it must not exist yet. The copy is
consistent and checked, and the daemon goes on answering meanwhile."""


@click.command(epilog=EPILOG)
@click.argument("file", type=click.Path(path_type=Path, readable=False))
@shared_options
@pass_shared
def command(shared: Shared, file: Path) -> None:
    """Write a copy of the database to FILE."""
    path = file.absolute()  # the daemon works in another directory
    with asking_daemon(shared, UNLIMITED_PATIENCE) as daemon:
        result = daemon.request("db.backup", {"path": str(path)})
    if not os.path.lexists(path):
        raise Failure(
            f"guardd wrote {path} where only guardd sees it: its service has a /tmp of its own",
            "Name a file beside the database; guardctl status shows where that is",
        )
    if shared.as_json:
        forms.document(result)
    else:
        forms.say(f"The database is copied to {path}. Look into it with: guardctl runs --db {file}")
