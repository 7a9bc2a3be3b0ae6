"""The options that every `guardctl` command takes, before or after its name, and those that several share."""

import os
import sys
from collections.abc import Callable
from typing import Any, TypeVar

import click

from guardd.cli.text import count_above_0

Function = TypeVar("Function", bound=Callable[..., Any])

ALL = sys.maxsize
"""The limit that `--limit all` stands for."""

NO_DATABASE = "--db is for commands whose --help lists it, such as runs; this is none of them."


class Shared:
    """What the shared options said; the place nearest to the command wins.

    Attributes:
        socket: The daemon's socket where one was named.
        database: A database file to read in place of asking a daemon.
        as_json: Whether to print the JSON contract in place of words and tables.
        color: `auto`, `always` or `never`.
    """

    def __init__(self) -> None:
        self.socket: str | None = None
        self.database: str | None = None
        self.as_json = False
        self.color = "auto"

    @property
    def colored(self) -> bool:
        """Whether stdout gets colours; `auto` minds `NO_COLOR` (https://no-color.org) and dumb terminals."""
        if self.color != "auto":
            return self.color == "always"
        return sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


pass_shared = click.make_pass_decorator(Shared, ensure=True)


def _store(ctx: click.Context, param: click.Parameter, value: object) -> None:
    shared = ctx.ensure_object(Shared)
    if value and param.name:
        setattr(shared, param.name, value)


def shared_options(function: Function) -> Function:
    """Give a command `--socket`, `--json` and `--color`; they end up in its `Shared`."""
    path = click.Path(readable=False)
    colors = click.Choice(["auto", "always", "never"])
    for option in (
        click.option(
            "--color",
            type=colors,
            help="Colours; auto, if not given: on a terminal.",
            expose_value=False,
            callback=_store,
        ),
        click.option(
            "--json",
            "as_json",
            is_flag=True,
            help="Print JSON: one document; of a stream, one a line.",
            expose_value=False,
            callback=_store,
        ),
        click.option(
            "--socket",
            type=path,
            help="The daemon's socket; $GUARDD_SOCKET or the usual place if not given.",
            expose_value=False,
            callback=_store,
        ),
    ):
        function = option(function)
    return function


def database_option(function: Function) -> Function:
    """Give a command `--db`: it reads a file that no daemon has open, a backup or a copy."""
    help_text = "Read this database, a backup or a copy, in place of asking a daemon."
    path = click.Path(readable=False)
    return click.option(
        "--db", "database", type=path, metavar="FILE", help=help_text, expose_value=False, callback=_store
    )(function)


def abs_time_option(function: Function) -> Function:
    """Give a command `--abs-time`: RFC 3339 in place of "3 s ago"."""
    return click.option("--abs-time", is_flag=True, help="Show RFC 3339 times, in UTC.")(function)


class Limit(click.ParamType[int]):
    """A count of at least one, or `all`."""

    name = "count"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:  # noqa: ANN401
        """Read a count."""
        if isinstance(value, int):
            return value
        if value == "all":
            return ALL
        count = count_above_0(str(value))
        if count is None:
            self.fail(f"{value!r} is neither a whole number above 0 nor 'all'.", param, ctx)
        return count


class CallNumber(click.ParamType[int]):
    """The number of a call in its run."""

    name = "seq"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:  # noqa: ANN401
        """Read a number."""
        if isinstance(value, int):
            return value
        number = count_above_0(str(value))
        if number is None or number > ALL:
            self.fail(f"{value!r} is no number of a call: those are whole numbers from 1.", param, ctx)
        return number


class Since(click.ParamType[str]):
    """A time in the past, as an RFC 3339 time or as how long ago; given to the daemon as RFC 3339 in UTC."""

    name = "time"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:  # noqa: ANN401
        """Read a time."""
        from guardd.cli import times  # noqa: PLC0415 - seldom given

        try:
            return times.point(str(value))
        except ValueError as error:
            self.fail(str(error), param, ctx)


def limit_option(what: str, default: int | None = None) -> Callable[[Function], Function]:
    """Give a command `--limit`, a count or `all`.

    Args:
        what: What is counted, for the help.
        default: How many without it; None: the command decides, and is given None.
    """
    return click.option(
        "--limit",
        type=Limit(),
        default=default,
        show_default=default is not None,
        metavar="N|all",
        help=f"At most so many {what}.",
    )


def since_option(what: str) -> Callable[[Function], Function]:
    """Give a command `--since`."""
    return click.option(
        "--since",
        type=Since(),
        metavar="TIME",
        help=f"Only {what} since then: 30m, 2h, 7d, or an RFC 3339 time.",
    )
