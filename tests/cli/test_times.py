from datetime import UTC, datetime, timedelta

import pytest

from guardd.cli import times

NOW = datetime(2026, 3, 1, 12, 0, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (0, "0 ms"),
        (0.0042, "4 ms"),
        (1, "1 s"),
        (4.24, "4.2 s"),
        (45.9, "45 s"),
        (60, "1 min"),
        (3599, "59 min"),
        (3600, "1 h"),
        (47 * 3600, "47 h"),
        (48 * 3600, "2 d"),
        (400 * 86_400, "400 d"),
    ],
)
def test_a_length_is_said_in_the_unit_that_says_enough(seconds: float, words: str) -> None:
    assert times.length(seconds) == words


@pytest.mark.parametrize(
    ("at", "words"),
    [
        ("2026-03-01T11:59:59.500Z", "now"),
        ("2026-03-01T11:59:57.000Z", "3 s"),
        ("2026-03-01T11:00:00Z", "1 h"),
        ("2026-03-01T13:00:00+01:00", "now"),
        ("2026-03-01T12:00:09Z", "now"),
    ],
)
def test_age_counts_from_a_moment_and_never_into_the_future(at: str, words: str) -> None:
    assert times.age(at, NOW) == words


@pytest.mark.parametrize(
    ("said", "past"),
    [
        ("30m", timedelta(minutes=30)),
        ("5min", timedelta(minutes=5)),
        ("2h", timedelta(hours=2)),
        ("7d", timedelta(days=7)),
        ("1w", timedelta(weeks=1)),
        ("1h30m", timedelta(minutes=90)),
        (" 1.5 h ", timedelta(minutes=90)),
    ],
)
def test_since_takes_durations(said: str, past: timedelta) -> None:
    before = datetime.now(UTC)
    found = datetime.fromisoformat(times.point(said))
    assert abs(before - past - found) < timedelta(seconds=5)


def test_since_takes_times_and_gives_them_in_utc() -> None:
    assert times.point("2026-03-01T12:00:00+02:00") == "2026-03-01T10:00:00.000Z"
    assert times.point("2026-03-01T12:00:00.25Z") == "2026-03-01T12:00:00.250Z"


@pytest.mark.parametrize(
    "said", ["", "yesterday", "3", "h", "2 hours", "-2h", "2026-13-01", "99999999999d", "٣h"]
)
def test_what_is_no_time_is_refused_with_examples(said: str) -> None:
    with pytest.raises(ValueError, match="say how long ago"):
        times.point(said)


def test_a_clock_shows_a_time_as_asked() -> None:
    past = "2020-01-01T00:00:00.000Z"
    assert times.Clock(absolute=False).show(past).endswith(" d ago")
    assert times.Clock(absolute=False).cell(past).endswith(" d")
    assert times.Clock(absolute=True).show(past) == past
    assert times.Clock(absolute=True, following=True).show(past) == past
    for clock in (times.Clock(absolute=False, following=True), times.Clock(absolute=True)):
        assert len(clock.show(past)) == clock.width
    assert [times.Clock(absolute=flag).title for flag in (False, True)] == ["AGO", "TIME"]
    assert times.Clock(absolute=False).show("2999-01-01T00:00:00Z") == "now"
