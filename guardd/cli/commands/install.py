"""`guardctl install`: connects gateways and coding agents, and makes guardd a service."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import click

from guardd.cli.errors import Failure, Status
from guardd.cli.install.agents import AGENTS, Agent
from guardd.cli.options import Shared, pass_shared, shared_options

if TYPE_CHECKING:
    from guardd.cli.install.plan import Plan

EPILOG = """\b
Examples:
  guardctl install claude-code      show the change, ask, write it
  guardctl install openclaw --dry-run
  guardctl install codex --uninstall

Each shows the change as a diff first, and asks. A file that is changed is copied
beside itself; everything else in it stays as it is, comments too. With --json
nobody is asked: add --yes or --dry-run."""

OPENCLAW_EPILOG = """\b
Examples:
  guardctl install openclaw
  guardctl install openclaw --dry-run
  guardctl install openclaw --config ~/.openclaw-work/openclaw.json

The file is the gateway's own: $OPENCLAW_CONFIG_PATH, else openclaw.json in
$OPENCLAW_STATE_DIR or ~/.openclaw. A socket that --socket or $GUARDD_SOCKET names
is written into it, since the gateway may not have that variable."""

AGENT_EPILOG = """\b
Examples:
  guardctl install {name}
  guardctl install {name} --project
  guardctl install {name} --uninstall

The file is {place}, with --project {project}
in the current directory. A --socket that is given becomes part of the command."""

SYSTEMD_EPILOG = """\b
Examples:
  guardctl install systemd --user
  sudo guardctl install systemd

Writes guardd.service and guardd.socket to ~/.config/systemd/user or to
/etc/systemd/system. Nothing is started."""

Function = TypeVar("Function", bound=Callable[..., object])


def _changing(function: Function) -> Function:
    """Give a command what every target takes."""
    for option in (
        click.option("--uninstall", is_flag=True, help="Take out what installing put in."),
        click.option("--yes", "-y", is_flag=True, help="Write it without asking."),
        click.option("--dry-run", is_flag=True, help="Only show the change; write nothing."),
    ):
        function = option(function)
    return function


_config_option = click.option(
    "--config",
    type=click.Path(path_type=Path, readable=False),
    metavar="FILE",
    help="The file to change, in place of the usual one.",
)


@click.group(epilog=EPILOG)
@shared_options
def command() -> None:
    """Connect a gateway or a coding agent to guardd."""


@command.command(epilog=OPENCLAW_EPILOG)
@_config_option
@_changing
@shared_options
@pass_shared
def openclaw(shared: Shared, config: Path | None, *, dry_run: bool, yes: bool, uninstall: bool) -> None:
    """Load the plugin into an OpenClaw gateway."""
    from guardd import paths  # noqa: PLC0415
    from guardd.cli.install import openclaw as target  # noqa: PLC0415

    uid = os.geteuid()
    named = os.path.abspath(shared.socket) if shared.socket else paths.named_socket(os.environ, uid)  # noqa: PTH100
    unnamed = {name: value for name, value in os.environ.items() if name != "GUARDD_SOCKET"}
    found_anyway = [place for place, _ in paths.client_socket_candidates(unnamed, uid)]
    file = config or target.config_path(os.environ, paths.home_directory(os.environ, uid))
    socket = None if named in found_anyway else named
    _run(target.plan(file, socket=socket, uninstall=uninstall), shared, dry_run=dry_run, yes=yes)


@command.command(epilog=SYSTEMD_EPILOG)
@click.option("--user", is_flag=True, help="For this user alone, without root.")
@_changing
@shared_options
@pass_shared
def systemd(shared: Shared, *, user: bool, dry_run: bool, yes: bool, uninstall: bool) -> None:
    """Make guardd a service of systemd."""
    from guardd import paths  # noqa: PLC0415
    from guardd.cli.install import systemd as target  # noqa: PLC0415

    place = target.directory(os.environ, paths.home_directory(os.environ, os.geteuid()), user=user)
    _run(target.plan(place, user=user, uninstall=uninstall), shared, dry_run=dry_run, yes=yes)


def _agent_command(known: Agent) -> click.Command:
    @command.command(
        known.name,
        short_help=f"Let {known.title} ask guardd.",
        help=f"Let {known.title} ask guardd before and after every tool call.",
        epilog=AGENT_EPILOG.format(name=known.name, place=known.usual_place, project=known.project),
    )
    @click.option("--project", is_flag=True, help="For the project in the current directory alone.")
    @_config_option
    @_changing
    @shared_options
    @pass_shared
    def agent(
        shared: Shared, config: Path | None, *, project: bool, dry_run: bool, yes: bool, uninstall: bool
    ) -> None:
        from guardd import paths  # noqa: PLC0415
        from guardd.cli.install import hooks  # noqa: PLC0415 - brings the JSON5 editor

        if project and config:
            raise Failure("--project and --config name two files", "Give one of them", status=Status.USAGE)
        home = paths.home_directory(os.environ, os.geteuid())
        file = config or (Path.cwd() / known.project if project else known.path(os.environ, home))
        socket = os.path.abspath(shared.socket) if shared.socket else None  # noqa: PTH100 - no link is followed
        plan = hooks.plan(known, file, socket=socket, uninstall=uninstall, shared=project)
        _run(plan, shared, dry_run=dry_run, yes=yes)

    return agent


def _run(plan: "Plan", shared: Shared, *, dry_run: bool, yes: bool) -> None:
    from guardd.cli.install import running  # noqa: PLC0415

    running.run(plan, shared, dry_run=dry_run, yes=yes)


for _known in AGENTS.values():
    _agent_command(_known)
