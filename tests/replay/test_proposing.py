"""Which candidate is proposed, and what is said of it."""

import pytest

from guardd.replay.findings import Finding
from guardd.replay.past import Afterwards
from guardd.replay.proposing import ENOUGH, propose
from guardd.replay.trying import Candidate, Concerned, Step, Tried

FOUND = Finding("t", 4, "warn", "generic_repeat", "warning", 3, 3, "a", None, notify=True, message="")
WORDS = {"p": Afterwards.PROGRESS, "s": Afterwards.STUCK, "c": Afterwards.CUT_SHORT}


def tried(warning, *runs):
    """A candidate that warned runs, and stopped some; `ps` made progress after its warning and none after."""
    concerned = [
        Concerned(
            {},
            {step: Step(FOUND, WORDS[sign]) for step, sign in zip(("warned", "blocked"), run, strict=False)},
        )
        for run in runs
    ]
    return Tried(Candidate(warning, warning * 2, warning * 3), concerned=concerned)


@pytest.mark.parametrize(
    ("low", "high", "proposed"),
    [
        (["ss"], ["s"], 3),
        (["pp", "s", "s", "s", "s"], ["s"], 5),  # a block that hit progress
        (["ps", "s", "s", "s"], ["s"], 3),  # one warning in four was a false alarm
        (["ps", "s", "s"], ["s"], 5),  # one in three
        (["ps", "s", "s", "c", "c"], ["s"], 5),  # those cut short say nothing
        (["cc", "s"], ["s"], None),  # nothing is known of the run that would have been blocked
        (["cc", "ss"], ["s"], 3),  # as much as is unknown
        (["cc", "cc", "ss"], ["s"], None),
        (["cc"] * 39 + ["s"], ["s"], None),  # a history of a guard that enforced
        (["cc"] * 39 + ["s"], [], None),
        (["cc"] * 39 + ["ps"] * 2, ["s"], 5),  # known not to fit, whatever came of the others
        (["c", "c", "s"], ["s"], None),  # warnings alone, most of unknown worth
        (["pp"], [], 5),
        (["pp"], ["p"], None),
        (["cc"], ["c"], None),
        ([], [], None),
    ],
)
def test_the_lowest_that_fits(low, high, proposed):
    proposal = propose([tried(3, *low), tried(5, *high)], ENOUGH)
    assert (proposal.candidate.warning if proposal.candidate else None) == proposed


def test_why():
    proposal = propose([tried(3, "ss", "p", "s", "s", "s")], 1000)
    assert proposal.why == (
        "3/6/9 is the lowest that fits: of 1 run that it would have blocked, none made progress later, "
        "and of 5 runs that it would have warned, 1 did."
    )


def test_why_leaves_out_what_is_not_known():
    proposal = propose([tried(3, "ss", "ss", "cc", "s", "c")], 1000)
    assert proposal.why == (
        "3/6/9 is the lowest that fits: of 2 runs that it would have blocked, none made progress later, "
        "and of 3 runs that it would have warned, none did. Not counted, since guardd itself cut them short: "
        "1 of those blocked, 2 of those warned."
    )


def test_why_it_is_not_known():
    proposal = propose([tried(3, *["cc"] * 39, "s"), tried(5)], 1000)
    assert proposal.candidate is None
    assert proposal.why == (
        "Nothing to propose: of 39 runs that 3/6/9 would have blocked, guardd itself cut 39 short: what would have "
        "come of that is not known. Observe for a while, until 50 runs went their way: guardd.mode: 'observe'."
    )


@pytest.mark.parametrize(
    ("low", "runs", "words"),
    [
        (["ss"], ENOUGH - 1, "49 runs, and it takes 50: come back after 1 run more."),
        (["ss"], 0, "0 runs, and it takes 50: come back after 50 runs more."),
        ([], ENOUGH, "no run of 50 repeats itself enough for 3/6/9 to say a word."),
        (["cc"], ENOUGH, "of 1 run that 3/6/9 would have blocked, guardd itself cut 1 short"),
        (
            ["pp"],
            ENOUGH,
            "With the highest, 3/6/9: of 1 run that it would have blocked, 1 made progress later",
        ),
    ],
)
def test_why_not(low, runs, words):
    proposal = propose([tried(3, *low)], runs)
    assert proposal.candidate is None
    assert words in proposal.why
