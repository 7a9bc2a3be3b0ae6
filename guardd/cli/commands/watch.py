"""`guardctl watch`: a live board of runs and loops."""

import os
import sys
from typing import Any

import click

from guardd.cli.connect import asking_daemon
from guardd.cli.options import Shared, abs_time_option, pass_shared, shared_options

EPILOG = """\b
Examples:
  guardctl watch                    until q or Ctrl-C; p holds it still
  guardctl watch --looping          only runs with a warning, block or abort
  guardctl watch --agent main
  guardctl watch > now.txt          what there is now, once
  guardctl watch --json | jq '.status.runs'

Above stands the daemon, and what it has said since the board was opened; then
the runs, newest activity first; then the events, newest last. A daemon that
goes away is waited for, and no event is left out. Where stdout is no terminal,
and with --json, the newest runs and events are printed once, newest first.
The exit status is 130 after Ctrl-C, and 0 after q."""

NEWEST = 20
"""Runs and events of a snapshot."""


@click.command(epilog=EPILOG)
@click.option("--agent", metavar="ID", help="Only this agent's runs and events.")
@click.option("--looping", is_flag=True, help="Only runs with a warning, block or abort.")
@abs_time_option
@shared_options
@pass_shared
def command(shared: Shared, agent: str | None, *, looping: bool, abs_time: bool) -> None:
    """Watch runs and loops on a live board."""
    given = {"agentId": agent, "looping": looping or None}
    filters = {name: value for name, value in given.items() if value is not None}
    if not shared.as_json and sys.stdout.isatty() and os.environ.get("TERM", "dumb") != "dumb":
        _board(shared, filters, abs_time=abs_time)
        return
    from guardd.cli.watch import snapshot  # noqa: PLC0415

    with asking_daemon(shared) as daemon:
        found = snapshot.take(daemon, filters, NEWEST)
    if shared.as_json:
        from guardd.cli import forms  # noqa: PLC0415

        forms.document(found.document())
    else:
        snapshot.show(found, filters, abs_time=abs_time, colored=shared.colored)


def _board(shared: Shared, filters: dict[str, Any], *, abs_time: bool) -> None:
    from guardd.cli.watch import board  # noqa: PLC0415 - brings rich

    board.show(shared, filters, abs_time=abs_time)
