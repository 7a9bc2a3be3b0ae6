from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guardd.times import format_rfc3339, to_milliseconds

YEAR_1 = -62_135_596_800_000
YEAR_9999_END = 253_402_300_799_999


def test_formatting():
    assert format_rfc3339(0) == "1970-01-01T00:00:00.000Z"
    assert format_rfc3339(-1) == "1969-12-31T23:59:59.999Z"
    assert format_rfc3339(1_782_907_200_250) == "2026-07-01T12:00:00.250Z"
    assert format_rfc3339(YEAR_1) == "0001-01-01T00:00:00.000Z"
    with pytest.raises(OverflowError):
        format_rfc3339(YEAR_9999_END + 1)


@given(st.integers(YEAR_1, YEAR_9999_END))
def test_a_time_survives(milliseconds: int):
    assert to_milliseconds(datetime.fromisoformat(format_rfc3339(milliseconds))) == milliseconds


@given(st.integers(0, 10**12), st.integers(-14 * 60, 14 * 60))
def test_the_offset_does_not_matter(milliseconds: int, minutes: int):
    moment = datetime.fromtimestamp(0, UTC) + timedelta(milliseconds=milliseconds)
    assert to_milliseconds(moment.astimezone(timezone(timedelta(minutes=minutes)))) == milliseconds
