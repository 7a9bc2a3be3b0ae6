"""`guardctl report RUN -o FILE.html`: a run as one page, to show to somebody."""

from pathlib import Path

import click

from guardd.cli import forms
from guardd.cli.completing import RUN
from guardd.cli.connect import asking
from guardd.cli.options import Shared, database_option, pass_shared, shared_options
from guardd.cli.text import size

EPILOG = """\b
Examples:
  guardctl report latest -o run.html
  guardctl report 3f2a -o run.html && xdg-open run.html
  guardctl report 3f2a -o - | ssh www 'cat > run.html'
  guardctl report latest --db backup.db -o run.html
  guardctl report 3f2a --json | jq .story

The page needs nothing but itself: no script, and nothing from elsewhere. It is
light or dark as the reader's system is. It shows previews of what the agent
did, secrets masked, so FILE is readable by its owner alone. FILE may exist if
it is such a report; nothing else is overwritten. --json prints what the page
shows, and writes none. A database file knows no settings and no reasons."""

STDOUT = "-"


@click.command(epilog=EPILOG)
@click.argument("run", type=RUN)
@click.option(
    "--output",
    "-o",
    type=click.Path(path_type=Path, readable=False, allow_dash=True),
    metavar="FILE",
    help="Write the page to FILE; - is stdout.",
)
@database_option
@shared_options
@pass_shared
def command(shared: Shared, run: str, output: Path | None) -> None:
    """Make one HTML page about a RUN.

    RUN is an id, the beginning of one, source/id, or latest.
    """
    if shared.as_json and output is not None:
        raise click.UsageError(
            "--json prints what the page shows, and writes no page: leave out one of them."
        )
    if not shared.as_json and output is None:
        raise click.UsageError("Say where the page goes: -o run.html, or -o - for stdout.")
    from guardd.cli.report import telling  # noqa: PLC0415 - only here
    from guardd.cli.report.gathering import gather  # noqa: PLC0415

    with asking(shared) as asked:
        report = gather(asked, run, live=shared.database is None)
    if output is None:
        forms.document(report.document(telling.story(report)))
        return
    from guardd.cli.report.rendering import KIND, render  # noqa: PLC0415 - brings jinja2

    page = render(report)
    if str(output) == STDOUT:
        click.echo(page.encode(), nl=False)
        return
    from guardd.cli.output import write  # noqa: PLC0415 - brings tempfile

    write([page], output, KIND)
    forms.note(f"The report is written to {output} ({size(len(page.encode()))}).")
