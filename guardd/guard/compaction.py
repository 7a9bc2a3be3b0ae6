"""`compaction.record`, and the guard that watches a run's first outcomes after a compaction.

What the guard has seen is the calls that it counted: their rows name the compaction that armed it. So nothing
about it lives in memory, and an operator can see which outcomes it compared.
"""

import logging

from guardd.detect import compaction_loop_persisted
from guardd.fingerprint import Outcome
from guardd.guard.answers import DISARMED, CompactionGuard, Verdict
from guardd.guard.guard import Guard
from guardd.store.rows import RunRow, Scope
from guardd.vocabulary import Action, MarkerKind

logger = logging.getLogger("guardd.guard")


def record(
    guard: Guard,
    scope: Scope,
    agent_id: str | None,
    now: int,
    *,
    will_retry: bool = True,
    reason: str | None = None,
    tokens_before: int | None = None,
    tokens_after: int | None = None,
    once: bool = False,
) -> CompactionGuard:
    """Record a compaction; one that the gateway retries after arms the guard afresh.

    Args:
        guard: store and settings.
        scope: the run.
        agent_id: whose configuration applies, if the gateway says.
        now: milliseconds since the epoch.
        will_retry: the gateway goes on with what overflowed; otherwise this is a marker and no more.
        reason: the gateway's word for why.
        tokens_before: size of the context before.
        tokens_after: size of the context after.
        once: until the run makes another call, further reports are of the same compaction.
    """
    run = guard.store.enter_run(scope, agent_id, now)
    if once and guard.store.newest_marker(run) == (MarkerKind.COMPACTION, run.newest_seq):
        return state(guard, run)
    settings = guard.settings(run)
    arms = will_retry and settings.enabled is not False
    marker_id = guard.store.insert_marker(
        run,
        MarkerKind.COMPACTION,
        now,
        window_size=settings.compaction_window if arms else None,
        reason=reason,
        tokens_before=tokens_before,
        tokens_after=tokens_after,
    )
    if not arms:
        return state(guard, run)
    guard.store.set_armed(run, marker_id)
    logger.info(
        "post-compaction guard armed for %d attempts",
        settings.compaction_window,
        extra={"fields": {"run": scope.run, "source": scope.source}},
    )
    return CompactionGuard(armed=True, remaining=settings.compaction_window)


def armed_marker(guard: Guard, run: RunRow) -> int | None:
    """The compaction that armed the guard, if it is armed and not switched off."""
    if run.armed_marker_id is None or guard.settings(run).enabled is False:
        return None
    return run.armed_marker_id


def state(guard: Guard, run: RunRow) -> CompactionGuard:
    """How the guard of a run stands."""
    marker_id = armed_marker(guard, run)
    if marker_id is None:
        return DISARMED
    used, _seen = guard.store.count_guarded(marker_id, b"", b"")
    return CompactionGuard(armed=True, remaining=guard.store.armed_window(marker_id) - used)


def use_attempt(
    guard: Guard,
    run: RunRow,
    marker_id: int,
    tool: str,
    signature: bytes,
    outcome: Outcome,
    verdict: Verdict,
    now: int,
) -> tuple[Verdict, CompactionGuard]:
    """Count an outcome that was just attached; abort when the loop outlived the compaction.

    Args:
        guard: store and settings.
        run: as it stood before the outcome.
        marker_id: the compaction that armed the guard.
        tool: of the call.
        signature: of the call, as it was asked.
        outcome: what came of it.
        verdict: what is answered otherwise; an abort stands.
        now: milliseconds since the epoch.
    """
    window_size = guard.store.armed_window(marker_id)
    masks = guard.settings(run).compaction_volatile_text
    compared = outcome.masked if masks and outcome.masked is not None else outcome.fingerprint
    used, seen = guard.store.count_guarded(marker_id, signature, compared, masks=masks)
    if used >= window_size:
        guard.store.set_armed(run, None)
        left = DISARMED
    else:
        left = CompactionGuard(armed=True, remaining=window_size - used)
    detection = compaction_loop_persisted.judge(tool, signature, seen=seen, window_size=window_size)
    if detection is None or verdict.meant is Action.ABORT:
        return verdict, left
    _detection_id, aborted = guard.answer(run, verdict.seq, detection, now)
    return aborted, left
