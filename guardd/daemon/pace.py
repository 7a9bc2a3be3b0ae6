"""Whether the time of day goes on as time does.

What is deleted by its age is deleted by the time of day, which may jump: by hand, by a time server, with a virtual
machine that was paused. After a jump forward everything looks old, and what is live would go; so it is waited with.
"""

import logging

from guardd.daemon.clock import now, since_boot
from guardd.daemon.logs import fields

logger = logging.getLogger("guardd.pace")

TOLERATED_MS = 60_000
"""A jump that makes nothing too old; between two looks, so that a clock may drift as it likes."""


class Pace:
    """Holds the time of day against the time since the boot, which never jumps, and goes on in a suspend."""

    def __init__(self) -> None:
        self._ahead = now() - since_boot()
        self._jumped_at: int | None = None

    def look(self) -> None:
        """Notice a jump; to be called often, since one forward and one back between two looks are none."""
        elapsed = since_boot()
        ahead = now() - elapsed
        if ahead - self._ahead > TOLERATED_MS:
            self._jumped_at = elapsed
            logger.warning(
                "the clock has jumped forward; nothing is deleted by its age for some time",
                extra=fields(seconds=(ahead - self._ahead) // 1000),
            )
        self._ahead = ahead

    def was_kept(self, milliseconds: int) -> bool:
        """Whether the clock has not jumped forward for so long, or since the start."""
        self.look()
        return self._jumped_at is None or since_boot() - self._jumped_at >= milliseconds
