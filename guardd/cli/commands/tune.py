"""`guardctl tune`: thresholds proposed from the operator's own history."""

from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from guardd.cli import forms
from guardd.cli.connect import asking
from guardd.cli.options import (
    Shared,
    database_option,
    limit_option,
    pass_shared,
    shared_options,
    since_option,
)
from guardd.cli.paging import Page, newest
from guardd.cli.text import plural, safe
from guardd.cli.transcripts import check_named, unknown_formats

if TYPE_CHECKING:
    from guardd.cli.connect import Caller
    from guardd.cli.tune.candidates import Present
    from guardd.cli.tune.judging import Unread
    from guardd.replay.proposing import Proposal
    from guardd.replay.trying import Candidate, Trying

LIMIT = 1000
"""How many of the newest runs are judged, unless more are asked for."""

EPILOG = """\b
Examples:
  guardctl tune                     by what the daemon remembers
  guardctl tune --agent main --since 7d --verbose
  guardctl tune --candidate 6/12/18 --candidate 6/15/20
  guardctl tune --db backup.db --json | jq .proposal
  guardctl tune ~/.claude/projects/*/*.jsonl    whatever replay reads

\b
W/C/B is warningThreshold/criticalThreshold/globalCircuitBreakerThreshold. The
engine that the daemon runs judges every run under each, with loop detection
on and the other settings as they are. RUNS are those with a warning, a block
(or an abort without one), an abort; CALLS those that would have been answered
so, or would not have been made after an abort, had the agent gone on the same
way. What goes by settings of its own is not counted: unknown tools, and the
guard after a compaction.

\b
A run's first warning (block, abort) is judged by what really came afterwards:
  PROGRESS   a false alarm: the same call later had another outcome than the
             one repeated; or the run's last call is another one, and the run
             is not known to have failed or been aborted
  STUCK      neither
  CUT SHORT  neither, but guardd itself blocked a call of the run or ended it:
             what would have come is not known
A warning that was really given may be what brought the progress.

\b
Proposed is the lowest candidate whose blocks and aborts hit no run with
progress, and whose warnings were false alarms in at most a quarter of the
runs known to be one or the other. Nothing is, where most of those runs were
cut short, and below 50 runs. Nothing is changed."""


class _Found(NamedTuple):
    present: "Present"
    trying: "Trying"
    unread: "Unread"


@click.command(epilog=EPILOG)
@click.argument("files", nargs=-1, metavar="[FILE]...")
@click.option("--agent", metavar="ID", help="Only this agent's runs, with its settings.")
@since_option("runs active")
@limit_option(f"runs, the newest; {LIMIT:,} if not said")
@click.option(
    "--candidate",
    "own",
    multiple=True,
    metavar="W/C/B",
    help="Try these thresholds; may be repeated.",
)
@click.option(
    "--config", type=click.Path(readable=False), metavar="FILE", help="Take the present settings from it."
)
@click.option(
    "--verbose", is_flag=True, help="List the runs concerned: by each --candidate, else by what is proposed."
)
@database_option
@shared_options
@pass_shared
def command(
    shared: Shared,
    files: tuple[str, ...],
    agent: str | None,
    since: str | None,
    limit: int | None,
    own: tuple[str, ...],
    config: str | None,
    verbose: bool,  # noqa: FBT001 - a flag of click's
) -> None:
    """Propose thresholds by what the agents really did.

    Judges the daemon's history, a backup (--db), or transcripts (FILE, or -
    for stdin) by several thresholds, and says whom each would have warned and
    stopped, and whether that would have been right.
    """
    if files and (shared.database or since or limit):
        raise click.UsageError("--db, --since and --limit do not go with files.")
    check_named(files)
    from guardd.cli.tune.candidates import parsed  # noqa: PLC0415 - brings the engine

    candidates = [parsed(text) for text in own]
    limit = limit or LIMIT
    found = (
        _of_files(files, agent, config, candidates)
        if files
        else _of_daemon(shared, {"agentId": agent, "since": since}, limit, config, candidates)
    )
    _say(shared, found, agent, limit, candidates if verbose else None)
    if found.unread.unknown:
        raise unknown_formats(found.unread.unknown, "replay")


def _of_files(
    files: tuple[str, ...], agent: str | None, config: str | None, own: "list[Candidate]"
) -> _Found:
    from guardd.cli.tune.judging import judge_files  # noqa: PLC0415

    present = _configured(config, agent)
    with ExitStack() as stack:
        trying = _trying(stack, present, own)
        return _Found(present, trying, judge_files(files, agent, trying))


def _of_daemon(
    shared: Shared, filters: dict[str, str | None], limit: int, config: str | None, own: "list[Candidate]"
) -> _Found:
    from guardd.cli.tune.candidates import Present  # noqa: PLC0415
    from guardd.cli.tune.judging import judge_runs  # noqa: PLC0415

    agent = filters["agentId"]
    with ExitStack() as stack:
        daemon = stack.enter_context(asking(shared))
        page = newest(daemon, "run.list", "runs", filters, limit)
        if config or shared.database:
            present = _configured(config, agent)
        else:
            described = daemon.request("config.get", {"agentId": agent} if agent else {})
            present = Present.of(described, known=True)
            if not agent:
                _remark_on_agents(daemon, page)
        trying = _trying(stack, present, own)
        return _Found(present, trying, judge_runs(daemon, page, trying))


def _configured(path: str | None, agent: str | None) -> "Present":
    """The settings of a file, or the defaults."""
    from guardd.cli.tune.candidates import Present  # noqa: PLC0415
    from guardd.cli.unusable import unusable  # noqa: PLC0415
    from guardd.config import ConfigError  # noqa: PLC0415
    from guardd.config.trial import trial  # noqa: PLC0415

    try:
        described = trial(None if path is None else Path(path)).describe(agent)
    except ConfigError as error:
        raise unusable(error) from None
    return Present.of(described, known=path is not None)


def _remark_on_agents(daemon: "Caller", page: Page) -> None:
    from guardd.cli.tune.judging import agents_with_their_own  # noqa: PLC0415
    from guardd.replay.trying import Candidate  # noqa: PLC0415

    keys = list(Candidate(0, 0, 0).document())
    if agents := agents_with_their_own(daemon, page.items, keys):
        names = ", ".join(safe(agent) for agent in agents)
        forms.note(f"Thresholds of their own hold for {names}: tune those with --agent.")


def _trying(stack: ExitStack, present: "Present", own: "list[Candidate]") -> "Trying":
    from guardd.cli.unusable import unusable  # noqa: PLC0415
    from guardd.config import ConfigError  # noqa: PLC0415
    from guardd.replay.trying import effective, trying  # noqa: PLC0415

    try:
        for candidate in own:
            remark = present.remark(candidate, effective(present.with_thresholds(candidate)))
            if remark:
                forms.note(remark)
        return stack.enter_context(trying(present.tried(own), present.with_thresholds))
    except ConfigError as error:
        raise unusable(error) from None


def _say(
    shared: Shared, found: _Found, agent: str | None, limit: int, listed: "list[Candidate] | None"
) -> None:
    """Print what was found.

    Args:
        shared: The shared options.
        found: What was found.
        agent: Whose runs were judged.
        limit: How many runs were asked for.
        listed: The candidates whose runs to list; an empty list: the proposed one's, else the present one's.
    """
    from guardd.replay.proposing import propose  # noqa: PLC0415

    proposal = propose(found.trying.tried, found.trying.runs)
    if shared.as_json:
        forms.document(_document(found, proposal))
        return
    from guardd.cli.tune import screen  # noqa: PLC0415 - brings rich

    if found.present.known and not found.present.is_on:
        forms.note("Loop detection is off now: runs are judged as if it were on.")
    for remark in screen.remarks(found.unread, limit):
        forms.note(remark)
    if not found.trying.runs:
        forms.note("No calls to judge yet: nothing to propose.")
        return
    _show(shared, found, proposal, agent)
    if listed is not None:
        from guardd.replay.trying import effective  # noqa: PLC0415

        own = [effective(found.present.with_thresholds(candidate)) for candidate in listed]
        wanted = own or [proposal.candidate or found.present.candidate]
        for tried in found.trying.tried:
            if tried.candidate in wanted:
                forms.say("")
                screen.show_runs(tried, colored=shared.colored)


def _show(shared: Shared, found: _Found, proposal: "Proposal", agent: str | None) -> None:
    from guardd.cli import tables  # noqa: PLC0415
    from guardd.cli.tune import screen  # noqa: PLC0415
    from guardd.cli.tune.candidates import block  # noqa: PLC0415

    trying, present = found.trying, found.present.candidate
    about = [plural(trying.runs, "run"), plural(trying.calls, "call")]
    about += [f"agent {safe(agent)}"] if agent else []
    about.append(f"{plural(trying.quiet, 'run')} without repeats that matter")
    tables.headline(about, colored=shared.colored)
    screen.show(trying.tried, present, "now" if found.present.known else "default", colored=shared.colored)
    forms.say("")
    kept = f"{present} stands" if found.present.known else f"{present}, the default, stands"
    changes = proposal.candidate not in (None, present)
    words = proposal.why if changes else f"{proposal.why} {kept}."
    tables.paragraphs([words])
    if proposal.candidate is not None and (changes or not found.present.is_on):
        forms.say(block(proposal.candidate, agent))


def _document(found: _Found, proposal: "Proposal") -> dict[str, Any]:
    present = found.present
    return {
        "runs": found.trying.runs,
        "calls": found.trying.calls,
        "quietRuns": found.trying.quiet,
        "unread": found.unread.document(),
        "present": {
            **present.candidate.document(),
            "historySize": present.history_size,
            "known": present.known,
        },
        "candidates": [
            {**tried.document(), "isPresent": tried.candidate == present.candidate}
            for tried in found.trying.tried
        ],
        "proposal": None if proposal.candidate is None else proposal.candidate.document(),
        "why": proposal.why,
    }
