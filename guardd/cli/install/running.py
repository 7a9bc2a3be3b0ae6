"""Carrying a plan out: show it, ask, write, and say what is next."""

import sys
from pathlib import Path

import click

from guardd.cli import forms
from guardd.cli.errors import Failure, Status
from guardd.cli.install.files import shown
from guardd.cli.install.plan import Plan
from guardd.cli.options import Shared

_DONE = {"create": "Wrote", "edit": "Changed", "delete": "Deleted"}


def run(plan: Plan, shared: Shared, *, dry_run: bool, yes: bool) -> None:
    """Carry a plan out.

    Args:
        plan: The plan.
        shared: The shared options.
        dry_run: Whether to show it only.
        yes: Whether not to ask.

    Raises:
        Failure: It cannot be carried out, or is not to be.
    """
    if shared.as_json and not (dry_run or yes or not plan.pending):
        raise Failure("with --json nobody is asked: add --yes or --dry-run", status=Status.USAGE)
    if not dry_run:
        for change in plan.pending:
            change.check()
    if not shared.as_json:
        _show(plan, shared)
    if dry_run or not plan.pending:
        _end(plan, shared, {}, done=False)
        return
    if not yes:
        _ask(plan)
    backups = {}
    for change in plan.pending:
        backup = backups[change.found.path] = change.make()
        if not shared.as_json:
            forms.say(f"{_DONE[change.kind]} {shown(change.found.target)}.")
            if backup:
                forms.say(f"As it was: {shown(backup)}")
    _end(plan, shared, backups, done=True)


def _show(plan: Plan, shared: Shared) -> None:
    from guardd.cli.install import showing  # noqa: PLC0415 - brings what masks secrets

    for change in plan.pending:
        showing.show(change, colored=shared.colored)


def _ask(plan: Plan) -> None:
    if not sys.stdin.isatty():
        raise Failure(
            "there is no terminal to ask on, so nothing was changed",
            "Add --yes to make this change, or --dry-run to look at it only",
            status=Status.USAGE,
        )
    files = ", ".join(shown(change.found.path) for change in plan.pending)
    verb = "Take it out" if plan.action == "uninstall" else "Write this"
    if not click.confirm(f"{verb}: {files}?", err=True):
        raise Failure("nothing was changed")


def _end(plan: Plan, shared: Shared, backups: dict[Path, Path | None], *, done: bool) -> None:
    if shared.as_json:
        forms.document(plan.document(backups, done=done))
        return
    if not plan.pending:
        files = ", ".join(shown(change.found.path) for change in plan.changes)
        words = "is not in" if plan.action == "uninstall" else "is already in"
        forms.say(f"Nothing to do: guardd {words} {files}.")
    for note in plan.notes:
        forms.note(f"note: {note}")
    if done and plan.steps:
        width = max(len(command) for command, _ in plan.steps)
        forms.say("Next:")
        for command, purpose in plan.steps:
            forms.say(f"  {command.ljust(width)}  {purpose}")
