"""Times as the wire and the database have them: RFC 3339 in UTC, and whole milliseconds since 1970."""

import re
from datetime import UTC, datetime, timedelta

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECOND = timedelta(milliseconds=1)
_RFC3339 = re.compile(
    r"(\d{4}-\d{2}-\d{2})[Tt ](\d{2}:\d{2}:\d{2})(\.\d{1,9})?([Zz]|[+-]\d{2}:\d{2})", re.ASCII
)


def to_milliseconds(moment: datetime) -> int:
    """The whole milliseconds between the start of 1970 and an aware moment, rounded down."""
    return (moment - _EPOCH) // _MILLISECOND


def parse_rfc3339(text: str) -> int:
    """The milliseconds since the start of 1970 of a time such as ``2026-07-01T12:00:00.250Z``.

    Finer fractions are cut off.

    Raises:
        ValueError: It is no RFC 3339 time, or has no offset.
    """
    parts = _RFC3339.fullmatch(text)
    if parts is None:
        raise ValueError(f"{text!r} is no RFC 3339 time, such as 2026-07-01T12:00:00Z")
    date, time, fraction, offset = parts.groups()
    fraction = (fraction or ".0")[:7]
    try:
        moment = datetime.fromisoformat(f"{date}T{time}{fraction}{offset.upper()}")
    except ValueError as error:
        raise ValueError(f"{text!r} is no RFC 3339 time: {error}") from None
    return to_milliseconds(moment)


def format_rfc3339(milliseconds: int) -> str:
    """The time in UTC with its milliseconds: ``2026-07-01T12:00:00.250Z``.

    Raises:
        OverflowError: The time is outside the years 1 to 9999.
    """
    moment = _EPOCH + milliseconds * _MILLISECOND
    return f"{moment.replace(tzinfo=None).isoformat(timespec='milliseconds')}Z"
