"""`guardctl demo`: a loop caught, by a daemon of its own that is killed on the way."""

from typing import TYPE_CHECKING, Any

import click

from guardd.cli import forms
from guardd.cli.errors import Failure
from guardd.cli.options import Shared, pass_shared, shared_options

if TYPE_CHECKING:
    from guardd.cli.demo.telling import Teller
    from guardd.own_daemon.daemon import OwnDaemon

EPILOG = """\b
Examples:
  guardctl demo
  guardctl demo --keep              leave the database, to look into it
  guardctl demo --json | jq '.steps[] | select(.step == "call") | .action'

It takes a few seconds. The agents are made up; the daemon, its socket and its
database are real. They are in a new temporary folder: your own daemon is
neither asked nor changed, whatever --socket says. The exit status is 0 only if
guardd said what it should."""

NEXT = {
    "guardd init": "write a configuration that switches detection on",
    "guardd serve": "run a daemon of your own",
    "guardctl runs": "what runs there are, and which loop",
    "guardctl history latest": "what the newest one did",
    "guardctl events --follow": "warnings and blocks as they happen",
    "guardctl reset RUN": "forgive a run, and lift its abort",
}


@click.command(epilog=EPILOG)
@click.option("--keep", is_flag=True, help="Leave the temporary folder with the database.")
@shared_options
@pass_shared
@click.pass_context
def command(ctx: click.Context, shared: Shared, *, keep: bool) -> None:
    """See a loop warned of, blocked and remembered."""
    from guardd.own_daemon.errors import Breakdown  # noqa: PLC0415

    try:
        _play(ctx, shared, keep=keep)
    except Breakdown as error:
        raise Failure(error.message, *error.details) from None


def _play(ctx: click.Context, shared: Shared, *, keep: bool) -> None:
    from guardd.cli.demo.story import THRESHOLDS  # noqa: PLC0415 - brings a client
    from guardd.own_daemon.daemon import OwnDaemon  # noqa: PLC0415

    config = {"tools": {"loopDetection": {"enabled": True} | THRESHOLDS}}
    with OwnDaemon("demo", config, keep=keep) as daemon:
        if shared.as_json:
            document = _document(daemon)
        else:
            from guardd.cli.demo.telling import Teller  # noqa: PLC0415

            _tell(ctx, daemon, Teller(colored=shared.colored), shared.color)
    if shared.as_json:
        forms.document(document)


def _document(daemon: "OwnDaemon") -> dict[str, Any]:
    from guardd.cli.connect import asking_daemon  # noqa: PLC0415
    from guardd.cli.demo.story import THRESHOLDS, Step, play  # noqa: PLC0415
    from guardd.cli.options import ALL  # noqa: PLC0415
    from guardd.cli.paging import history, newest  # noqa: PLC0415

    steps = [Step("start", {"pid": daemon.start(), "calls": 0})]
    play(daemon, steps.append)
    own = Shared()
    own.socket = str(daemon.socket)
    with asking_daemon(own) as asked:
        runs = newest(asked, "run.list", "runs", {}, ALL).items
        histories = [history(asked, run, ALL).document() for run in runs]
    return {
        "thresholds": THRESHOLDS,
        "steps": [step.document() for step in steps],
        "runs": runs,
        "histories": histories,
        "database": str(daemon.database) if daemon.keep else None,
    }


def _tell(ctx: click.Context, daemon: "OwnDaemon", teller: "Teller", color: str) -> None:
    from guardd.cli.demo.story import COMPACTED_RUN, LOOPING_RUN, THRESHOLDS, play  # noqa: PLC0415

    warning, critical, breaker = THRESHOLDS.values()
    teller.say(
        f"A guardd of the demo's own runs as process {daemon.start()} in {daemon.folder}. "
        f"To be quick, it warns at {warning} repeats, blocks at {critical} and aborts at {breaker}; "
        "the defaults are 10, 20 and 30."
    )
    play(daemon, teller.step)
    for words in (("runs",), ("history", LOOPING_RUN), ("history", COMPACTED_RUN)):
        teller.prompt(f"guardctl {' '.join(words)}")
        _run(ctx, *words, "--socket", str(daemon.socket), "--color", color)
    teller.say("")
    teller.say("All of that was real but the agents. With a daemon of your own:")
    teller.commands(NEXT)
    if daemon.keep:
        teller.say("")
        look = f"guardctl runs --db {daemon.database}"
        teller.commands({look: "look into the demo's", f"rm -r {daemon.folder}": "delete it"})


def _run(ctx: click.Context, name: str, *arguments: str) -> None:
    """Run another command of this program."""
    program = ctx.find_root().command
    assert isinstance(program, click.Group)
    found = program.get_command(ctx, name)
    assert found is not None
    with found.make_context(name, list(arguments), parent=ctx.find_root()) as inner:
        found.invoke(inner)
