from collections.abc import Callable
from typing import Any

import pytest

from guardd.cli.watch.model import BEGINNING, KEPT, Model, Tail

Make = Callable[..., dict[str, Any]]
AT = "2026-03-01T11:00:00.000Z"
LATER = "2026-03-01T11:00:00.001Z"


def test_what_was_there_before_is_shown_and_not_counted(make_event: Make):
    model = Model(None, 0)
    model.begin([make_event(1), make_event(2)])
    model.happened([make_event(2), make_event(3)], 1)
    assert [event["seq"] for event in model.newest_events(9)] == [1, 2, 3]
    assert model.counts == {"warn": 1}


def test_what_was_only_observed_is_counted_apart(make_event: Make):
    model = Model(None, 0)
    model.happened([make_event(1), make_event(2, action="allow", wouldBe="block")], 1)
    assert model.counts == {"warn": 1, "(block)": 1}


def test_an_agents_board_leaves_out_the_others_and_yet_follows_them(make_event: Make):
    model = Model("main", 0)
    model.begin([make_event(1), make_event(2, agentId="other")])
    model.happened([make_event(3), make_event(4, agentId=None)], 1)
    assert [event["seq"] for event in model.newest_events(9)] == [1, 3]
    assert model.tail.since == make_event(4)["at"]


def test_what_is_sent_again_from_a_time_on_is_known(make_event: Make):
    tail = Tail()
    assert tail.since == BEGINNING
    first = [make_event(1, at=AT), make_event(1, at=AT, run="other"), make_event(2, at=AT)]
    assert [tail.is_new(event) for event in first] == [True] * 3
    assert [tail.is_new(event) for event in [*first, make_event(3, at=AT)]] == [False] * 3 + [True]
    assert tail.is_new(make_event(4, at=LATER))
    assert tail.since == LATER
    assert not tail.is_new(make_event(4, at=LATER))


def test_a_clock_that_is_set_back_is_followed_and_nothing_comes_twice(make_event: Make):
    tail = Tail()
    events = [make_event(1, at=AT), make_event(2, at=LATER), make_event(3, at=AT)]
    assert [tail.is_new(event) for event in events] == [True] * 3
    assert tail.since == AT
    assert [tail.is_new(event) for event in [*events, make_event(4, at=AT)]] == [False] * 3 + [True]


def test_events_are_not_asked_for_from_a_time_that_the_daemon_has_not_reached(make_event: Make):
    model = Model(None, 0)
    model.begin([make_event(1, at=LATER)])
    assert model.resume_at == LATER
    model.learn({"time": AT}, [])
    assert model.resume_at == AT
    model.learn({"time": "2026-03-01T12:00:00.000Z"}, [])
    assert model.resume_at == LATER


def test_memory_is_bounded(make_event: Make):
    model = Model(None, 0)
    for number in range(5 * KEPT):
        at = f"2026-03-01T11:{number // 60000:02}:{number // 1000 % 60:02}.{number % 1000:03}Z"
        model.happened([make_event(number, at=at)], number / 1000)
    assert model.events_kept == KEPT
    assert model.newest_events(1)[0]["seq"] == 5 * KEPT - 1
    assert model.counts["warn"] == 5 * KEPT


def test_what_is_remembered_to_be_known_again_is_bounded(make_event: Make, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("guardd.cli.watch.model.REMEMBERED", 2)
    tail = Tail()
    events = [make_event(number, at=AT) for number in range(3)]
    assert [tail.is_new(event) for event in [*events, *events[1:], events[0]]] == [True] * 3 + [False] * 2 + [
        True
    ]


@pytest.mark.parametrize(
    ("now", "rate"), [(1.5, 10 / 1.5), (4.0, 2.5), (5.9, 2), (8.0, 0)], ids=["young", "grown", "full", "over"]
)
def test_events_per_second_are_those_of_the_last_seconds(make_event: Make, now: float, rate: float):
    model = Model(None, 0)
    for number in range(10):
        model.happened([make_event(number)], 1 + number / 20)
    assert model.per_second(now) == rate


def test_what_is_held_still_does_not_change_while_all_is_counted(make_event: Make, make_run: Make):
    model = Model(None, 0)
    model.learn({}, [make_run("a")])
    model.happened([make_event(1)], 1)
    model.pause()
    assert model.is_paused
    model.learn({}, [make_run("b")])
    model.happened([make_event(2)], 2)
    assert [run["run"] for run in model.runs] == ["a"]
    assert [event["seq"] for event in model.newest_events(9)] == [1]
    assert (model.events_kept, model.counts["warn"]) == (1, 2)
    model.pause()
    assert not model.is_paused
    assert [run["run"] for run in model.runs] == ["b"]
    assert [event["seq"] for event in model.newest_events(1)] == [2]
