"""`guardctl hook AGENT`: what a coding agent runs for each of its events.

The program's entry turns to `guardd.adapters.hook` before click is imported; this is for people, and for the help.
"""

import os

import click

from guardd.adapters import hook
from guardd.cli.options import Shared, pass_shared, shared_options

EPILOG = """\b
Examples, as commands in an agent's settings:
  guardctl hook claude-code
  guardctl hook codex --socket /run/guardd/guardd.sock
\b
The event is JSON on stdin, the answer is in the agent's own form. A call is
only denied by a verdict: without a daemon, with an event that is not
understood, or after 1 s the call goes through, with a line on stderr and exit
status 0. So it does where the agent's name is mistyped: in some agents any
other status denies. A warning is told to the model after the call that it is
about. guardctl install AGENT writes this command into the agent's settings."""


@click.command(epilog=EPILOG)
@click.argument("agent", type=click.Choice(list(hook.AGENTS)))
@shared_options
@pass_shared
@click.pass_context
def command(ctx: click.Context, shared: Shared, agent: str) -> None:
    """Answer one event of a coding agent."""
    if os.isatty(0):
        ctx.fail(f"{agent} runs this command itself, with an event on stdin: see its settings.")
    hook.run(agent, shared.socket)
