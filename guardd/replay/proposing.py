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
    if not any(_judged(one) for one in tried):
        return Proposal(
            None,
            "Nothing to propose: guardd itself cut every repetition short, so that none shows what would have come "
            f"of it. Observe for a while, until {_runs(ENOUGH)} went their way: guardd.mode: 'observe'.",
        )
    for one in tried:
        if _fits(one):
            return Proposal(one.candidate, _praise(one))
    least = tried[-1]
    return Proposal(
        None,
        "Nothing to propose: each candidate would have stopped runs that made progress later, or have warned in vain "
        f"too often. {_blame(least)} Try higher ones with --candidate.",
    )


def _judged(tried: Tried) -> int:
    """Warned runs of which it is known what came afterwards."""
    return tried.runs("warned", Afterwards.PROGRESS, Afterwards.STUCK)


def _fits(tried: Tried) -> bool:
    in_vain = tried.runs("warned", Afterwards.PROGRESS)
    return not tried.runs("blocked", Afterwards.PROGRESS) and in_vain <= FALSE_ALARMS * _judged(tried)


def _praise(tried: Tried) -> str:
    return f"{tried.candidate} is the lowest that fits: {_account(tried)}"


def _blame(tried: Tried) -> str:
    return f"With the highest, {tried.candidate}: {_account(tried)}"


def _account(tried: Tried) -> str:
    stopped, wrongly = tried.runs("blocked"), tried.runs("blocked", Afterwards.PROGRESS)
    warned, in_vain = tried.runs("warned"), tried.runs("warned", Afterwards.PROGRESS)
    blocks = f"of {_runs(stopped)} that it would have blocked, {wrongly or 'none'} made progress later"
    warnings = f"of {_runs(warned)} that it would have warned, {in_vain or 'none'} did."
    return f"{blocks}, and {warnings}"


def _runs(count: int) -> str:
    return f"{count:,} run{'' if count == 1 else 's'}"
