import pytest

from guardd.protocol.methods import METHODS, decode_params
from guardd.protocol.operator_methods import DatabasePrune, EventList, RunList


@pytest.mark.parametrize(
    ("text", "milliseconds"),
    [
        ("1970-01-01T00:00:00Z", 0),
        ("2026-01-01T00:00:00.25+01:00", 1_767_222_000_250),
        ("1969-12-31T23:59:59.999Z", -1),
        ("0001-01-01T00:00:00+14:00", -62_135_647_200_000),
        ("9999-12-31T23:59:59.999-12:00", 253_402_343_999_999),
    ],
)
def test_times_are_had_as_milliseconds(text: str, milliseconds: int):
    raw = b'{"since":"%b","olderThan":"%b"}' % (text.encode(), text.encode())
    runs = decode_params(METHODS["run.list"], raw)
    events = decode_params(METHODS["event.list"], raw)
    prune = decode_params(METHODS["db.prune"], raw)
    assert isinstance(runs, RunList)
    assert isinstance(events, EventList)
    assert isinstance(prune, DatabasePrune)
    assert (runs.since_ms, events.since_ms, prune.older_than_ms) == (milliseconds,) * 3


def test_absent_times_are_none():
    assert RunList().since_ms is None
    assert EventList().since_ms is None
    assert DatabasePrune().older_than_ms is None
