"""`guardctl completion SHELL`: makes a shell complete guardctl's commands, options and run ids."""

import click

from guardd.cli import forms
from guardd.cli.options import Shared, pass_shared, shared_options

EPILOG = """\b
Examples, for every new shell:
  guardctl completion bash \\
    > ~/.local/share/bash-completion/completions/guardctl
  guardctl completion zsh > "${fpath[1]}/_guardctl"
  guardctl completion fish > ~/.config/fish/completions/guardctl.fish
\b
For this shell alone:
  eval "$(guardctl completion bash)"

Run ids come from the daemon, the newest first."""

SHELLS = ["bash", "zsh", "fish"]


@click.command(epilog=EPILOG)
@click.argument("shell", type=click.Choice(SHELLS), required=False, metavar=f"{{{'|'.join(SHELLS)}}}")
@shared_options
@pass_shared
@click.pass_context
def command(ctx: click.Context, shared: Shared, shell: str | None) -> None:
    """Print the completion script for a SHELL."""
    if shell is None:
        raise click.UsageError("Name a shell: bash, zsh or fish.")
    from click.shell_completion import get_completion_class  # noqa: PLC0415

    del shared
    completion = get_completion_class(shell)
    assert completion is not None
    program = ctx.find_root().command
    forms.raw(completion(program, {}, "guardctl", "_GUARDCTL_COMPLETE").source())
