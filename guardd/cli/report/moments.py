"""Times of the wire as a page shows them: in UTC, since whoever reads it may be anywhere."""

from datetime import UTC, datetime


def seconds_between(first: str, last: str) -> float:
    """How many seconds one time of the wire is after another."""
    return (datetime.fromisoformat(last) - datetime.fromisoformat(first)).total_seconds()


def full(text: str) -> str:
    """`30 Nov 2026, 22:15:41`."""
    moment = _utc(text)
    return f"{moment.day} {_MONTHS[moment.month - 1]} {moment.year}, {moment:%H:%M:%S}"


def of_day(text: str, *, with_day: bool) -> str:
    """`22:15:41`, with the day before it where a run went over midnight."""
    moment = _utc(text)
    day = f"{moment.day} {_MONTHS[moment.month - 1]} " if with_day else ""
    return f"{day}{moment:%H:%M:%S}"


def same_day(first: str, last: str) -> bool:
    """Whether two times of the wire are of one day."""
    return _utc(first).date() == _utc(last).date()


_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
"""Not by `strftime`, which goes by the locale."""


def _utc(text: str) -> datetime:
    return datetime.fromisoformat(text).astimezone(UTC)
