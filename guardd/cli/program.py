"""A click program whose commands are imported when they are used, and which never shows a traceback."""

import contextlib
import os
import sys
from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any, NoReturn

import click

from guardd.cli.errors import Failure, Status
from guardd.cli.options import NO_DATABASE
from guardd.cli.wrapping import for_terminal

TRACEBACK_VARIABLE = "GUARDCTL_TRACEBACK"
_FORESEEN = "guardd.status"


class Program(click.Group):
    """A program that ends with an exit status of commands.md and a line on stderr, whatever happens in it."""

    def main(
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        complete_var: str | None = None,
        standalone_mode: bool = True,  # noqa: FBT001, FBT002 - click's signature
        windows_expand_args: bool = True,  # noqa: FBT001, FBT002
        **extra: Any,  # noqa: ANN401
    ) -> NoReturn:
        """Run the program and exit with its status; a failure is a line on stderr, never a traceback."""
        del standalone_mode, windows_expand_args
        name = prog_name or self.name or "guardd"
        sys.exit(self._run(name, list(sys.argv[1:] if args is None else args), complete_var, extra))

    def _run(self, name: str, args: list[str], complete_var: str | None, extra: dict[str, Any]) -> int:
        try:
            if instruction := os.environ.get(complete_var or f"_{name}_COMPLETE".replace("-", "_").upper()):
                return _complete(self, name, instruction)
            status = self._invoke(name, args, extra)
            _flush()
        except BrokenPipeError:  # of stderr: nobody hears what went wrong
            return Status.FAILED
        except (click.Abort, KeyboardInterrupt, EOFError):
            return Status.INTERRUPTED
        except Exception as error:  # the last resort: whatever it is, a person gets one line
            if os.environ.get(TRACEBACK_VARIABLE):
                raise
            _report(name, error)
            return Status.FAILED
        return status

    def _invoke(self, name: str, args: list[str], extra: dict[str, Any]) -> int:
        try:
            with self.make_context(name, args, **extra) as context:
                try:
                    self.invoke(context)
                except BrokenPipeError:  # the reader has what it wanted
                    _forget_stdout()
                    return int(context.meta.get(_FORESEEN, Status.DONE))
        except click.exceptions.Exit as end:
            return end.exit_code
        except Failure as failure:
            _flush()
            click.echo(for_terminal(failure.in_words(name), sys.stderr, "    "), err=True)
            return failure.status
        except click.ClickException as error:
            _flush()
            self._in_our_words(error).show()
            return error.exit_code
        except BrokenPipeError:  # of a help
            _forget_stdout()
        return Status.DONE

    def _in_our_words(self, error: click.ClickException) -> click.ClickException:
        """An error of click's, or for an option that only some commands have, what is said before their names too."""
        if not isinstance(error, click.NoSuchOption) or error.option_name != "--db":
            return error
        is_known = any("--db" in param.opts for param in self.params)
        return click.UsageError(NO_DATABASE, error.ctx) if is_known else error


def foresee(context: click.Context, status: Status) -> None:
    """Say how a command will end before it prints: it ends so too if nobody reads all of that."""
    context.meta[_FORESEEN] = status


class LazyProgram(Program):
    """A program with a module for each command, which is imported only when that command is used.

    Args:
        package: Where the modules are; the module `NAME` holds the command as `command`.
        sections: The commands' names under the headings that the help shows.
        attributes: As for `click.Group`.
    """

    def __init__(self, package: str, sections: Mapping[str, Sequence[str]], **attributes: Any) -> None:  # noqa: ANN401
        super().__init__(**attributes)
        self._package = package
        self._sections = sections

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Every command's name, in the order of the help."""
        del ctx
        return [name for names in self._sections.values() for name in names]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of that name, imported now; None if there is none."""
        if cmd_name not in self.list_commands(ctx):
            return None
        command = import_module(f"{self._package}.{cmd_name}").command
        assert isinstance(command, click.Command)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command that the arguments name; for one that does not exist, those that were perhaps meant."""
        if args[0] not in self.list_commands(ctx) and not args[0].startswith("-"):
            from difflib import get_close_matches  # noqa: PLC0415 - only where something was mistyped

            meant = get_close_matches(args[0], self.list_commands(ctx), n=2)
            ctx.fail(
                f"No such command '{args[0]}'." + (f" Did you mean {' or '.join(meant)}?" if meant else "")
            )
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands under their headings."""
        width = max(len(name) for name in self.list_commands(ctx))
        for heading, names in self._sections.items():
            with formatter.section(heading):
                commands = [(name, self.get_command(ctx, name)) for name in names]
                rows = [
                    (name.ljust(width), command.get_short_help_str(60))
                    for name, command in commands
                    if command
                ]
                formatter.write_dl(rows)


def _complete(program: Program, name: str, instruction: str) -> int:
    from click.shell_completion import shell_complete  # noqa: PLC0415 - asked for by the shell alone

    return shell_complete(program, {}, name, f"_{name}_COMPLETE".replace("-", "_").upper(), instruction)


def _report(name: str, error: Exception) -> None:
    if isinstance(error, OSError):
        click.echo(
            f"{name}: {error.strerror or error}{f': {error.filename}' if error.filename else ''}", err=True
        )
        _forget_stdout()
        return
    words = " ".join(str(error).split())
    click.echo(
        f"{name}: internal error: {type(error).__name__}: {words}\n"
        f"  Please report it, with what {TRACEBACK_VARIABLE}=1 adds",
        err=True,
    )


def _flush() -> None:
    """Write what is buffered. Where nobody reads it any more, Python would complain once more when it exits."""
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        _forget_stdout()


def _forget_stdout() -> None:
    """Send what is still buffered nowhere, so that the interpreter's last flush cannot fail."""
    with contextlib.suppress(OSError, ValueError), open(os.devnull, "wb") as nowhere:  # noqa: PTH123 - a device
        os.dup2(nowhere.fileno(), sys.stdout.fileno())
