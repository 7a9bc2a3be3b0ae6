"""`guardctl status`: the daemon's health in a few lines."""

from typing import Any

import click

from guardd.cli import forms
from guardd.cli.connect import asking_daemon
from guardd.cli.options import Shared, pass_shared, shared_options

EPILOG = """\b
Examples:
  guardctl status
  guardctl status >/dev/null && echo up
  guardctl status --json | jq .database.bytes

The exit status is 0 where a daemon answers and 3 where none does."""


@click.command(epilog=EPILOG)
@shared_options
@pass_shared
def command(shared: Shared) -> None:
    """Show how the daemon is."""
    with asking_daemon(shared) as daemon:
        status = daemon.request("server.status", {})
    if shared.as_json:
        forms.document(status)
        return
    from guardd.cli.tables import pairs  # noqa: PLC0415 - brings rich

    pairs(_rows(status), colored=shared.colored)


def _last(status: dict[str, Any]) -> str:
    """When something last happened, where the daemon tells."""
    from guardd.cli.times import Clock  # noqa: PLC0415

    at = status.get("lastActivityAt")
    return f", the last {Clock(absolute=False).show(at)}" if at else ""


def _rows(status: dict[str, Any]) -> list[tuple[str, str]]:
    from guardd.cli.text import plural, safe, size  # noqa: PLC0415
    from guardd.cli.times import length  # noqa: PLC0415

    database = status["database"]
    rows = [
        ("guardd", f"{status['version']}, pid {status['pid']}, up {length(int(status['uptimeSeconds']))}"),
        ("mode", status["mode"]),
        ("database", safe(database["path"])),
        ("", f"{size(database['bytes'])}, {size(database['walBytes'])} of WAL, schema {database['schema']}"),
        ("SQLite", status["sqliteVersion"]),
        ("stored", f"{plural(status['runs'], 'run')}, {plural(status['calls'], 'call')}{_last(status)}"),
        ("connections", str(status["connections"])),
    ]
    if "configPath" in status:  # a daemon of before does not say
        rows.insert(2, ("config", safe(status["configPath"] or "no file: all defaults")))
    return rows + [("restart", f"needed: {safe(line)}") for line in status.get("waitsForRestart", ())]
