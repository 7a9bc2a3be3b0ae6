"""The daemon's clocks, in whole milliseconds."""

import time

LAST_MOMENT = 253_402_300_799_999
"""The end of the year 9999, in milliseconds since the epoch: a broken clock may be past it."""


def now() -> int:
    """The time in milliseconds since the epoch; never one that cannot be written as a date."""
    return max(0, min(time.time_ns() // 1_000_000, LAST_MOMENT))


def since_boot() -> int:
    """The time since the machine was booted, in milliseconds, with that in which it slept."""
    return time.clock_gettime_ns(time.CLOCK_BOOTTIME) // 1_000_000
