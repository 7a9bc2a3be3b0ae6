from collections.abc import Callable
from typing import Any

import pytest

from guardd.cli.paging import History
from guardd.cli.report.loops import episodes, with_calls

Make = Callable[..., dict[str, Any]]


@pytest.fixture
def past(make_run: Make, make_call: Make) -> Callable[..., History]:
    """A history of calls, a signature each, and of resets."""

    def make(signatures: str, resets: tuple[int, ...] = ()) -> History:
        calls = [make_call(seq, signature=one) for seq, one in enumerate(signatures, start=1)]
        markers = [{"kind": "reset", "afterSeq": after} for after in resets]
        return History(make_run("r"), calls, markers, more=False)

    return make


def numbers(loops: Any) -> list[list[int | None]]:
    return [[event["seq"] for event in loop.events] for loop in loops]


def test_verdicts_about_the_same_call_are_one_loop(past: Any, make_event: Make) -> None:
    events = [
        make_event(4),
        make_event(5, action="block"),
        make_event(7, detector="global_circuit_breaker", action="abort"),
    ]
    assert numbers(episodes(past("aaaaaba"), events)) == [[4, 5, 7]]


def test_two_calls_that_loop_side_by_side_are_two(past: Any, make_event: Make) -> None:
    events = [make_event(seq) for seq in (5, 6, 7, 8)]
    assert numbers(episodes(past("abababab"), events)) == [[5, 7], [6, 8]]


def test_a_reset_ends_a_loop(past: Any, make_event: Make) -> None:
    events = [make_event(3), make_event(4), make_event(7)]
    assert numbers(episodes(past("aaaaaaa", (4,)), events)) == [[3, 4], [7]]
    assert numbers(episodes(past("aaaaaaa", (2,)), events)) == [[3, 4, 7]]


def test_what_is_further_apart_than_detectors_look_is_another_loop(past: Any, make_event: Make) -> None:
    events = [make_event(3), make_event(8)]
    history = past("aaabbbba")
    assert numbers(episodes(history, events, window=5)) == [[3, 8]]
    assert numbers(episodes(history, events, window=4)) == [[3], [8]]


def test_both_calls_of_a_ping_pong_are_one_loop(past: Any, make_event: Make) -> None:
    events = [make_event(seq, detector="ping_pong", pairedToolName="read", count=seq) for seq in (4, 5, 6)]
    (loop,) = episodes(past("ababab"), events)
    assert numbers([loop]) == [[4, 5, 6]]
    loop = with_calls(loop, past("ababab"))
    assert (loop.signatures, loop.calls, loop.span) == (["a", "b"], 6, (1, 6))


def test_a_loop_begins_with_what_its_first_verdict_counted(past: Any, make_event: Make) -> None:
    """Without a daemon, which would say what the strongest verdict counted."""
    (loop,) = episodes(past("xayaaaa"), [make_event(6, count=3), make_event(7, count=4)])
    loop = with_calls(loop, past("xayaaaa"))
    assert (loop.begun_with, loop.calls, loop.span) == ([2, 4, 5, 6], 5, (2, 7))


def test_a_tool_that_does_not_exist_is_one_loop_whatever_its_arguments(past: Any, make_event: Make) -> None:
    events = [make_event(seq, detector="unknown_tool_repeat") for seq in (3, 4)]
    (loop,) = episodes(past("abcd"), events)
    assert (with_calls(loop, past("abcd")).signatures, with_calls(loop, past("abcd")).calls) == (
        ["c", "d"],
        2,
    )


def test_what_an_operator_did_is_a_loop_of_its_own_each_time(past: Any, make_event: Make) -> None:
    events = [make_event(None, detector="operator", toolName="")] * 2
    loops = episodes(past("aa"), events)
    assert numbers(loops) == [[None], [None]]
    assert with_calls(loops[0], past("aa")).calls is None
    assert loops[0].span is None


def test_calls_that_are_not_stored_any_more(past: Any, make_event: Make) -> None:
    (loop,) = episodes(past(""), [make_event(3), make_event(4)])
    assert with_calls(loop, past("")).calls is None
