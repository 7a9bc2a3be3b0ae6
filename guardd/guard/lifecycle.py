"""A run begins, ends, is forgiven, or is stopped by hand."""

from dataclasses import dataclass

from guardd.detect import operator
from guardd.guard.guard import Guard
from guardd.store.rows import RunRow, Scope
from guardd.vocabulary import MarkerKind, RunStatus


@dataclass(frozen=True, slots=True)
class Started:
    """What a gateway learns of a run that it begins or goes on with.

    Attributes:
        resumed: the run was known, and what it did still counts.
        calls: how many calls it has made so far.
        status: how it stands now.
    """

    resumed: bool
    calls: int
    status: str


def start(
    guard: Guard,
    scope: Scope,
    agent_id: str | None,
    now: int,
    *,
    metadata: str | None = None,
    fresh: bool = False,
) -> Started:
    """Begin a run, or go on with a known one.

    A run that was in the middle of its work and is begun again belongs to a gateway that restarted.

    Args:
        guard: store and settings.
        scope: the run.
        agent_id: whose configuration applies, if the gateway says.
        now: milliseconds since the epoch.
        metadata: what the gateway tells of the run, as JSON.
        fresh: what came before no longer counts (a new prompt in an agent without turn ids).
    """
    known = guard.store.find_run(scope)
    run = guard.store.enter_run(scope, agent_id, now)
    if metadata is not None:
        guard.store.set_metadata(run, metadata)
    if fresh and known is not None:
        guard.store.reset_run(run, None, now)
        return Started(resumed=False, calls=run.newest_seq, status=RunStatus.ACTIVE)
    if known is not None and known.status == RunStatus.ACTIVE and known.newest_seq > known.reset_seq:
        guard.store.insert_marker(run, MarkerKind.GATEWAY_RESTART, now)
    return Started(resumed=known is not None, calls=run.newest_seq, status=run.status)


def end(guard: Guard, scope: Scope, status: RunStatus, reason: str | None, now: int) -> None:
    """Mark a run as ended; of a run that made no call nothing is known, and nothing is to be ended."""
    run = guard.store.find_run(scope)
    if run is not None:
        guard.store.end_run(run, status, reason, now)


def reset(guard: Guard, run: RunRow, reason: str | None, now: int) -> None:
    """Forgive: what came before no longer counts; the history stays."""
    guard.store.reset_run(run, reason, now)


def abort(guard: Guard, run: RunRow, reason: str | None, now: int) -> None:
    """Stop a run by hand, until a reset; of an aborted one the first abort stands."""
    if run.abort_detection_id is None:
        guard.answer(run, None, operator.abort(reason), now)
