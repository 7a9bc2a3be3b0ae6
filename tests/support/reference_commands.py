"""The commands and their options, as click knows them."""

import re
import shlex
from collections.abc import Iterator
from itertools import groupby
from typing import NamedTuple

import click
from support.markdown import code, table

from guardd.cli.guardctl import program as guardctl
from guardd.cli.guardd import program as guardd

PROGRAMS = {"guardctl": guardctl, "guardd": guardd}


class Command(NamedTuple):
    """A command.

    Attributes:
        name: With the program's and the group's before it.
        click: What it is.
        context: Where it is.
    """

    name: str
    click: click.Command
    context: click.Context

    @property
    def arguments(self) -> str:
        """What stands behind its options."""
        pieces = self.click.collect_usage_pieces(self.context)
        return " ".join(piece for piece in pieces if piece != "[OPTIONS]")

    @property
    def help(self) -> str:
        """All of its help before the options, on one line."""
        return " ".join((self.click.help or "").replace("\b", "").split())

    @property
    def summary(self) -> str:
        """The first paragraph of it."""
        return " ".join((self.click.help or "").partition("\n\n")[0].split())

    @property
    def options(self) -> list[click.Option]:
        """Its own options, without those that every command takes and `--help`."""
        shared = set(SHARED) if self.name.startswith("guardctl ") else set()
        return [
            param
            for param in self.click.params
            if isinstance(param, click.Option) and not param.hidden and not shared & set(param.opts)
        ]


BETWEEN = re.compile(r"\s+(?:\||&&|\d?>+)\s*|\s{2,}")
"""What a command of ours ends at: a pipe, another command, a file, or words about it."""

SHARED = ("--socket", "--json", "--color")
"""Every command of guardctl takes these."""


def top(program: str) -> Command:
    """A program itself."""
    group = PROGRAMS[program]
    return Command(program, group, click.Context(group, info_name=program, **group.context_settings))


def below(command: Command) -> list[Command]:
    """The commands of a program or a group."""
    if not isinstance(command.click, click.Group):
        return []
    found = []
    for name in command.click.list_commands(command.context):
        one = command.click.get_command(command.context, name)
        assert one is not None
        context = click.Context(one, parent=command.context, info_name=name)
        found.append(Command(f"{command.name} {name}", one, context))
    return found


def everything(command: Command) -> Iterator[Command]:
    """A command and all that are below it."""
    yield command
    for one in below(command):
        yield from everything(one)


def all_commands() -> list[Command]:
    """Every command of both programs, the programs and groups among them."""
    return [command for program in PROGRAMS for command in everything(top(program))]


def examples(text: str) -> list[list[str]]:
    """The commands of ours that stand on lines of their own in a text, as words, without what is piped or said."""
    whole = re.sub(r"\\\n\s*", "", text)  # a line that goes on in the next
    parts = (part for line in whole.splitlines() for part in BETWEEN.split(line.removeprefix("$ ").strip()))
    return [shlex.split(part, comments=True) for part in parts if re.match(r"(guardctl|guardd) ", part)]


def parse(words: list[str]) -> None:
    """Read a command line as click does, and run nothing.

    Raises:
        click.ClickException: It is none.
    """
    program, *rest = words
    command, context = top(program).click, None
    while isinstance(command, click.Group):
        context = click.Context(command, parent=context, info_name=program)
        _, found, rest = command.resolve_command(context, rest)
        assert found is not None
        command = found
    command.make_context(command.name, rest, parent=context)


def overview() -> str:
    """A line for each command, or for a group of them."""
    rows = []
    for program in PROGRAMS:
        for command in below(top(program)):
            inner = [f"{one.context.info_name} {one.arguments}".strip() for one in below(command)]
            first, *others = inner or [command.arguments]
            names = [code(f"{command.name} {first}".strip()), *map(code, others)]
            rows.append((", ".join(names), command.summary))
    return table(("command", "what it does"), rows)


def options() -> str:
    """Every command with what it takes; those of a group that take the same are told together."""
    rows: list[tuple[str, str]] = []
    for program in PROGRAMS:
        for _, alike in groupby(everything(top(program)), key=_takes):
            rows += _rows(list(alike))
    return table(("command, options", "meaning"), rows)


def _takes(command: Command) -> tuple[object, ...]:
    if isinstance(command.click, click.Group) or not command.options:
        return (command.name,)
    return (
        command.context.parent and command.context.parent.info_name,
        command.arguments,
        *_records(command),
    )


def _rows(alike: list[Command]) -> list[tuple[str, str]]:
    first = alike[0]
    names = [
        code(f"{first.name} {first.arguments}".strip()),
        *(code(one.context.info_name or "") for one in alike[1:]),
    ]
    return [(f"**{', '.join(names)}**", " ".join(one.help for one in alike)), *_records(first)]


def _records(command: Command) -> list[tuple[str, str]]:
    records = [option.get_help_record(command.context) for option in command.options]
    return [(code(record[0]), record[1].replace("  [", " [")) for record in records if record]
