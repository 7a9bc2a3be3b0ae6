"""What the guard is told, and what it answers."""

from typing import NamedTuple

import msgspec

from guardd.detect.detection import Detection
from guardd.store.rows import RunRow, Scope
from guardd.vocabulary import Action


class Report(msgspec.Struct, frozen=True, gc=False):
    """One tool call as a gateway reports it, before or after.

    Attributes:
        scope: the run.
        agent_id: whose configuration applies, if the gateway says.
        tool: the tool's name.
        call_id: the gateway's id of the call; not unique.
        args: the arguments as JSON bytes, None where missing.
        once: the same call may be reported more than once, by its id.
    """

    scope: Scope
    agent_id: str | None
    tool: str
    call_id: str | None
    args: bytes | None
    once: bool = False


class Verdict(msgspec.Struct, frozen=True, gc=False):
    """What is answered.

    Attributes:
        action: what to do.
        seq: the call's number in its run; None where no call was recorded or found.
        detection: what was found, if anything.
        notify: whether the model or the user should be shown it.
        would_be: in observing mode, the action that was not taken.
    """

    action: Action
    seq: int | None
    detection: Detection | None = None
    notify: bool = False
    would_be: Action | None = None

    @property
    def meant(self) -> Action:
        """The action that was found right, whether or not it was only observed."""
        return self.action if self.would_be is None else self.would_be


class CompactionGuard(NamedTuple):
    """The post-compaction guard of a run: whether it is armed, and for how many more outcomes."""

    armed: bool
    remaining: int


DISARMED = CompactionGuard(armed=False, remaining=0)


class Event(NamedTuple):
    """A detection that was recorded, for those who watch.

    Attributes:
        run: the run it belongs to.
        verdict: what was answered.
        at: when, in milliseconds since the epoch.
    """

    run: RunRow
    verdict: Verdict
    at: int
