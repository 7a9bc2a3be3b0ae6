"""`guardctl explain RUN [SEQ]`: why a call was answered as it was."""

from typing import Any

import click

from guardd.cli import forms
from guardd.cli.completing import RUN
from guardd.cli.connect import asking_daemon
from guardd.cli.errors import Failure, Status
from guardd.cli.options import CallNumber, Shared, pass_shared, shared_options
from guardd.cli.text import safe

EPILOG = """\b
Examples:
  guardctl explain latest           the newest warning, block or abort
  guardctl explain 3f2a 17          a certain call, let through or not
  guardctl explain 3f2a --json | jq .counted

The thresholds are those that hold now for the run's agent; where the verdict
went by others, that is said. What other settings would have said is found by
judging the same calls again. Outcomes are as they are known now."""


@click.command(epilog=EPILOG)
@click.argument("run", type=RUN)
@click.argument("seq", type=CallNumber(), required=False)
@shared_options
@pass_shared
def command(shared: Shared, run: str, seq: int | None) -> None:
    """Say why a call of a RUN was answered so.

    SEQ is the call's number in the history; without it, the newest verdict
    that is not allow is explained. RUN is an id, the beginning of one,
    source/id, or latest.
    """
    params: dict[str, object] = {"run": run} | ({} if seq is None else {"seq": seq})
    from guardd.protocol.errors import InvalidParams  # noqa: PLC0415

    with asking_daemon(shared) as daemon:
        try:
            explained = daemon.request("run.explain", params)
        except InvalidParams as error:
            if error.field != "seq":
                raise
            raise Failure(safe(error.message), status=Status.NOT_FOUND) from None
    if shared.as_json:
        forms.document(explained)
        return
    _show(explained, colored=shared.colored)


def _show(explained: dict[str, Any], *, colored: bool) -> None:
    from guardd.cli import tables  # noqa: PLC0415 - brings rich

    about = [safe(explained["run"])]
    if explained["seq"] is not None:
        about.append(f"call {explained['seq']}")
    about.append(tables.verdict(explained))
    if explained["detector"]:
        about.append(safe(explained["detector"]))
    tables.headline(about, colored=colored)
    tables.paragraphs([safe(line) for line in explained["text"].splitlines()])
    rows = [
        (safe(name), str(setting["value"]), safe(setting["origin"].replace(f".{name}", "", 1)))
        for name, setting in explained["thresholds"].items()
    ]
    if not rows:
        return
    forms.say("")
    columns = (
        tables.Column("SETTING", fold=True),
        tables.Column("NOW", right=True),
        tables.Column("SET BY", least=24, fold=True, alone=True, style="cyan"),
    )
    tables.show(columns, rows, colored=colored)
