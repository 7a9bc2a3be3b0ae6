from collections.abc import Callable
from typing import Any

import pytest

from guardd.cli.report.model import Loop

Make = Callable[..., dict[str, Any]]


@pytest.fixture
def loop(make_event: Make) -> Loop:
    return Loop(
        events=[
            make_event(11),
            make_event(12, count=11),
            make_event(13, action="block", count=20, threshold=20),
            make_event(14, action="allow", wouldBe="abort", count=30, threshold=30),
        ],
        counted=(1, 2, 3),
    )


def test_verdicts_are_put_together_by_detector_and_action(loop: Loop) -> None:
    steps = [step.document() for step in loop.steps]
    shown = [
        (step["action"], step["observed"], step["times"], step["firstSeq"], step["lastSeq"]) for step in steps
    ]
    assert shown == [("warn", False, 2, 11, 12), ("block", False, 1, 13, 13), ("abort", True, 1, 14, 14)]
    assert (steps[0]["firstCount"], steps[0]["lastCount"], steps[0]["threshold"]) == (10, 11, 10)


def test_what_was_answered_is_stronger_than_what_was_only_observed(loop: Loop) -> None:
    assert loop.strongest["action"] == "block"


def test_a_loop_begins_with_the_first_call_that_counted(loop: Loop) -> None:
    assert loop.span == (1, 14)
    assert loop.document()["firstSeq"] == 1
