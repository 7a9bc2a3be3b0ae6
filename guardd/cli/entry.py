"""Where `guardctl` starts: a hook is turned to before anything is imported that it does not need."""

import os
import sys

HELP = ("-h", "--help")
_WITH_VALUE = ("--socket", "--db", "--color")
_STDIN = 0


def main() -> None:
    """Run guardctl with the arguments of the process."""
    hook_arguments = arguments_of_hook(sys.argv[1:])
    if hook_arguments is not None and not os.isatty(_STDIN):
        from guardd.adapters import hook  # noqa: PLC0415

        hook.main(hook_arguments)
    from guardd.cli import guardctl  # noqa: PLC0415 - brings click

    guardctl.main()


def arguments_of_hook(arguments: list[str]) -> list[str] | None:
    """Return the arguments without the command's name if that is `hook`, and no help is asked for.

    Whatever stands around it: a typing error in an agent's settings must not become a usage error, which denies.
    """
    place = 0
    while place < len(arguments) and arguments[place].startswith("-"):
        place += 2 if arguments[place] in _WITH_VALUE else 1
    rest = arguments[place + 1 :]
    if arguments[place : place + 1] != ["hook"] or any(option in HELP for option in arguments):
        return None
    return arguments[:place] + rest
