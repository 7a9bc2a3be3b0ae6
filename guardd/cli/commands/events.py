"""`guardctl events`: what was warned of, blocked and aborted."""

import click

from guardd.cli import forms
from guardd.cli.completing import RUN
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
from guardd.vocabulary import Detector, Level

DETECTORS = [detector.value for detector in Detector]
LEVELS = [level.value for level in Level]

EPILOG = """\b
Examples:
  guardctl events                   the newest warnings, blocks and aborts
  guardctl events --since 1h --level critical
  guardctl events --run latest --detector ping_pong
  guardctl events --follow          the last few, then each as it happens
  guardctl events --follow --json | jq --unbuffered -r .message

COUNT is what the detector counted, and after the slash the threshold that it
reached. (WARN) and the like were only observed: the call was allowed.
--follow goes on until Ctrl-C, and leaves with the exit status 130.
See also: guardctl explain RUN SEQ says why."""

NEWEST = 100
NEWEST_TO_FOLLOW = 10


@click.command(epilog=EPILOG)
@click.option("--run", type=RUN, metavar="RUN", help="Only this run's.")
@click.option(
    "--detector",
    type=click.Choice(DETECTORS),
    metavar="NAME",
    help=f"Only this detector's: {', '.join(DETECTORS)}.",
)
@click.option("--level", type=click.Choice(LEVELS), help="Only events of this level.")
@since_option("events")
@limit_option(f"events, the newest: {NEWEST} if not given, {NEWEST_TO_FOLLOW} with --follow")
@click.option("--follow", "-f", is_flag=True, help="Go on with events as they happen.")
@abs_time_option
@database_option
@shared_options
@pass_shared
def command(
    shared: Shared,
    run: str | None,
    detector: str | None,
    level: str | None,
    since: str | None,
    limit: int | None,
    *,
    follow: bool,
    abs_time: bool,
) -> None:
    """List warnings, blocks and aborts, newest first."""
    given = {"run": run, "detector": detector, "level": level, "since": since}
    filters = {name: value for name, value in given.items() if value is not None}
    if follow:
        if shared.database:
            raise click.UsageError("--follow asks a daemon: it does not go with --db.")
        _follow(shared, filters, limit or NEWEST_TO_FOLLOW, abs_time=abs_time)
        return
    with asking(shared) as daemon:
        page = newest(daemon, "event.list", "events", filters, limit or NEWEST)
    if shared.as_json:
        forms.document(page.items)
    elif page.items:
        from guardd.cli.events_table import show  # noqa: PLC0415 - brings rich

        show(page.items, abs_time=abs_time, colored=shared.colored)
    else:
        forms.note("No event is like that." if filters else "No events: nothing has looped yet.")
    if page.more:
        forms.note(f"There are more events than these {len(page.items)}: --limit all shows them.")


def _follow(shared: Shared, filters: dict[str, str], limit: int, *, abs_time: bool) -> None:
    from guardd.cli.following import watched  # noqa: PLC0415 - only to follow

    batches = watched(shared, filters, limit)
    if shared.as_json:
        for batch in batches:
            for event in batch:
                forms.line(event)
        return
    from guardd.cli.events_table import Stream  # noqa: PLC0415 - brings rich

    stream = Stream(abs_time=abs_time, colored=shared.colored)
    for batch in batches:
        stream.print(batch)
