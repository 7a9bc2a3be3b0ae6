"""agent-budget-guard-py: raises when a call begins that it takes for a loop."""

from collections.abc import Iterator

from agentguard import Guard, LoopDetected
from evaluation.judging import Word, arguments_of

from guardd.replay.turns import Turn


def judge(turn: Turn) -> Iterator[Word]:
    """It never warns of a loop, it ends the run; it does not look at results."""
    guard = Guard(use_config=False, use_snapshot=False)
    for at, call in enumerate(turn.calls, 1):
        try:
            guard.observe(guard.call_signature(call.tool, arguments_of(call)))
        except LoopDetected as found:
            yield Word(at, "abort", found.kind)
            return
