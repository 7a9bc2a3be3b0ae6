"""`guardctl bench`: this machine's figures, of guardd and of the least that the same work costs."""

from typing import TYPE_CHECKING

import click

from guardd.cli import forms
from guardd.cli.errors import Failure
from guardd.cli.options import Shared, pass_shared, shared_options

if TYPE_CHECKING:
    from guardd.bench.figures import Figure

EPILOG = """\b
Examples:
  guardctl bench
  guardctl bench --quick
  guardctl bench --json | jq '.figures[] | select(.met == false)'
  TMPDIR=/var/tmp guardctl bench    on the disk that the database will be on

\b
The floor is the same work by the shortest path: a bare uvloop server that
decodes with msgspec, runs one window query, one insert and one update through
sqlite3, each request its own commit, and answers. Both take turns, and all
figures are of this one run: RATIO is guardd's by the floor's, the median of
the turns, and between SPREAD lies the half of them. A pair is tool.before and
tool.after of a call. Nothing is judged by times: what misses its TARGET is
marked, and the exit status stays 0.

\b
It takes about a minute, a quick one ten seconds, and a machine that is left
alone meanwhile. The servers are its own, in new temporary folders: your own
daemon is neither asked nor changed, whatever --socket says."""


@click.command(epilog=EPILOG)
@click.option("--quick", is_flag=True, help="Measure less, for a first impression.")
@shared_options
@pass_shared
def command(shared: Shared, *, quick: bool) -> None:
    """Measure guardd on this machine, beside its floor."""
    import tempfile  # noqa: PLC0415
    from pathlib import Path  # noqa: PLC0415

    from guardd.bench.machine import describe  # noqa: PLC0415
    from guardd.bench.whole import FULL, QUICK, measure  # noqa: PLC0415 - brings much
    from guardd.cli.bench_table import runs_layout  # noqa: PLC0415
    from guardd.own_daemon.errors import Breakdown  # noqa: PLC0415

    machine = describe(Path(tempfile.gettempdir()))
    try:
        figures = list(measure(QUICK if quick else FULL, _progress, runs_layout))
    except Breakdown as error:
        raise Failure(error.message, *error.details) from None
    if shared.as_json:
        forms.document({"machine": machine, "figures": [figure.document() for figure in figures]})
    else:
        _show(machine, figures, colored=shared.colored)


def _progress(words: str) -> None:
    """Say what is being measured, where somebody watches."""
    import sys  # noqa: PLC0415

    if sys.stderr.isatty():
        forms.note(f"Measuring {words} …")


def _show(machine: "dict[str, str | float]", figures: "list[Figure]", *, colored: bool) -> None:
    from guardd.cli.bench_table import layout  # noqa: PLC0415
    from guardd.cli.tables import headline, show  # noqa: PLC0415 - brings rich

    headline(
        [
            f"{machine['cpu']}, {machine['cores']} cores",
            f"load {machine['load']}",
            f"Python {machine['python']}",
            f"SQLite {machine['sqlite']}",
            str(machine["fileSystem"]),
        ],
        colored=colored,
    )
    show(*layout(figures), colored=colored)
