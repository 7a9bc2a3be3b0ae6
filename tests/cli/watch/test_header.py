from collections.abc import Callable
from typing import Any

import pytest
from rich.cells import cell_len
from support import statuses

from guardd.cli.watch.header import header
from guardd.cli.watch.model import Model, Trouble

STATUS = statuses.STATUS | {"runs": 12}
Make = Callable[..., dict[str, Any]]


@pytest.fixture
def model(make_event: Make) -> Model:
    model = Model(None, 0)
    model.learn(STATUS, [])
    model.happened([make_event(seq) for seq in range(1, 17)], 300)
    model.happened([make_event(20, action="block")], 300)
    return model


def drawn(model: Model, width: int, *, two_lines: bool = True) -> list[str]:
    return ["".join(line) for line in header(model, 300, width, two_lines=two_lines)]


def test_there_is_room_for_all_of_it(model: Model):
    daemon = "guardd 0.1.0 · enforce · up 3 min · 4 connections · 12 runs · 1,204 calls"
    verdicts = "16 WARN · 1 BLOCK · 0 ABORT · 3.4 events/s"
    assert drawn(model, 79) == [daemon, f"{verdicts} · watched for 5 min"]
    assert drawn(model, 130, two_lines=False) == [f"{daemon} · {verdicts}"]


def test_the_least_important_goes_first(model: Model):
    assert drawn(model, 39) == ["guardd 0.1.0 · enforce · 12 runs", "16 WARN · 1 BLOCK · 0 ABORT · 3.4/s"]
    assert drawn(model, 79, two_lines=False) == [
        "guardd 0.1.0 · enforce · 12 runs · 16 WARN · 1 BLOCK · 0 ABORT · 3.4 events/s"
    ]
    assert drawn(model, 39, two_lines=False) == ["16 WARN · 1 BLOCK · 0 ABORT · 3.4/s"]
    assert drawn(model, 20, two_lines=False) == ["1 BLOCK · 0 ABORT"]


@pytest.mark.parametrize("width", range(100))
def test_it_is_never_too_wide(model: Model, width: int):
    model.trouble = Trouble("日本" * 30, 0)
    for two_lines in (False, True):
        assert max(map(cell_len, drawn(model, width, two_lines=two_lines))) <= width


def test_a_daemon_that_is_away_is_said_and_the_counts_stay(model: Model):
    model.trouble = Trouble("went away; trying to reach it again\x1b", 288)
    assert drawn(model, 79)[0] == "guardd · went away; trying to reach it again\\e · for 12 s"
    assert drawn(model, 79)[1].startswith("16 WARN · 1 BLOCK")


def test_a_daemon_that_only_observes_says_what_would_have_been(model: Model, make_event: Make):
    model.learn(STATUS | {"mode": "observe"}, [])
    model.counts.clear()
    model.happened([make_event(30, action="allow", wouldBe="warn")], 300)
    assert drawn(model, 79)[1].startswith("1 (WARN) · 0 (BLOCK) · 0 (ABORT) · ")
    model.happened([make_event(31, action="abort")], 300)
    assert drawn(model, 79)[1].startswith("1 ABORT · 1 (WARN) · 0 (BLOCK) · 0 (ABORT) · ")


def test_times_below_a_second_are_no_flicker(model: Model):
    model.learn(STATUS | {"uptimeSeconds": 0.2}, [])
    assert "up 1 s" in drawn(model, 79)[0]
