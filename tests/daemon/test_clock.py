from types import SimpleNamespace

import pytest

from guardd.daemon import clock
from guardd.daemon.clock import LAST_MOMENT
from guardd.times import format_rfc3339


@pytest.mark.parametrize(
    ("nanoseconds", "expected"),
    [
        (1_999_999, 1),
        (-1, 0),
        (LAST_MOMENT * 1_000_000, LAST_MOMENT),
        ((LAST_MOMENT + 1) * 1_000_000, LAST_MOMENT),
        (2**63 - 1, 2**63 // 1_000_000),
    ],
)
def test_a_broken_clock_tells_a_time_that_can_be_written(
    monkeypatch: pytest.MonkeyPatch, nanoseconds: int, expected: int
):
    monkeypatch.setattr(clock, "time", SimpleNamespace(time_ns=lambda: nanoseconds))
    assert clock.now() == expected
    assert format_rfc3339(clock.now())


def test_the_last_moment_is_that_of_the_calendar():
    assert format_rfc3339(LAST_MOMENT) == "9999-12-31T23:59:59.999Z"


def test_they_are_those_of_this_machine():
    assert clock.now() > clock.since_boot() > 0
