"""What the rules beyond the documented ones count is what a plain model counts, on any window."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support.drawn import DrawnCall, put

from guardd.detect.detection import Question
from guardd.detect.figures import Further
from guardd.vocabulary import CallEffect, CallState

POLLS = '["poll"]'
PATIENT = settings(
    max_examples=400, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


@dataclass(frozen=True)
class Call(DrawnCall):
    """One of a window, whether its error says that it was cancelled, and whether it ran beside the one before."""

    cancelled: bool
    beside: bool


CALL = st.builds(
    Call,
    tool=st.sampled_from(["a", "a", "b", "c", "poll"]),
    variant=st.sampled_from([1, 1, 1, 2]),
    state=st.sampled_from([CallState.OK, CallState.OK, CallState.ERROR, CallState.ERROR, *CallState]),
    came=st.sampled_from(["x", "x", "x", "y"]),
    cancelled=st.sampled_from([False] * 9 + [True]),
    beside=st.sampled_from([False, False, True]),
)
ROUNDS = st.builds(
    lambda one, rounds, rest: (one * rounds)[: len(one) * rounds - rest],
    st.lists(CALL, min_size=3, max_size=8),
    st.integers(2, 4),
    st.integers(0, 7),
)
WINDOWS = st.builds(list.__add__, st.lists(CALL, max_size=6), st.one_of(st.lists(CALL, max_size=8), ROUNDS))


def kept(window: list[Call]) -> Callable[[int, Call], dict[str, Any]]:
    placed = batches(window)

    def of(seq: int, call: Call) -> dict[str, Any]:
        effect = CallEffect.CANCELLED if call.cancelled and call.state == CallState.ERROR else None
        return {"effect": effect, "beside": placed[seq - 1]}

    return of


def batches(window: list[Call]) -> list[int]:
    """Of each call, the first of those that it runs beside: one that does not run beside begins anew."""
    found: list[int] = []
    for seq, call in enumerate(window, 1):
        found.append(found[-1] if call.beside and found else seq)
    return found


def like(one: Call, other: Call) -> bool:
    """Whether a call is like another one: a blocked attempt has no outcome, and is one more of its kind."""
    if one.signature != other.signature:
        return False
    if one.is_blocked or other.is_blocked:
        return True
    return CallState.PENDING not in (one.state, other.state) and one.came == other.came


def cycle(window: list[Call], asked: Call) -> tuple[int, int, int]:
    """Period, rounds and blocked attempts of the cycle that a call goes on with; zeros for none."""
    newest = [call for call in reversed(window) if call.tool != "poll"]
    best = (0, 0, 0)
    for period in range(3, 9):
        alike = 0
        while alike + period < len(newest) and like(newest[alike], newest[alike + period]):
            alike += 1
        one_round = newest[:period]
        goes_on = alike and one_round[-1].signature == asked.signature
        if not goes_on or len({call.signature for call in one_round}) < 3:
            continue
        rounds = (alike + period + 1) // period
        if rounds > best[1]:
            best = period, rounds, sum(call.is_blocked for call in newest[: alike + period])
    return best


def failures(window: list[Call], asked: Call) -> tuple[int, int, int]:
    """Failures alike in a row, blocked attempts among them, and different arguments with those of a call."""
    placed = list(zip(window, batches(window), strict=True))
    kept = [(call, batch) for call, batch in placed if not is_void(call)]
    error = next((call.came for call, _ in reversed(kept) if call.state == CallState.ERROR), None)
    counted = []
    for call, batch in reversed(kept):
        failed = call.state == CallState.ERROR and call.came == error
        if call.tool != asked.tool or not (failed or call.is_blocked or call.state == CallState.PENDING):
            break
        if failed or call.is_blocked:
            counted.append((call, batch))
    variants = {call.signature for call, _ in counted} | {asked.signature}
    blocked = sum(call.is_blocked for call, _ in counted)
    return len({batch for _, batch in counted}), blocked, len(variants)


def errors(window: list[Call]) -> int:
    """Errors since the last success, those side by side as one."""
    found = set()
    for call, batch in reversed(list(zip(window, batches(window), strict=True))):
        if call.state == CallState.OK:
            break
        if call.state == CallState.ERROR and not is_void(call):
            found.add(batch)
    return len(found)


def is_void(call: Call) -> bool:
    return call.cancelled and call.state == CallState.ERROR


def repeats(window: list[Call], asked: Call) -> list[Call]:
    """The newest calls, as long as they are the one in question."""
    found: list[Call] = []
    for call in reversed(window):
        if call.signature != asked.signature:
            break
        found.append(call)
    return found


@PATIENT
@given(window=WINDOWS, asked=CALL, history=st.integers(1, 40))
def test_any_window(store: Any, window: list[Call], asked: Call, history: int):
    store.rollback()
    store.begin()
    run = put(store, window, kept(window))
    found = store.further_figures(run, Question(asked.tool, asked.signature, is_poll=False), history, POLLS)
    seen = window[-history:]
    if len(seen) < len(window):  # what ran beside a call before the window counts by its batch all the same
        seen_batches = batches(window)[-history:]
        seen = [
            Call(
                c.tool,
                c.variant,
                c.state,
                c.came,
                c.cancelled,
                bool(n) and seen_batches[n] == seen_batches[n - 1],
            )
            for n, c in enumerate(seen)
        ]
    period, rounds, blocked = cycle(seen, asked)
    same = repeats(seen, asked)
    failed, failed_blocked, variants = failures(seen, asked)
    assert found._replace(cycle_members=None) == Further(
        cycle_period=period or None,
        cycle_rounds=rounds or None,
        cycle_blocked=blocked if period else None,
        mutations=len(same),
        mutations_blocked=sum(call.is_blocked for call in same),
        same_errors=failed,
        same_errors_blocked=failed_blocked,
        error_variants=variants,
        errors=errors(seen),
    )
