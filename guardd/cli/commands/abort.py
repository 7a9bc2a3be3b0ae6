"""`guardctl abort RUN`: stops a run by hand."""

import click

from guardd.cli import forms
from guardd.cli.completing import RUN
from guardd.cli.connect import asking_daemon
from guardd.cli.options import Shared, pass_shared, shared_options

EPILOG = """\b
Examples:
  guardctl abort latest
  guardctl abort 3f2a --reason 'it deletes what it should keep'

The run's next tool call, and every later one, is answered with abort, until
`guardctl reset` lifts it. A tool that is running goes on: stopping it is up to
the gateway."""


@click.command(epilog=EPILOG)
@click.argument("run", type=RUN)
@click.option(
    "--reason",
    metavar="TEXT",
    default="no reason given",
    show_default=True,
    help="Why; the model is told.",
)
@shared_options
@pass_shared
def command(shared: Shared, run: str, reason: str) -> None:
    """Stop a RUN: its next tool call gets abort."""
    with asking_daemon(shared) as daemon:
        result = daemon.request("run.abort", {"run": run, "reason": reason})
    if shared.as_json:
        forms.document(result)
        return
    from guardd.cli.paging import exactly  # noqa: PLC0415
    from guardd.cli.text import safe  # noqa: PLC0415

    run = safe(result["run"])
    if result.get("mode") == "observe":
        forms.note(
            "guardd is observing: the run's calls are let through all the same, until guardd.mode is enforce"
        )
        forms.say(f"Run {run} is marked as aborted.")
    else:
        forms.say(f"Run {run} is aborted: every further tool call gets abort.")
    forms.say(f"Lift it with: guardctl reset {safe(exactly(result))}")
