"""Run ids that a shell completes: asked of the daemon, and silently none where it does not answer."""

from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem


class Run(click.ParamType[str]):
    """A run: an id, the beginning of one, `source/id`, or `latest`; the daemon knows which that is."""

    name = "run"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:  # noqa: ANN401
        """Take what was given, without the mark of an id that a table has cut, since people copy it."""
        name = str(value).removesuffix("…")
        if not name or not _is_text(name):
            self.fail("a run has a name: an id, the beginning of one, or 'latest'.", param, ctx)
        return name

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> "list[CompletionItem]":
        """The newest runs whose ids begin so."""
        del param
        try:
            return _matching(ctx, incomplete)
        except Exception:  # noqa: BLE001 - a completion that fails must not spoil the line being typed
            return []


RUN = Run()


def _is_text(name: str) -> bool:
    """Whether it is Unicode text: what a shell passes need not be."""
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True


def _matching(ctx: click.Context, incomplete: str) -> "list[CompletionItem]":
    from collections import Counter  # noqa: PLC0415

    from click.shell_completion import CompletionItem  # noqa: PLC0415

    from guardd.cli.connect import asking  # noqa: PLC0415
    from guardd.cli.options import Shared  # noqa: PLC0415
    from guardd.cli.text import safe  # noqa: PLC0415

    with asking(ctx.ensure_object(Shared)) as daemon:
        runs = daemon.request("run.list", {"limit": 200})["runs"]
    seen = Counter(run["run"] for run in runs)
    items = [CompletionItem("latest", help="the run with the newest activity")] + [
        CompletionItem(
            run["run"] if seen[run["run"]] == 1 else f"{run['source']}/{run['run']}",
            help=safe(f"{run['agentId'] or run['source']}, {run['status']}"),
        )
        for run in runs
        if run["run"].isprintable()
    ]
    return [item for item in items if item.value.startswith(incomplete)]
