"""What the rules of OpenClaw 2026.9 count is what a plain model of them counts, on any window."""

from collections import Counter
from dataclasses import dataclass
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support.drawn import DrawnCall, put
from support.windows import settings as loop_settings

from guardd.detect import argument_churn, failures
from guardd.detect.detection import Question
from guardd.detect.figures import Across
from guardd.detect.statement import across_statement, counted_statement
from guardd.store.compiling import compiled
from guardd.vocabulary import CallEffect, CallState, Level

COUNTED = {part: compiled(counted_statement(part, Level.CRITICAL)) for part in (failures, argument_churn)}
PATIENT = settings(
    max_examples=1000, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


@dataclass(frozen=True)
class Call(DrawnCall):
    """One of a window, and whether it failed as a command does, or changed nothing as a write may."""

    failed: bool
    unchanged: bool

    @property
    def failure(self) -> bytes | None:
        """Of a command that has returned: outcomes `x1` and `x2` failed alike."""
        return (
            self.came[0].encode()
            if self.tool == "exec" and self.state == CallState.OK and self.failed
            else None
        )

    @property
    def is_stalled(self) -> bool:
        return self.state == CallState.ERROR or (self.state == CallState.OK and self.unchanged)


def a_call(tools: list[str], states: list[CallState], *, failed: list[bool], unchanged: list[bool]) -> Any:
    return st.builds(
        Call,
        tool=st.sampled_from(tools),
        variant=st.sampled_from([1, 2, 3]),
        state=st.sampled_from(states),
        came=st.sampled_from(["x1", "x1", "x1", "x2", "y1"]),
        failed=st.sampled_from(failed),
        unchanged=st.sampled_from(unchanged),
    )


OK, ERROR = CallState.OK, CallState.ERROR
CALL = a_call(["exec", "exec", "read"], list(CallState), failed=[True, False], unchanged=[True, False])
FAILING = a_call(["exec"], [OK] * 6 + list(CallState), failed=[True] * 9 + [False], unchanged=[False])
STALLED = a_call(["read"], [ERROR] * 6 + list(CallState), failed=[False], unchanged=[True, True, True, False])
IN_TURN = st.builds(
    lambda state, length, outcomes: [
        Call("exec", number % 2 + 1, state, outcomes[number % 2], failed=False, unchanged=False)
        for number in range(length)
    ],
    st.sampled_from([ERROR, ERROR, ERROR, OK]),
    st.integers(1, 9),
    st.sampled_from([("x1", "x1"), ("y1", "y1"), ("x1", "y1")]),
)
WINDOWS = st.builds(
    list.__add__,
    st.one_of(st.lists(CALL, max_size=4), IN_TURN),
    st.one_of(IN_TURN, st.lists(FAILING, max_size=12), st.lists(STALLED, max_size=12)),
)


def kept(_seq: int, call: Call) -> dict[str, Any]:
    effect = CallEffect.UNCHANGED if call.unchanged and call.state == OK else None
    return {"effect": effect, "failure": call.failure}


def failing(window: list[Call], asked: Call) -> list[Call]:
    """Commands in a row that failed alike, the newest first, and the blocked attempts among them."""
    counted: list[Call] = []
    blocked: list[Call] = []
    newest = None
    crossed = False
    for call in reversed(window):
        if asked.tool != "exec" or call.tool != "exec":
            break
        if call.is_blocked:
            blocked.append(call)
            continue
        if not call.is_known:
            continue
        newest = newest or call.failure
        if call.failure is None or call.failure != newest:
            break
        if call.signature != asked.signature:
            crossed = True
        elif crossed:
            break
        counted += [*blocked, call]
        blocked = []
    return counted


def churning(window: list[Call], asked: Call) -> int:
    """Calls in a row of a few kinds with one outcome that is no progress; 0 where the call is of another kind."""
    tail: list[Call] = []
    for call in reversed(window):
        if call.tool != asked.tool:
            break
        if not call.is_known:
            continue
        earlier = [one.came for one in tail if one.signature == call.signature]
        if not call.is_stalled or (earlier and earlier[0] != call.came):
            break
        tail.append(call)
    kinds = Counter(call.signature for call in tail)
    is_churn = len(kinds) >= 2 and min(kinds.values()) >= 3 and len({call.came for call in tail}) == 1
    return len(tail) if is_churn and asked.signature in kinds else 0


@PATIENT
@given(window=WINDOWS, asked=CALL, history=st.integers(1, 40))
def test_any_window(store: Any, window: list[Call], asked: Call, history: int):
    store.rollback()
    store.begin()
    run = put(store, window, kept)
    question = Question(asked.tool, asked.signature, is_poll=False)
    found = store.across_figures(run, question, history)
    failed, churned = failing(window[-history:], asked), churning(window[-history:], asked)
    assert found == Across(len(failed), sum(call.is_blocked for call in failed), churned)
    bound = {
        "run": run.id,
        "newest": run.newest_seq,
        "low": max(run.newest_seq - history, 0),
        "tool": question.tool,
        "signature": question.signature,
        "masks": False,
        "most": 100,
    }
    rows = {part: store._execute(text, bound).fetchall() for part, text in COUNTED.items()}  # noqa: SLF001
    assert len(rows[failures]) == found.failures
    assert not churned or len(rows[argument_churn]) == churned


def test_one_row_in_the_order_of_the_figures():
    assert tuple(across_statement().selected_columns.keys()) == Across._fields


def test_the_defaults_are_those_of_the_release():
    chosen = loop_settings()
    thresholds = (
        chosen.warning_threshold,
        chosen.critical_threshold,
        chosen.global_circuit_breaker_threshold,
    )
    assert (chosen.history_size, *thresholds, chosen.unknown_tool_threshold) == (30, 10, 20, 30, 10)
    assert chosen.compaction_window == 3
