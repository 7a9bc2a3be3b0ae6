"""Which of some candidates to propose."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from guardd.replay.past import Afterwards
from guardd.replay.trying import Candidate, Tried

ENOUGH: Final = 50
"""Runs below which a history says too little to propose anything by it."""
FALSE_ALARMS: Final = 0.25
"""How many of the warned runs may have gone on to make progress: a warning costs the model a sentence."""


class Proposal(NamedTuple):
    """What is proposed.

    Attributes:
        candidate: The thresholds; None: keep those that are set.
        why: In a sentence or two.
    """

    candidate: Candidate | None
    why: str


def propose(tried: Sequence[Tried], runs: int) -> Proposal:
    """The lowest candidate that would have stopped no run which made progress later, and seldom warned in vain.

    A run that guardd itself cut short shows neither. Where most of those that a candidate would have stopped are
    such runs, it is not known whether it fits, nor which one is the lowest that does.

    Args:
        tried: The candidates, the lowest first.
        runs: How many runs there were to judge.
    """
    if runs < ENOUGH:
        return Proposal(
            None,
            f"Too little history to propose anything: {_runs(runs)}, and it takes {ENOUGH}: "
            f"come back after {_runs(ENOUGH - runs)} more.",
        )
    lowest = tried[0]
    if not lowest.concerned:
        return Proposal(
            None,
            f"Nothing to propose: no run of {runs:,} repeats itself enough for {lowest.candidate} to say a word. "
            "Come back when one has.",
        )
    possible = next((one for one in tried if not _errs(one)), None)
    if possible is None:
        return Proposal(
            None,
            "Nothing to propose: each candidate would have stopped runs that made progress later, or have warned in "
            f"vain too often. {_blame(tried[-1])} Try higher ones with --candidate.",
        )
    for step in ("blocked", "warned"):
        if _known(possible, step) < possible.runs(step, Afterwards.CUT_SHORT):
            return Proposal(None, _too_little(possible, step))
    return Proposal(possible.candidate, _praise(possible))


def _known(tried: Tried, step: str) -> int:
    """Runs to which that would have happened, and of which it is known what came afterwards."""
    return tried.runs(step, Afterwards.PROGRESS, Afterwards.STUCK)


def _errs(tried: Tried) -> bool:
    """Whether a candidate is known not to fit."""
    in_vain = tried.runs("warned", Afterwards.PROGRESS)
    return tried.runs("blocked", Afterwards.PROGRESS) > 0 or in_vain > FALSE_ALARMS * _known(tried, "warned")


def _too_little(tried: Tried, step: str) -> str:
    cut_short = tried.runs(step, Afterwards.CUT_SHORT)
    return (
        f"Nothing to propose: of {_runs(tried.runs(step))} that {tried.candidate} would have {step}, guardd itself cut "
        f"{cut_short:,} short: what would have come of that is not known. Observe for a while, until {_runs(ENOUGH)} "
        "went their way: guardd.mode: 'observe'."
    )


def _praise(tried: Tried) -> str:
    return f"{tried.candidate} is the lowest that fits: {_account(tried)}"


def _blame(tried: Tried) -> str:
    return f"With the highest, {tried.candidate}: {_account(tried)}"


def _account(tried: Tried) -> str:
    """What came of the runs that a candidate would have stopped and warned, where that is known."""
    wrongly, in_vain = (tried.runs(step, Afterwards.PROGRESS) for step in ("blocked", "warned"))
    blocks = f"of {_runs(_known(tried, 'blocked'))} that it would have blocked, {wrongly or 'none'} made progress later"
    warnings = f"of {_runs(_known(tried, 'warned'))} that it would have warned, {in_vain or 'none'} did."
    cut_short = [
        f"{count:,} of those {step}"
        for step in ("blocked", "warned")
        if (count := tried.runs(step, Afterwards.CUT_SHORT))
    ]
    rest = f" Not counted, since guardd itself cut them short: {', '.join(cut_short)}." if cut_short else ""
    return f"{blocks}, and {warnings}{rest}"


def _runs(count: int) -> str:
    return f"{count:,} run{'' if count == 1 else 's'}"
