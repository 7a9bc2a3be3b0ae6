"""`guardctl reset RUN`: forgives a run what it did so far."""

import click

from guardd.cli import forms
from guardd.cli.completing import RUN
from guardd.cli.connect import asking_daemon
from guardd.cli.options import Shared, pass_shared, shared_options

EPILOG = """\b
Examples:
  guardctl reset latest
  guardctl reset 3f2a --reason 'the server it polled is back'

The history stays and its numbering goes on. An abort is lifted, the guard after a compaction is disarmed."""


@click.command(epilog=EPILOG)
@click.argument("run", type=RUN)
@click.option("--reason", metavar="TEXT", help="Why; it is stored with the run.")
@shared_options
@pass_shared
def command(shared: Shared, run: str, reason: str | None) -> None:
    """Forgive a RUN: what came before no longer counts."""
    with asking_daemon(shared) as daemon:
        result = daemon.request("run.reset", {"run": run} | ({"reason": reason} if reason else {}))
    if shared.as_json:
        forms.document(result)
        return
    from guardd.cli.text import safe  # noqa: PLC0415

    forms.say(f"Run {safe(result['run'])} is reset: what came before no longer counts.")
