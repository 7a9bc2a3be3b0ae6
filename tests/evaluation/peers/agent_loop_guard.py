"""agent-loop-guard: told of a call together with its result."""

from collections.abc import Iterator

from evaluation.judging import Word, arguments_of, output_of
from loop_guard import Action, LoopGuard

from guardd.replay.turns import Turn


def judge(turn: Turn) -> Iterator[Word]:
    """`STOP` is where its documentation ends the loop."""
    guard = LoopGuard()
    for at, call in enumerate(turn.calls, 1):
        decision = guard.check(call.tool, arguments_of(call), output_of(call))
        if decision.action is not Action.CONTINUE:
            yield Word(at, "abort" if decision.is_loop else "warn", decision.strategy)
        if decision.is_loop:
            return
