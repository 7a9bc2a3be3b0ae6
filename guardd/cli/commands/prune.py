"""`guardctl prune`: deletes ended runs before retention would."""

import click

from guardd.cli import forms
from guardd.cli.connect import UNLIMITED_PATIENCE, asking_daemon
from guardd.cli.options import Shared, Since, pass_shared, shared_options

EPILOG = """\b
Examples:
  guardctl prune                    what the configured retention says, now
  guardctl prune --older-than 3d --dry-run
  guardctl prune --older-than 2026-01-31T00:00:00Z

What the detectors of a live run need is never deleted: runs that are active, or
that guardd aborted, stay until they were silent for guardd.retention.days."""


@click.command(epilog=EPILOG)
@click.option(
    "--older-than",
    type=Since(),
    metavar="TIME",
    help="Runs without activity since then: 12h, 3d, or an RFC 3339 time; by guardd.retention if not given.",
)
@click.option("--dry-run", is_flag=True, help="Only say what would be deleted.")
@shared_options
@pass_shared
def command(shared: Shared, older_than: str | None, *, dry_run: bool) -> None:
    """Delete old runs now."""
    params: dict[str, object] = {"dryRun": True} if dry_run else {}
    if older_than:
        params["olderThan"] = older_than
    with asking_daemon(shared, UNLIMITED_PATIENCE) as daemon:
        result = daemon.request("db.prune", params)
    if shared.as_json:
        forms.document(result)
        return
    from guardd.cli.text import plural  # noqa: PLC0415

    verb = "Would delete" if dry_run else "Deleted"
    kept = result.get("kept", 0)  # a daemon of before does not say
    if result["runs"]:
        forms.say(f"{verb} {plural(result['runs'], 'run')} with {plural(result['calls'], 'call')}.")
    else:
        forms.say("Nothing to delete." if kept else "No run is old enough to be deleted.")
    if kept:
        are, stay = ("is", "stays") if kept == 1 else ("are", "stay")
        forms.say(f"{plural(kept, 'run')} {are} old enough and {stay}: active or aborted.")
