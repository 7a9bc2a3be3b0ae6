"""Times as the wire and the database have them: RFC 3339 in UTC, and whole milliseconds since 1970."""

from datetime import UTC, datetime, timedelta

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_NAIVE_EPOCH = _EPOCH.replace(tzinfo=None)
_MILLISECOND = timedelta(milliseconds=1)


def to_milliseconds(moment: datetime) -> int:
    """The whole milliseconds between the start of 1970 and an aware moment, rounded down."""
    return (moment - _EPOCH) // _MILLISECOND


def format_rfc3339(milliseconds: int) -> str:
    """The time in UTC with its milliseconds: ``2026-07-01T12:00:00.250Z``.

    Raises:
        OverflowError: The time is outside the years 1 to 9999.
    """
    moment = _NAIVE_EPOCH + milliseconds * _MILLISECOND
    return moment.isoformat(timespec="milliseconds") + "Z"
