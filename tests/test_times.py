from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guardd.times import format_rfc3339, parse_rfc3339, to_milliseconds

YEAR_1 = -62_135_596_800_000
YEAR_9999_END = 253_402_300_799_999


@pytest.mark.parametrize(
    ("text", "milliseconds"),
    [
        ("1970-01-01T00:00:00Z", 0),
        ("1970-01-01t00:00:00z", 0),
        ("1970-01-01 00:00:00Z", 0),
        ("1970-01-01T00:00:00.25Z", 250),
        ("1970-01-01T00:00:00.001999999Z", 1),
        ("1970-01-01T01:00:00+01:00", 0),
        ("1969-12-31T18:30:00-05:30", 0),
        ("1969-12-31T23:59:59.999Z", -1),
        ("2026-07-01T12:00:00.250Z", 1_782_907_200_250),
        ("0001-01-01T00:00:00+14:00", YEAR_1 - 14 * 3_600_000),
        ("9999-12-31T23:59:59.999Z", YEAR_9999_END),
    ],
)
def test_parsing(text: str, milliseconds: int):
    assert parse_rfc3339(text) == milliseconds


NO_TIMES = [
    "", "now", "2026-07-01", "2026-07-01T12:00:00", "2026-07-01T12:00Z", "20260701T120000Z",
    "2026-07-01T12:00:00.Z", "2026-13-01T00:00:00Z", "2026-02-30T00:00:00Z", "2026-07-01T24:00:01Z",
    "2026-07-01T12:00:60Z", "2026-W01-1T00:00:00Z", "2026-07-01T12:00:00+0100", "2026-07-01T12:00:00+99:00",
    " 2026-07-01T12:00:00Z", "2026-07-01T12:00:00Z\n", "٢٠٢٦-07-01T12:00:00Z",
]  # fmt: skip


@pytest.mark.parametrize("text", NO_TIMES)
def test_what_is_no_time(text: str):
    with pytest.raises(ValueError, match="is no RFC 3339 time"):
        parse_rfc3339(text)


def test_formatting():
    assert format_rfc3339(0) == "1970-01-01T00:00:00.000Z"
    assert format_rfc3339(-1) == "1969-12-31T23:59:59.999Z"
    assert format_rfc3339(1_782_907_200_250) == "2026-07-01T12:00:00.250Z"
    assert format_rfc3339(YEAR_1) == "0001-01-01T00:00:00.000Z"
    with pytest.raises(OverflowError):
        format_rfc3339(YEAR_9999_END + 1)


@given(st.integers(YEAR_1, YEAR_9999_END))
def test_a_time_survives(milliseconds: int):
    assert parse_rfc3339(format_rfc3339(milliseconds)) == milliseconds


@given(st.integers(0, 10**12), st.integers(-14 * 60, 14 * 60))
def test_the_offset_does_not_matter(milliseconds: int, minutes: int):
    moment = datetime.fromtimestamp(0, UTC) + timedelta(milliseconds=milliseconds)
    assert to_milliseconds(moment.astimezone(timezone(timedelta(minutes=minutes)))) == milliseconds
