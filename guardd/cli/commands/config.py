"""`guardctl config`: the settings in effect, where each came from, and whether a file can be used."""

from pathlib import Path
from typing import Any

import click

from guardd.cli import forms
from guardd.cli.connect import asking_daemon
from guardd.cli.errors import Failure
from guardd.cli.options import Shared, pass_shared, shared_options
from guardd.cli.text import safe

EPILOG = """\b
Examples:
  guardctl config show              what the daemon works with
  guardctl config show --agent safe-runner
  guardctl config check guardd.json5 && guardctl config reload"""

SHOW_EPILOG = """\b
Examples:
  guardctl config show
  guardctl config show --agent safe-runner
  guardctl config show --json | jq '.values["tools.loopDetection.enabled"]'

The origin is `default`, or the file and the key in it that set the value."""

CHECK_EPILOG = """\b
Example:
  guardctl config check ~/.config/guardd/guardd.json5

No daemon is asked. The exit status is 0 for a file that guardd would start
with, warnings or not, 5 where there is none, and 1 otherwise; all that is wrong
is then said, users and groups that this system does not have among it."""

RELOAD_EPILOG = """\b
Example:
  guardctl config reload

A bad file changes nothing: the daemon goes on with what it has, and the error
is shown. SIGHUP does the same."""


@click.group(epilog=EPILOG)
@shared_options
def command() -> None:
    """Show, check and reload the configuration."""


@command.command(epilog=SHOW_EPILOG)
@click.option("--agent", metavar="ID", help="What holds for this agent.")
@shared_options
@pass_shared
def show(shared: Shared, agent: str | None) -> None:
    """Show every effective value and where it came from."""
    with asking_daemon(shared) as daemon:
        described = daemon.request("config.get", {"agentId": agent} if agent else {})
    if shared.as_json:
        forms.document(described)
        return
    _show(described, colored=shared.colored)
    for warning in described.get("warnings", ()):
        forms.note(f"warning: {warning}")


@command.command(epilog=CHECK_EPILOG)
@click.argument("file", type=click.Path(path_type=Path, readable=False))
@shared_options
@pass_shared
def check(shared: Shared, file: Path) -> None:
    """Check a configuration FILE without using it."""
    from guardd.cli.unusable import unusable  # noqa: PLC0415
    from guardd.config import ConfigError, load  # noqa: PLC0415 - brings the JSON5 reader
    from guardd.config.errors import raise_any  # noqa: PLC0415
    from guardd.daemon.access import unknown_names  # noqa: PLC0415

    try:
        config = load(file)
        raise_any(unknown_names(config))
    except ConfigError as error:
        if shared.as_json:
            faults = [
                {"file": one.file, "key": one.key, "value": one.value, "reason": one.reason}
                for one in error.errors
            ]
            found = {"file": str(file), "valid": False, "error": faults[0], "errors": faults}
            forms.document(found | {"warnings": [], "notes": []})
        raise unusable(error) from None
    if shared.as_json:
        warnings, notes = list(config.warnings), list(config.notes)
        forms.document(
            {
                "file": str(file),
                "valid": True,
                "error": None,
                "errors": [],
                "warnings": warnings,
                "notes": notes,
            }
        )
        return
    for warning in config.warnings:
        forms.note(f"warning: {warning}")
    for remark in config.notes:
        forms.note(f"note: {remark}")
    forms.say(f"{file} can be used.")


@command.command(epilog=RELOAD_EPILOG)
@shared_options
@pass_shared
def reload(shared: Shared) -> None:
    """Let the daemon read its configuration again."""
    from guardd.protocol.errors import InvalidParams  # noqa: PLC0415

    with asking_daemon(shared) as daemon:
        try:
            result = daemon.request("config.reload", {})
        except InvalidParams as error:  # a line for each thing that is wrong
            raise Failure(*map(safe, error.message.split("\n"))) from None
    if shared.as_json:
        forms.document(result)
        return
    for warning in result.get("warnings", ()):
        forms.note(f"warning: {warning}")
    if result.get("path") is None:
        forms.say("There is no configuration file: the defaults hold from the next verdict on.")
    else:
        forms.say("The configuration is reloaded; the next verdict goes by it.")


def _show(described: dict[str, Any], *, colored: bool) -> None:
    import json  # noqa: PLC0415

    from guardd.cli import tables  # noqa: PLC0415 - brings rich

    path = described.get("path")
    about = [safe(path) if path else "no configuration file: all defaults"]
    if described.get("agentId"):
        about.append(f"as it holds for agent {safe(described['agentId'])}")
    tables.headline(about, colored=colored)
    rows = []
    for key, setting in described["values"].items():
        value = "unset" if setting["value"] is None else json.dumps(setting["value"], ensure_ascii=False)
        rows.append((safe(key), safe(value), safe(_origin(key, setting["origin"], path))))
    columns = (
        tables.Column("KEY", fold=True, alone=True),
        tables.Column("VALUE", least=10, fold=True),
        tables.Column("SET BY", least=16, fold=True, style="cyan"),
    )
    tables.show(columns, rows, colored=colored)


def _origin(key: str, origin: str, path: str | None) -> str:
    """Where a value came from, in short: the file is named above the table, and the key beside it."""
    if origin == "default":
        return ""
    inside = origin.removeprefix(f"{path}: ")
    if inside.startswith(key):
        return f"the file{inside.removeprefix(key)}"
    return inside.replace(f": {key}", "", 1).replace(f".{key}", "", 1)
