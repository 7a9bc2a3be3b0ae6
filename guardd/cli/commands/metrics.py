"""`guardctl metrics`: the daemon's figures as Prometheus text."""

import click

from guardd.cli import forms
from guardd.cli.connect import asking_daemon
from guardd.cli.options import Shared, pass_shared, shared_options

EPILOG = """\b
Examples:
  guardctl metrics
  guardctl metrics > /var/lib/node_exporter/guardd.prom"""


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
        forms.say(result.rstrip("\n"))
