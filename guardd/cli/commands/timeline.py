"""`guardctl timeline RUN`: a run drawn as cells, so that a loop is seen at a glance."""

import click

from guardd.cli import forms
from guardd.cli.completing import RUN
from guardd.cli.connect import asking
from guardd.cli.options import Shared, database_option, limit_option, pass_shared, shared_options
from guardd.cli.paging import history, with_aborts
from guardd.cli.text import plural
from guardd.cli.timeline import timeline

EPILOG = """\b
Examples:
  guardctl timeline latest          the run with the newest activity
  guardctl timeline 3f2a --limit all
  guardctl timeline 3f2a --color always | less -R
  guardctl timeline 3f2a --json | jq '.legend[] | select(.calls > 9)'

Each cell is a call; the same letter and colour is the same tool with the same
arguments, and the number before a line is that of its first call. A mark in
a cell is a verdict, a sign between cells a compaction, reset or restart; what
they mean is below. The most frequent 62 calls have a letter or a digit."""

NEWEST = 1000


@click.command(epilog=EPILOG)
@click.argument("run", type=RUN)
@limit_option(f"calls, the newest: {NEWEST} if not given")
@database_option
@shared_options
@pass_shared
def command(shared: Shared, run: str, limit: int | None) -> None:
    """Draw a RUN: a cell for each call.

    RUN is an id, the beginning of one, source/id, or latest.
    """
    with asking(shared) as daemon:
        found = daemon.request("run.get", {"run": run})
        past = history(daemon, found, limit or NEWEST)
        drawn = timeline(past if shared.as_json else with_aborts(daemon, past))
    calls = drawn.past.calls
    if calls and (missing := calls[0]["seq"] - 1):
        are = "is" if missing == 1 else "are"
        earlier = plural(missing, "earlier call")
        forms.note(f"{earlier} {are} not among these: --limit all shows what is still stored.")
    if shared.as_json:
        forms.document(drawn.document())
        return
    if not calls and not drawn.past.markers:
        forms.note("No calls.")
        return
    from guardd.cli.timeline_drawing import show  # noqa: PLC0415 - brings rich

    show(drawn, colored=shared.colored)
