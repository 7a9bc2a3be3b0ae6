"""`guardctl history RUN`: a run's calls in order, with what was said to them and what happened in between."""

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
)
from guardd.cli.paging import History, history, with_aborts
from guardd.cli.text import plural
from guardd.vocabulary import RunStatus

EPILOG = """\b
Examples:
  guardctl history latest           the run with the newest activity
  guardctl history 3f2a             a run by the beginning of its id
  guardctl history latest --limit 30 --expand
  guardctl history latest --follow  go on as it goes on, until Ctrl-C
  guardctl history 3f2a --json | jq '.calls[] | select(.action != "allow")'

Calls in a row that repeat each other, with the same outcome and verdict, are
one line, and REP says how many they are. Up to six such lines that come in turn
three times or more are shown once. With --expand each call has its line, and
REP says which in the row it is. With --follow a call is shown when it begins
and again when its outcome comes. (WARN) and the like were only observed.
See also: guardctl explain says why a call was answered so."""

NEWEST = 1000
NEWEST_TO_FOLLOW = 20


@click.command(epilog=EPILOG)
@click.argument("run", type=RUN)
@limit_option(f"calls, the newest: {NEWEST} if not given, {NEWEST_TO_FOLLOW} with --follow")
@click.option(
    "--since-seq",
    type=click.IntRange(min=1),
    metavar="SEQ",
    help="From this call on; --limit then keeps the first.",
)
@click.option("--expand", is_flag=True, help="A line for every call: fold nothing.")
@click.option("--follow", "-f", is_flag=True, help="Go on as the run goes on.")
@abs_time_option
@database_option
@shared_options
@pass_shared
def command(
    shared: Shared,
    run: str,
    limit: int | None,
    since_seq: int | None,
    *,
    expand: bool,
    follow: bool,
    abs_time: bool,
) -> None:
    """Show the calls of a RUN in order.

    RUN is an id, the beginning of one, source/id, or latest.
    """
    if follow and shared.database:
        raise click.UsageError("--follow asks a daemon: it does not go with --db.")
    limit = limit or (NEWEST_TO_FOLLOW if follow else NEWEST)
    with asking(shared) as daemon:
        found = daemon.request("run.get", {"run": run})
        past = history(daemon, found, limit, (since_seq or 1) - 1)
        shown = past if follow or shared.as_json else with_aborts(daemon, past)
    if shared.as_json and not follow:
        forms.document(past.document())
    if follow:
        _follow(shared, past, abs_time=abs_time)
        return
    _note_missing(past, since_seq)
    if not shared.as_json:
        _show(shown, since_seq, expand=expand, abs_time=abs_time, colored=shared.colored)


def _note_missing(past: History, since_seq: int | None) -> None:
    """Say what the history leaves out; without `since_seq` it is the oldest calls, which may be pruned too."""
    if since_seq and past.more:
        forms.note(f"There are more calls than these {len(past.calls)}: --limit all shows them.")
    elif not since_seq and past.calls and (missing := past.calls[0]["seq"] - 1):
        are = "is" if missing == 1 else "are"
        earlier = plural(missing, "earlier call")
        forms.note(f"{earlier} {are} not among these: --limit all shows what is still stored.")


def _show(past: History, since_seq: int | None, *, expand: bool, abs_time: bool, colored: bool) -> None:
    if not past.calls and not past.markers:
        forms.note(_nothing(past, since_seq))
        return
    from guardd.cli.history_table import show  # noqa: PLC0415 - brings rich

    show(past, expand=expand, abs_time=abs_time, colored=colored)


def _nothing(past: History, since_seq: int | None) -> str:
    made = past.run["calls"]
    return f"No calls from {since_seq} on: the run has {made:,}." if since_seq and made else "No calls."


def _follow(shared: Shared, past: History, *, abs_time: bool) -> None:
    from guardd.cli.following import polled  # noqa: PLC0415 - only to follow

    if past.run["status"] != RunStatus.ACTIVE:
        forms.note(f"The run has ended ({past.run['status']}); waiting for it to go on.")
    batches = polled(shared, past)
    if shared.as_json:
        for batch in batches:
            for news in batch:
                forms.line(news)
        return
    from guardd.cli.history_table import Stream  # noqa: PLC0415 - brings rich

    stream = Stream(past, abs_time=abs_time, colored=shared.colored)
    for batch in batches:
        stream.print(batch)
