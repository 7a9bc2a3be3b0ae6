"""`guardctl metrics`: the daemon's figures as Prometheus text."""

import click

from guardd.cli import forms
from guardd.cli.connect import asking_daemon
from guardd.cli.options import Shared, pass_shared, shared_options

EPILOG = """\b
Examples:
  guardctl metrics
  guardctl metrics | grep guardd_verdicts_total
  guardctl metrics > /var/lib/node_exporter/guardd.prom

Counters count from the daemon's start; each metric says what it is in a line
that begins with # HELP."""


@click.command(epilog=EPILOG)
@shared_options
@pass_shared
def command(shared: Shared) -> None:
    """Print the daemon's metrics in Prometheus' text format."""
    with asking_daemon(shared) as daemon:
        result = daemon.request("server.metrics", {})
    if shared.as_json:
        forms.document(result)
    else:
        forms.raw(result.rstrip("\n"))
