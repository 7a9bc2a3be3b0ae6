"""A jump forward is noticed, and nothing else is."""

import logging

import pytest

from guardd.daemon import pace
from guardd.daemon.pace import TOLERATED_MS, Pace

HOUR = 3_600_000
YEAR = 365 * 24 * HOUR


class Clocks:
    def __init__(self) -> None:
        self.time_of_day = 50 * YEAR
        self.boot = 10 * HOUR

    def pass_time(self, milliseconds: int) -> None:
        self.time_of_day += milliseconds
        self.boot += milliseconds


@pytest.fixture
def clocks(monkeypatch: pytest.MonkeyPatch) -> Clocks:
    clocks = Clocks()
    monkeypatch.setattr(pace, "now", lambda: clocks.time_of_day)
    monkeypatch.setattr(pace, "since_boot", lambda: clocks.boot)
    return clocks


def test_time_that_passes_is_no_jump(clocks: Clocks):
    watched = Pace()
    for _ in range(5):
        clocks.pass_time(20 * HOUR)  # as in a suspend, too
        assert watched.was_kept(YEAR)


@pytest.mark.parametrize("jump", [TOLERATED_MS + 1, HOUR, 10 * YEAR])
def test_after_a_jump_forward_it_is_waited(clocks: Clocks, jump: int, caplog: pytest.LogCaptureFixture):
    watched = Pace()
    clocks.time_of_day += jump
    assert not watched.was_kept(2 * HOUR)
    clocks.pass_time(2 * HOUR - 1)
    assert not watched.was_kept(2 * HOUR)
    clocks.pass_time(1)
    assert watched.was_kept(2 * HOUR)
    assert not watched.was_kept(3 * HOUR)
    (record,) = caplog.records
    assert record.levelno == logging.WARNING


def test_each_jump_begins_the_waiting_anew(clocks: Clocks):
    watched = Pace()
    for _ in range(3):
        clocks.time_of_day += HOUR
        watched.look()
        clocks.pass_time(HOUR)
        assert not watched.was_kept(2 * HOUR)
    clocks.pass_time(HOUR)
    assert watched.was_kept(2 * HOUR)


def test_a_jump_back_makes_nothing_old_but_the_way_forward_again_does(clocks: Clocks):
    watched = Pace()
    clocks.time_of_day -= 24 * HOUR
    assert watched.was_kept(YEAR)
    clocks.time_of_day += 24 * HOUR
    assert not watched.was_kept(HOUR)


def test_a_clock_may_drift(clocks: Clocks, caplog: pytest.LogCaptureFixture):
    watched = Pace()
    for _ in range(100):
        clocks.time_of_day += TOLERATED_MS
        watched.look()
    assert watched.was_kept(YEAR)
    assert not caplog.records


def test_it_looks_at_the_clocks_of_this_machine():
    assert Pace().was_kept(YEAR)
