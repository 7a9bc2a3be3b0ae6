"""`tool.before` and `tool.after`: a call is judged and recorded, then its outcome attached."""

from guardd.config import LoopSettings
from guardd.detect.detection import Detection, Question
from guardd.detect.figures import Figures
from guardd.detect.glance import may_match
from guardd.detect.rules import after_the_fact, judge
from guardd.fingerprint import VERSION, Arguments, Outcome, preview
from guardd.guard import compaction, further
from guardd.guard.answers import CompactionGuard, Report, Verdict
from guardd.guard.guard import Guard
from guardd.store.rows import NewCall, OpenCall, RunRow
from guardd.vocabulary import Action, CallState, Detector

REPORTED_AGAIN_WITHIN = 64
"""How many calls an outcome may lag behind when it is reported another time; more than run in parallel."""


def before(guard: Guard, report: Report, now: int) -> Verdict:
    """Judge a call that is about to be made, and record it, or the attempt that is blocked.

    Args:
        guard: store and settings.
        report: the call.
        now: milliseconds since the epoch.
    """
    run = guard.store.enter_run(report.scope, report.agent_id, now)
    arguments = Arguments.parse(report.args)
    question = guard.question(run, report.tool, arguments)
    if report.once and (known := _reported_before(guard, report, run, question)) is not None:
        return _answered_before(guard, run, known)
    settings = guard.settings(run)
    detection_id, missing_tool, verdict = _judge(guard, run, settings, question, now, has_run=False)
    blocked = verdict.action >= Action.BLOCK
    guard.store.insert_call(
        _new_call(
            guard,
            report,
            run,
            question,
            arguments,
            state=CallState.BLOCKED if blocked else CallState.PENDING,
            missing_tool=missing_tool if blocked else None,
            detection_id=detection_id,
            now=now,
        )
    )
    if settings.looks_beyond:
        further.note_call(guard, run, settings, run.newest_seq + 1, report.tool, arguments)
    return verdict


def _reported_before(guard: Guard, report: Report, run: RunRow, question: Question) -> OpenCall | None:
    """The call that is reported another time: one of this id and signature that has no outcome yet."""
    if report.call_id is None:
        return None
    known = guard.store.find_open_call(run, question, report.call_id)
    if known is None or known.signature != question.signature or known.seq <= run.reset_seq:
        return None
    return known


def _answered_before(guard: Guard, run: RunRow, known: OpenCall) -> Verdict:
    """What a known call was answered with, or the run's abort since then."""
    if run.abort_detection_id is not None:
        return guard.repeated_abort(known.seq, run.abort_detection_id)
    if known.detection_id is not None:
        return guard.repeated(known.seq, known.detection_id)
    return Verdict(Action.ALLOW, known.seq)


def _judge(
    guard: Guard, run: RunRow, settings: LoopSettings, question: Question, now: int, *, has_run: bool
) -> tuple[int | None, str | None, Verdict]:
    """The detection's id, the tool that the model misses, and the verdict on the run's next call.

    Args:
        guard: store and settings.
        run: as it stands before the call.
        settings: of the run's agent.
        question: the call.
        now: milliseconds since the epoch.
        has_run: it is only reported now, and cannot be blocked any more.
    """
    seq = run.newest_seq + 1
    if run.abort_detection_id is not None:
        return run.abort_detection_id, None, guard.repeated_abort(seq, run.abort_detection_id)
    if not settings.enabled:
        return None, None, Verdict(Action.ALLOW, seq)
    figures, detection = _found(guard, run, settings, question)
    if detection is None:
        return None, None, Verdict(Action.ALLOW, seq)
    if has_run:
        detection = after_the_fact(detection, settings)
    detection_id, verdict = guard.answer(run, seq, detection, now)
    misses = detection.detector is Detector.UNKNOWN_TOOL_REPEAT
    return detection_id, figures.newest_missing_tool if misses else None, verdict


def _found(
    guard: Guard, run: RunRow, settings: LoopSettings, question: Question
) -> tuple[Figures, Detection | None]:
    """What is counted, and what the rules find in it; those beyond the documented ones only if these find nothing.

    What OpenClaw 2026.9 counts besides is also looked for where no documented rule may match.
    """
    store, history_size, masks = guard.store, settings.history_size, settings.volatile_text
    since = 0
    if settings.progress_reset:
        since = store.newest_change(run, question, history_size, masks=masks)
    figures, detection = Figures(), None
    if may_match(store.glance(run, question, history_size, since=since), run.newest_seq, settings):
        figures = store.figures(run, question, history_size, masks=masks, since=since)
        detection = judge(question, figures, settings)
    if guard.follows_openclaw and (detection is None or detection.action is not Action.ABORT):
        across = store.across_figures(run, question, history_size, masks=masks, since=since)
        figures = figures._replace(across=across)
        detection = judge(question, figures, settings)
    if detection is None and settings.looks_further:
        counted = store.further_figures(run, question, history_size, guard.polls, masks=masks)
        figures = figures._replace(further=counted)
        detection = judge(question, figures, settings)
    return figures, detection


def after(
    guard: Guard,
    report: Report,
    result: bytes | None,
    error: bytes | None,
    duration_ms: int | None,
    now: int,
) -> tuple[Verdict, CompactionGuard]:
    """Attach an outcome to its call, or judge and record a call that is only reported now.

    Args:
        guard: store and settings.
        report: the call.
        result: what it returned, as JSON bytes; `null` is a result, None is none.
        error: its error, as JSON bytes.
        duration_ms: how long it took, in milliseconds.
        now: milliseconds since the epoch.
    """
    run = guard.store.enter_run(report.scope, report.agent_id, now)
    arguments = Arguments.parse(report.args)
    question = guard.question(run, report.tool, arguments)
    call = guard.store.find_open_call(run, question, report.call_id)
    asked = arguments if call is None else Arguments.of_action(call.asked_action)
    outcome = guard.fingerprinter.outcome(report.tool, asked, result, error)
    if outcome is None:
        return _verdict_afterwards(guard, run, call), compaction.state(guard, run)
    if call is not None:
        settings = guard.settings(run)
        if guard.looks_beyond(settings) and call.state != CallState.BLOCKED:
            further.note_outcome(guard, run, settings, call.seq, call.effect, report, outcome, result, error)
        return _attach(guard, run, call, question.tool, outcome, duration_ms, now)
    if report.once and report.call_id is not None:
        known = guard.store.find_reported_call(
            run, report.tool, report.call_id, outcome.fingerprint, REPORTED_AGAIN_WITHIN
        )
        if known is not None:
            return _verdict_afterwards(guard, run, known), compaction.state(guard, run)
    return _unreported(guard, report, run, question, arguments, outcome, duration_ms, now, result, error)


def _verdict_afterwards(guard: Guard, run: RunRow, call: OpenCall | None) -> Verdict:
    """The run's abort, or the warning that the call was answered with before it ran, or nothing."""
    seq = None if call is None else call.seq
    if run.abort_detection_id is not None:
        return guard.repeated_abort(seq, run.abort_detection_id)
    if call is not None and call.detection_id is not None:
        verdict = guard.repeated(seq, call.detection_id)
        if verdict.meant is Action.WARN:
            return verdict
    return Verdict(Action.ALLOW, seq)


def _attach(
    guard: Guard,
    run: RunRow,
    call: OpenCall,
    tool: str,
    outcome: Outcome,
    duration_ms: int | None,
    now: int,
) -> tuple[Verdict, CompactionGuard]:
    """Give an open call its outcome; that of a blocked attempt is neither progress nor a new call."""
    verdict = _verdict_afterwards(guard, run, call)
    blocked = call.state == CallState.BLOCKED
    counts = not blocked and call.seq > run.reset_seq
    marker_id = compaction.armed_marker(guard, run) if counts else None
    guard.store.attach_outcome(
        run,
        call.seq,
        state=CallState.BLOCKED_REPORTED if blocked else _state(outcome),
        outcome=None if blocked else outcome.fingerprint,
        missing_tool=None if blocked else outcome.missing_tool,
        guard_marker_id=marker_id,
        duration_ms=duration_ms,
    )
    if marker_id is None:
        return verdict, compaction.state(guard, run)
    return compaction.use_attempt(guard, run, marker_id, tool, call.signature, outcome, verdict, now)


def _unreported(
    guard: Guard,
    report: Report,
    run: RunRow,
    question: Question,
    arguments: Arguments,
    outcome: Outcome,
    duration_ms: int | None,
    now: int,
    result: bytes | None,
    error: bytes | None,
) -> tuple[Verdict, CompactionGuard]:
    """Judge as `before` would have, then record the call with its outcome; it cannot be blocked any more."""
    settings = guard.settings(run)
    detection_id, _missing, verdict = _judge(guard, run, settings, question, now, has_run=True)
    marker_id = compaction.armed_marker(guard, run)
    call = _new_call(
        guard,
        report,
        run,
        question,
        arguments,
        state=_state(outcome),
        missing_tool=outcome.missing_tool,
        detection_id=detection_id,
        now=now,
    )
    guard.store.insert_call(
        call._replace(outcome=outcome.fingerprint, guard_marker_id=marker_id, duration_ms=duration_ms)
    )
    if guard.looks_beyond(settings):
        effect = further.note_call(guard, run, settings, call.seq, report.tool, arguments)
        further.note_outcome(guard, run, settings, call.seq, effect, report, outcome, result, error)
    if marker_id is None:
        return verdict, compaction.state(guard, run)
    return compaction.use_attempt(
        guard, run, marker_id, question.tool, question.signature, outcome, verdict, now
    )


def _state(outcome: Outcome) -> CallState:
    return CallState.ERROR if outcome.failed else CallState.OK


def _new_call(
    guard: Guard,
    report: Report,
    run: RunRow,
    question: Question,
    arguments: Arguments,
    *,
    state: CallState,
    missing_tool: str | None,
    detection_id: int | None,
    now: int,
) -> NewCall:
    return NewCall(
        run_id=run.id,
        seq=run.newest_seq + 1,
        tool=report.tool,
        signature=question.signature,
        fingerprint_version=VERSION,
        call_id=report.call_id,
        state=state,
        outcome=None,
        missing_tool=missing_tool,
        detection_id=detection_id,
        guard_marker_id=None,
        preview=preview(arguments) if guard.keeps_previews else None,
        at=now,
        duration_ms=None,
        asked_action=guard.fingerprinter.asked_action(report.tool, arguments),
    )
