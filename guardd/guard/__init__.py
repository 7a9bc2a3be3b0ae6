"""The decision: what a gateway's report does to a run, and what is answered.

Everything here is synchronous and happens inside a transaction that the caller has begun and will commit before
the answer is sent. Rules are those of detection.md; the counting is SQL's (`guardd.detect`).
"""

from guardd.guard.answers import CompactionGuard, Event, Report, Verdict
from guardd.guard.guard import Guard

__all__ = ["CompactionGuard", "Event", "Guard", "Report", "Verdict"]
