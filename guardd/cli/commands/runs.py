"""`guardctl runs`: the runs, the one with the newest activity first."""

import click

from guardd.cli import forms
from guardd.cli.connect import asking
from guardd.cli.options import (
    Shared,
    abs_time_option,
    database_option,
    limit_option,
    pass_shared,
    shared_options,
    since_option,
)
from guardd.cli.paging import newest
from guardd.vocabulary import RunStatus

STATUSES = [status.value for status in RunStatus]

EPILOG = """\b
Examples:
  guardctl runs                     the newest runs
  guardctl runs --looping           those that were warned, blocked or aborted
  guardctl runs --agent main --since 2h
  guardctl runs --json --limit all | jq -r '.[].run'
  guardctl runs --db backup.db      read a backup, without a daemon

LOOPS is the strongest verdict since the last reset. Wherever a RUN is asked for,
the beginning of its id is enough; ids are never cut below what tells these apart.
See also: guardctl history shows a run's calls, guardctl watch all of it live."""


@click.command(epilog=EPILOG)
@click.option("--agent", metavar="ID", help="Only this agent's.")
@click.option("--source", metavar="NAME", help="Only those of this kind of gateway.")
@click.option("--status", type=click.Choice(STATUSES), help="Only runs that stand so.")
@click.option("--looping", is_flag=True, help="Only runs with a warning, block or abort.")
@since_option("runs active")
@limit_option("runs", 100)
@abs_time_option
@database_option
@shared_options
@pass_shared
def command(
    shared: Shared,
    agent: str | None,
    source: str | None,
    status: str | None,
    looping: bool,  # noqa: FBT001 - a flag of click's
    since: str | None,
    limit: int,
    abs_time: bool,  # noqa: FBT001
) -> None:
    """List the runs, newest activity first."""
    filters = {
        "agentId": agent,
        "source": source,
        "status": status,
        "since": since,
        "looping": looping or None,
    }
    with asking(shared) as daemon:
        page = newest(daemon, "run.list", "runs", filters, limit)
    if shared.as_json:
        forms.document(page.items)
    elif page.items:
        from guardd.cli.runs_table import show  # noqa: PLC0415 - brings rich

        show(page.items, abs_time=abs_time, colored=shared.colored)
    else:
        filtered = any(value is not None for value in filters.values())
        forms.note(
            "No run is like that."
            if filtered
            else "No runs yet: a run appears with its gateway's first call."
        )
    if page.more:
        forms.note(f"There are more runs than these {len(page.items)}: --limit all shows them.")
