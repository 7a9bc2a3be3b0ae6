"""Times for people: how long ago, how long, and what `--since` takes."""

import re
from datetime import UTC, datetime, timedelta

_UNITS = {"s": 1, "m": 60, "min": 60, "h": 3600, "d": 86_400, "w": 604_800}
_PART = r"(\d+(?:\.\d+)?)\s*(s|min|m|h|d|w)\s*"


def now() -> datetime:
    """The time, in UTC."""
    return datetime.now(UTC)


def rfc3339(moment: datetime) -> str:
    """A moment as the wire has it; one without an offset is local."""
    from guardd.times import format_rfc3339, to_milliseconds  # noqa: PLC0415 - compiles what tables do not need

    return format_rfc3339(to_milliseconds(moment.astimezone(UTC)))


def point(text: str) -> str:
    """Read what a person means by a time in the past.

    Args:
        text: How long ago (`45s`, `30m`, `2h`, `7d`, `1w`, `1h30m`), or an RFC 3339 time; a date, or a time
            without an offset, is local.

    Returns:
        The time as RFC 3339 in UTC.

    Raises:
        ValueError: It is neither; the message is for a person.
    """
    text = text.strip()
    try:
        if re.fullmatch(f"(?:{_PART})+", text, re.ASCII):
            parts = re.findall(_PART, text, re.ASCII)
            return rfc3339(
                now() - timedelta(seconds=sum(float(count) * _UNITS[unit] for count, unit in parts))
            )
        return rfc3339(datetime.fromisoformat(text))
    except (ValueError, OverflowError):
        raise ValueError(
            f"{text!r} is no time: say how long ago (30m, 2h, 7d), or 2026-01-31T12:00:00Z."
        ) from None


def length(seconds: float) -> str:
    """A length of time in the unit that says enough: `120 ms`, `4.2 s`, `45 s`, `3 min`, `2 h`, `5 d`."""
    if seconds < 1:
        return f"{round(seconds * 1000)} ms"
    if seconds < 10:  # noqa: PLR2004 - a decimal says something up to here
        return f"{round(seconds, 1):g} s"
    for unit, size, end in (("s", 1, 60), ("min", 60, 3600), ("h", 3600, 172_800)):
        if seconds < end:
            return f"{int(seconds // size)} {unit}"
    return f"{int(seconds // 86_400)} d"


def age(text: str, moment: datetime) -> str:
    """How long before `moment` a time of the wire was: `3 s`, or `now`, which it is too if it is later."""
    seconds = (moment - datetime.fromisoformat(text)).total_seconds()
    return "now" if seconds < 1 else length(int(seconds))


class Clock:
    """How a command shows times.

    Args:
        absolute: Show RFC 3339 in place of how long ago.
        following: Lines appear as things happen: show the local time of day, which stays true.
    """

    def __init__(self, *, absolute: bool, following: bool = False) -> None:
        self._now = now()
        self._absolute = absolute
        self._following = following

    @property
    def title(self) -> str:
        """The heading of a column of `cell`s."""
        return "TIME" if self._absolute or self._following else "AGO"

    @property
    def width(self) -> int:
        """How wide a `cell` gets."""
        return len("2026-01-31T12:00:00.000Z" if self._absolute else "00:00:00")

    def show(self, text: str) -> str:
        """A time of the wire in a sentence: `3 s ago`."""
        cell = self.cell(text)
        return cell if self.title == "TIME" or cell == "now" else f"{cell} ago"

    def cell(self, text: str) -> str:
        """A time of the wire in a column: `3 s`."""
        if self._absolute:
            return rfc3339(datetime.fromisoformat(text))
        if self._following:
            return f"{datetime.fromisoformat(text).astimezone():%H:%M:%S}"
        return age(text, self._now)
