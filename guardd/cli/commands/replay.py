"""`guardctl replay FILE…`: what guardd would have said to recorded transcripts, without a daemon."""

from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

import click

from guardd.cli import forms
from guardd.cli.options import Shared, pass_shared, shared_options
from guardd.cli.progress import over_files
from guardd.cli.text import safe
from guardd.cli.transcripts import check_named, opened, unknown_formats

if TYPE_CHECKING:
    from guardd.config import Config
    from guardd.replay.findings import Findings

EPILOG = """\b
Examples:
  guardctl replay session.jsonl     with the defaults, and detection on
  guardctl replay --config guardd.json5 ~/.claude/projects/*/*.jsonl
  guardctl replay --set warningThreshold=5 --set detectors.pingPong=false x.gz
  guardctl replay --compare default new.json5 session.jsonl
  guardctl export latest | guardctl replay - --json | jq .files[].actions

\b
Reads, by the content and not by the name, packed by gzip or not:
  guardctl export                   session files of pi and OpenClaw
  session files of Claude Code      rollout files of Codex
  OpenAI chat messages              trajectories of SWE-agent
  episodes of InterCode

Each turn, from a user's message to the next, is judged as a run of its own, by
the engine that the daemon runs; guardd.mode does not matter here. A call that
would have been blocked counts as a blocked attempt. Calls are taken one after
another, even where some ran side by side, and compactions only from an export.
An export gets the verdicts that its run had, under the same settings, but for
calls side by side or reported only afterwards, and what was done by hand.
The exit status is 1 where a file is no transcript. See also: guardctl tune."""

DEFAULT = "default"


@click.command(epilog=EPILOG)
@click.argument("files", nargs=-1, metavar="FILE...")
@click.option(
    "--config", type=click.Path(readable=False), metavar="FILE", help="Judge by this configuration."
)
@click.option(
    "--set",
    "changes",
    multiple=True,
    metavar="KEY=VALUE",
    help="Change one of tools.loopDetection, for every agent, with --compare on both sides; may be repeated.",
)
@click.option(
    "--compare",
    "comparisons",
    nargs=2,
    multiple=True,
    metavar="A B",
    help="Judge by two configuration files, or 'default', side by side.",
)
@click.option("--agent", metavar="ID", help="Judge by this agent's settings.")
@shared_options
@pass_shared
def command(
    shared: Shared,
    files: tuple[str, ...],
    config: str | None,
    changes: tuple[str, ...],
    comparisons: tuple[tuple[str, str], ...],
    agent: str | None,
) -> None:
    """Say what guardd would have said to recorded transcripts.

    FILE is a transcript, or - for stdin. No daemon is asked.
    """
    if not files:
        # With one configuration too few, the first transcript was taken for the other.
        taken = " after the two settings that --compare takes, A and B" if comparisons else ""
        raise click.UsageError(f"Missing argument 'FILE...'{taken}.")
    compare = _compared(comparisons, files)
    if compare and config:
        raise click.UsageError("--compare names both configurations: it does not go with --config.")
    check_named(files)
    names = compare or (config or DEFAULT,)
    configs = [_config(name, changes) for name in names]
    _remarks(names, configs, agent)
    found = _replay(files, configs, names if compare else (None,), agent)
    if shared.as_json:
        forms.document({"files": [findings.document() for findings in found]})
    else:
        from guardd.cli import replay_table  # noqa: PLC0415 - brings rich

        show = replay_table.compare if compare else replay_table.show
        show(found, colored=shared.colored)
    if unknown := [findings.file for findings in found if findings.format is None]:
        raise unknown_formats(unknown, "replay")


def _compared(comparisons: tuple[tuple[str, str], ...], files: tuple[str, ...]) -> tuple[str, str] | None:
    """The two settings to compare; a third one would be taken for a transcript.

    Raises:
        UsageError: There are more than two.
    """
    if not comparisons:
        return None
    more = [
        file for file in files if file.endswith(".json5") or (file == DEFAULT and not Path(file).exists())
    ]
    if len(comparisons) > 1 or more:
        raise click.UsageError("--compare takes two settings, A and B, and is given once.")
    return comparisons[0]


def _config(name: str, changes: tuple[str, ...]) -> "Config":
    from guardd.cli.unusable import unusable  # noqa: PLC0415
    from guardd.config import ConfigError  # noqa: PLC0415 - brings the JSON5 reader
    from guardd.config.trial import CHANGES, trial  # noqa: PLC0415

    try:
        return trial(None if name == DEFAULT else Path(name), changes)
    except ConfigError as error:
        if error.file == CHANGES:
            raise click.UsageError("\n".join(map(str, error.errors))) from None
        raise unusable(error) from None


def _remarks(names: tuple[str, ...], configs: "list[Config]", agent: str | None) -> None:
    """Say what was switched on here, and what in the settings cannot work."""
    from guardd.config.trial import SWITCHED_ON  # noqa: PLC0415

    for name, config in zip(names, configs, strict=True):
        values = config.describe(agent)["values"]
        if values["tools.loopDetection.enabled"]["origin"] == SWITCHED_ON:
            where = "the defaults do" if name == DEFAULT else f"{safe(name)} does"
            forms.note(f"Loop detection is taken to be on: {where} not set tools.loopDetection.enabled.")
        for warning in config.warnings:
            forms.note(f"warning: {warning}")


def _replay(
    files: tuple[str, ...], configs: "list[Config]", names: tuple[str | None, ...], agent: str | None
) -> "list[Findings]":
    """What is found in each file with each configuration."""
    from guardd.replay.engine import Engine  # noqa: PLC0415 - brings SQLAlchemy
    from guardd.replay.findings import Findings  # noqa: PLC0415
    from guardd.replay.reading import read  # noqa: PLC0415

    found = []
    with ExitStack() as stack:
        engines = [stack.enter_context(Engine(config, agent)) for config in configs]
        progress = stack.enter_context(over_files(files, "replaying"))
        for file in files:
            with opened(file) as stream:
                transcript = read(stream)
                kind = transcript.format.NAME if transcript.format else None
                of_file = [Findings(file, name, kind) for name in names]
                for turn in transcript.turns:
                    for engine, findings in zip(engines, of_file, strict=True):
                        engine.play(turn, findings)
                    progress.at(stream)
                for findings in of_file:
                    findings.skipped = transcript.skipped
            found += of_file
            progress.next()
    return found
