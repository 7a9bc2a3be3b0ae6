"""aura-guard: asked before a call, told of its result."""

from collections.abc import Iterator

from aura_guard.config import AuraGuardConfig
from aura_guard.guard import AuraGuard
from aura_guard.types import PolicyAction, ToolCall, ToolResult
from evaluation.judging import Word, arguments_of, output_of

from guardd.replay.turns import Turn

_ENDS = {PolicyAction.ESCALATE, PolicyAction.FINALIZE}


def judge(turn: Turn) -> Iterator[Word]:
    """Whatever is not allowed is not made: it is refused, answered from the cache, or its tool is withdrawn."""
    guard = AuraGuard(AuraGuardConfig(secret_key=b"of an evaluation"))
    state = guard.new_state()
    for at, made in enumerate(turn.calls, 1):
        call = ToolCall(made.tool, arguments_of(made))
        decision = guard.on_tool_call_request(state=state, call=call)
        if decision.action is not PolicyAction.ALLOW:
            rule = decision.reason.partition(":")[0]
            yield Word(at, "abort" if decision.action in _ENDS else "block", rule)
            if decision.action in _ENDS:
                return
        elif made.outcome is not None:
            failed = made.failed
            result = ToolResult(ok=not failed, payload=output_of(made))
            guard.on_tool_result(state=state, call=call, result=result)
