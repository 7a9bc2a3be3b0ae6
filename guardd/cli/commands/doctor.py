"""`guardctl doctor`: what is wrong with this installation, and what to do about it."""

import click

from guardd.cli import forms
from guardd.cli.errors import Status
from guardd.cli.options import Shared, pass_shared, shared_options
from guardd.cli.program import foresee

EPILOG = """\b
Examples:
  guardctl doctor
  guardctl doctor --socket /run/guardd/guardd.sock
  guardctl doctor --json | jq -r '.[] | select(.fix) | "\\(.check): \\(.fix)"'

A warning is worth a look; what failed does not work, will soon not, or lets
somebody in. Without a daemon, what only it knows is skipped. The database is
not read through: guardctl db check does that.
The exit status is 1 if a check failed, and 0 otherwise, warnings or not."""


@click.command(epilog=EPILOG)
@shared_options
@pass_shared
@click.pass_context
def command(context: click.Context, shared: Shared) -> None:
    """Check the installation, with a fix for what is wrong."""
    from guardd.cli.doctor.checks import examine  # noqa: PLC0415 - brings the configuration's reader
    from guardd.cli.doctor.finding import State  # noqa: PLC0415
    from guardd.cli.doctor.gathering import gather  # noqa: PLC0415

    findings = examine(gather(shared))
    has_failed = any(finding.state is State.FAILED for finding in findings.values())
    foresee(context, Status.FAILED if has_failed else Status.DONE)
    if shared.as_json:
        forms.document([{"check": name, **finding._asdict()} for name, finding in findings.items()])
    else:
        from guardd.cli.doctor.screen import show  # noqa: PLC0415 - brings rich

        show(findings, colored=shared.colored)
    if has_failed:
        context.exit(Status.FAILED)
