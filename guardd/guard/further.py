"""What is kept of calls and outcomes for the rules other than the documented ones, where one of them is on."""

from guardd.config import LoopSettings
from guardd.fingerprint import Arguments, Outcome
from guardd.fingerprint.canonical import read
from guardd.fingerprint.reading import TooDeepError
from guardd.fingerprint.siblings import is_cancelled_sibling
from guardd.fingerprint.unchanged import says_unchanged
from guardd.guard.answers import Report
from guardd.guard.guard import Guard
from guardd.store.rows import RunRow
from guardd.vocabulary import CallEffect


def note_call(
    guard: Guard, run: RunRow, settings: LoopSettings, seq: int, tool: str, arguments: Arguments
) -> CallEffect | None:
    """Keep whether a call that was just recorded may change something, and which one it began beside.

    Args:
        guard: store and settings.
        run: as it stood before the call.
        settings: of the run's agent.
        seq: the call.
        tool: its tool.
        arguments: what it was asked with.

    Returns:
        The first.
    """
    changes = settings.progress_reset and guard.fingerprinter.changes(
        tool, arguments, None, settings.mutation_tools
    )
    effect = CallEffect.CHANGES if changes else None
    beside = guard.store.newest_under_way(run) if settings.same_error else None
    guard.store.set_further(run, seq, effect=effect, beside=beside)
    return effect


def note_outcome(
    guard: Guard,
    run: RunRow,
    settings: LoopSettings,
    seq: int,
    effect: int | None,
    report: Report,
    outcome: Outcome,
    result: bytes | None,
    error: bytes | None,
) -> None:
    """Keep an outcome without what varies by itself, what failed alike, and what it says of the call's effect.

    Args:
        guard: store and settings.
        run: as it stands.
        settings: of the run's agent.
        seq: the call.
        effect: what was kept of that when it was recorded.
        report: the outcome's.
        outcome: its fingerprints.
        result: what the call returned, as JSON bytes.
        error: its error, as JSON bytes.
    """
    changed = None
    if outcome.failed:
        if settings.same_error and error is not None and is_cancelled_sibling(_text(error)):
            changed = CallEffect.CANCELLED
    elif effect == CallEffect.CHANGES and not _has_changed(guard, settings, report, result):
        changed = CallEffect.NONE
    if outcome.unchanged:
        changed = CallEffect.UNCHANGED
    masked = outcome.masked if settings.keeps_masked else None
    guard.store.set_further(run, seq, masked=masked, effect=changed, failure=outcome.failure)


def _has_changed(guard: Guard, settings: LoopSettings, report: Report, result: bytes | None) -> bool:
    try:
        value = None if result is None else read(result)
    except TooDeepError:
        return True
    if report.args is None:
        return not says_unchanged(value)
    arguments = Arguments.parse(report.args)
    return guard.fingerprinter.changes(report.tool, arguments, value, settings.mutation_tools)


def _text(error: bytes) -> str:
    try:
        value = read(error)
    except TooDeepError:
        return ""
    return value if isinstance(value, str) else ""
