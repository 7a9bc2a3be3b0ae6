"""What tuning found, for people."""

from collections.abc import Sequence

from guardd.cli import tables
from guardd.cli.names import run_column
from guardd.cli.replay_table import SKIPS
from guardd.cli.text import plural, safe
from guardd.cli.tune.judging import Unread
from guardd.replay.past import Afterwards
from guardd.replay.trying import STEPS, Candidate, Concerned, Tried

_WORDS = {"warned": "WARN", "blocked": "BLOCK", "aborted": "ABORT"}
_AFTERWARDS = {
    Afterwards.PROGRESS: "progress",
    Afterwards.STUCK: "stuck",
    Afterwards.CUT_SHORT: "cut short",
}

_COLUMNS = (
    tables.Column("W/C/B"),
    tables.Column("VERDICT"),
    tables.Column("RUNS", right=True),
    tables.Column("PROGRESS", right=True),
    tables.Column("STUCK", right=True),
    tables.Column("CUT SHORT", right=True, drop=1),
    tables.Column("CALLS", right=True, drop=2),
)

_LEAST_NAME = 10


def show(tried: Sequence[Tried], present: Candidate, mark: str, *, colored: bool) -> None:
    """Print a row for each candidate and for what it would have done.

    Args:
        tried: The candidates.
        present: The one that is set.
        mark: What to put below it.
        colored: Whether to use colours.
    """
    rows = []
    for one in tried:
        names = [str(one.candidate), mark if one.candidate == present else "", ""]
        for name, step in zip(names, STEPS, strict=True):
            runs = one.runs(step)
            if step == "aborted" and not runs:
                continue
            counts = (one.runs(step, afterwards) for afterwards in Afterwards)
            cells = (runs, *counts, one.calls[step])
            rows.append((name, _WORDS[step], *(f"{count:,}" for count in cells)))
    tables.show(_COLUMNS, rows, colored=colored)


def show_runs(tried: Tried, *, colored: bool) -> None:
    """Print the runs that a candidate would have warned or stopped, and where."""
    tables.headline(
        [str(tried.candidate), f"{plural(len(tried.concerned), 'run')} concerned"], colored=colored
    )
    if not tried.concerned:
        return
    origins = [run.origin for run in tried.concerned]
    if "turn" in origins[0]:
        names, column = [safe(origin["turn"]) for origin in origins], tables.Column("RUN", least=_LEAST_NAME)
    else:
        names, column = run_column([dict(origin) for origin in origins])
    several = len({origin.get("file") for origin in origins}) > 1
    columns = (
        column,
        *(tables.Column(_WORDS[step], right=True, drop=1 if step == "aborted" else 0) for step in STEPS),
        tables.Column("AFTERWARDS"),
        tables.Column("DETECTOR", least=12, drop=2),
        tables.Column("TOOL", least=6, drop=4),
        tables.Column("FILE", least=8, drop=3),
    )
    rows = [
        (name, *_row(run), safe(run.origin.get("file", "")) if several else "")
        for name, run in zip(names, tried.concerned, strict=True)
    ]
    tables.show(columns, rows, colored=colored)


def _row(run: Concerned) -> tables.Row:
    judged = run.steps.get("blocked") or next(iter(run.steps.values()))
    return (
        *(f"#{run.steps[step].found.seq}" if step in run.steps else "" for step in STEPS),
        _AFTERWARDS[judged.afterwards],
        judged.found.detector,
        safe(judged.found.tool),
    )


def remarks(unread: Unread, limit: int) -> list[str]:
    """What is to be said of what was not judged, or not wholly."""
    said = []
    if unread.older:
        said.append(f"Only the newest {limit:,} runs were looked at: --limit all takes every one.")
    if unread.without_calls:
        said.append(f"{plural(unread.without_calls, 'run')} without a call left out.")
    if unread.gone:
        said.append(f"{plural(unread.gone, 'run')} deleted meanwhile.")
    if unread.incomplete:
        said.append(f"Of {plural(unread.incomplete, 'run')} only the newest calls are still kept.")
    if unread.of_others:
        said.append(f"{plural(unread.of_others, 'run')} of other agents left out.")
    if skipped := unread.skipped.total():
        why = ", ".join(f"{SKIPS[kind]} {number}" for kind, number in sorted(unread.skipped.items()))
        said.append(f"{skipped:,} skipped ({why}).")
    return said
