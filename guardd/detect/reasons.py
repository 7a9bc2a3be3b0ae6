"""Why a verdict was what it was, in words for an operator: what was counted, against what, and what else could be.

What another setting would have said is not guessed: the rules judge the same figures again, with that setting.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

from guardd.config import LoopSettings
from guardd.detect.detection import Detection, Question
from guardd.detect.figures import Figures
from guardd.detect.messages import shown_name
from guardd.detect.rules import after_the_fact, judge
from guardd.detect.wording import many, what_is_counted
from guardd.vocabulary import Action, Detector, Level

WARNING = "warningThreshold"
CRITICAL = "criticalThreshold"
UNKNOWN = "unknownToolThreshold"
BREAKER = "globalCircuitBreakerThreshold"
HISTORY = "historySize"
WINDOW = "postCompactionGuard.windowSize"

CYCLE_WARNING = "cycle.warning"
CYCLE_CRITICAL = "cycle.critical"
MUTATION_WARNING = "identicalMutation.warning"
MUTATION_CRITICAL = "identicalMutation.critical"
ERROR_WARNING = "sameError.warning"
ERROR_CRITICAL = "sameError.critical"
CASCADE_WARNING = "errorCascade.warning"

_ROLLING = (WARNING, CRITICAL, BREAKER, HISTORY)
THRESHOLDS: Mapping[Detector | None, tuple[str, ...]] = {
    Detector.UNKNOWN_TOOL_REPEAT: (UNKNOWN, BREAKER, HISTORY),
    Detector.GLOBAL_CIRCUIT_BREAKER: (BREAKER, HISTORY),
    Detector.KNOWN_POLL_NO_PROGRESS: _ROLLING,
    Detector.PING_PONG: _ROLLING,
    Detector.GENERIC_REPEAT: _ROLLING,
    Detector.CYCLE: (CYCLE_WARNING, CYCLE_CRITICAL, BREAKER, HISTORY),
    Detector.IDENTICAL_MUTATION: (MUTATION_WARNING, MUTATION_CRITICAL, BREAKER, HISTORY),
    Detector.SAME_ERROR: (ERROR_WARNING, ERROR_CRITICAL, BREAKER, HISTORY),
    Detector.ERROR_CASCADE: (CASCADE_WARNING, HISTORY),
    Detector.ARGUMENT_CHURN: (WARNING, HISTORY),
    Detector.COMPACTION_LOOP_PERSISTED: (WINDOW,),
    Detector.OPERATOR: (),
    None: (WARNING, CRITICAL, UNKNOWN, BREAKER, HISTORY, WINDOW),
}
"""The settings that decide what a detector says; of None, where nothing was found."""

_FIELDS = {
    WARNING: "warning_threshold",
    CRITICAL: "critical_threshold",
    UNKNOWN: "unknown_tool_threshold",
    BREAKER: "global_circuit_breaker_threshold",
    CYCLE_WARNING: "cycle_warning",
    CYCLE_CRITICAL: "cycle_critical",
    MUTATION_WARNING: "mutation_warning",
    MUTATION_CRITICAL: "mutation_critical",
    ERROR_WARNING: "same_error_warning",
    ERROR_CRITICAL: "same_error_critical",
    CASCADE_WARNING: "cascade_warning",
}
_SWITCHES = {
    Detector.KNOWN_POLL_NO_PROGRESS: ("detectors.knownPollNoProgress", "known_poll_no_progress"),
    Detector.PING_PONG: ("detectors.pingPong", "ping_pong"),
    Detector.GENERIC_REPEAT: ("detectors.genericRepeat", "generic_repeat"),
    Detector.CYCLE: ("detectors.cycle", "cycle"),
    Detector.IDENTICAL_MUTATION: ("detectors.identicalMutation", "identical_mutation"),
    Detector.SAME_ERROR: ("detectors.sameError", "same_error"),
    Detector.ERROR_CASCADE: ("detectors.sameError", "same_error"),
}
_LEVELS = {
    Detector.CYCLE: (CYCLE_WARNING, CYCLE_CRITICAL),
    Detector.IDENTICAL_MUTATION: (MUTATION_WARNING, MUTATION_CRITICAL),
    Detector.SAME_ERROR: (ERROR_WARNING, ERROR_CRITICAL),
    Detector.ERROR_CASCADE: (CASCADE_WARNING, CASCADE_WARNING),
}
_COUNTED_TOGETHER = (Detector.CYCLE, Detector.SAME_ERROR, Detector.ERROR_CASCADE)
"""Their counts are of several calls each."""
_ANSWERED = {
    Action.ALLOW: "let through",
    Action.WARN: "let through with a warning",
    Action.BLOCK: "blocked",
    Action.ABORT: "answered with abort",
}
_MOST_RANGES = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """What is known of how a verdict came about.

    Attributes:
        seq: the call that was judged.
        question: that call, as the detectors saw it.
        figures: of the window before it, as long as the settings have it.
        detection: what was found, if anything.
        observed: it was only observed.
        counted: the calls that were counted, in order.
        has_run: it was judged when it was reported afterwards.
        retried: of a straight retry, the first attempt that was blocked.
        guarded: of a call that the post-compaction guard compares: how often its triple was seen, and the window.
    """

    seq: int
    question: Question
    figures: Figures
    detection: Detection | None = None
    observed: bool = False
    counted: Sequence[int] = ()
    has_run: bool = False
    retried: int | None = None
    guarded: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class Configured:
    """The configuration of the run's agent.

    Attributes:
        settings: as the detectors take it.
        values: `{"value", "origin"}` by the key in `tools.loopDetection`.
    """

    settings: LoopSettings
    values: Mapping[str, Mapping[str, Any]]

    def shown(self, name: str) -> str:
        """A setting in words: its value and where that was set."""
        value = self.values[name]["value"]
        plain = "unset" if value is None else str(value).lower() if isinstance(value, bool) else value
        return f"{name} is {plain} ({self.values[name]['origin']})"


def explain(evidence: Evidence, configured: Configured) -> str:
    """The reasons, a paragraph a line."""
    if evidence.detection is None:
        return "\n".join(_why_allowed(evidence, configured))
    return "\n".join(_why_found(evidence, evidence.detection, configured))


def ranges(numbers: Sequence[int]) -> str:
    """Ascending numbers in short: `1-3, 7`."""
    if not numbers:
        return "none"
    starts = [numbers[0], *(after for before, after in pairwise(numbers) if after != before + 1)]
    ends = [*(before for before, after in pairwise(numbers) if after != before + 1), numbers[-1]]
    parts = [
        str(start) if start == end else f"{start}-{end}" for start, end in zip(starts, ends, strict=True)
    ]
    if len(parts) <= _MOST_RANGES:
        return ", ".join(parts)
    half = _MOST_RANGES // 2
    return f"{', '.join(parts[:half])} … {', '.join(parts[-half:])}"


# Something was found


def _why_found(evidence: Evidence, found: Detection, configured: Configured) -> Iterator[str]:
    call = f"Call {evidence.seq}, {shown_name(evidence.question.tool)},"
    if evidence.observed:
        yield (
            f"{call} was let through because guardd only observed; "
            f"it would have been {_ANSWERED[found.action]}."
        )
    else:
        yield f"{call} was {_ANSWERED[found.action]}."
    yield _what_was_counted(evidence, found)
    yield _which_threshold(found, configured)
    if found.detector is Detector.COMPACTION_LOOP_PERSISTED:
        yield "A larger window would have waited for more outcomes before it judged."
        return
    if evidence.has_run:
        yield "It had run already when it was reported, and could not be blocked any more."
    yield from _what_else(evidence, found, configured.settings)


def _what_was_counted(evidence: Evidence, found: Detection) -> str:
    text = f"{found.detector} counted {what_is_counted(found)}: {ranges(evidence.counted)}."
    if len(evidence.counted) < found.count and found.detector not in _COUNTED_TOGETHER:
        text += (
            f" Only {len(evidence.counted)} of them can still be told: since then calls were pruned, or an outcome "
            "came, or the configuration changed."
        )
    if evidence.retried is not None:
        text += (
            f" Call {evidence.retried} was blocked first, and every retry of it in a row counts as one more, "
            "whatever else has changed."
        )
    return text


def _which_threshold(found: Detection, configured: Configured) -> str:
    name = _threshold_of(found)
    today = configured.values[name]["value"]
    if found.detector is Detector.COMPACTION_LOOP_PERSISTED:
        text = f"The guard was armed for {found.threshold} outcomes, and all that it needed were alike."
    else:
        text = f"That reached {name}, {found.threshold}"
    if today == found.threshold:
        return (
            f"{text} {configured.shown(name)}."
            if text.endswith(".")
            else f"{text} ({_origin(configured, name)})."
        )
    return f"{text.rstrip('.')}. The configuration has changed since: {configured.shown(name)} now."


def _origin(configured: Configured, name: str) -> str:
    origin = configured.values[name]["origin"]
    return "the default" if origin == "default" else f"set in {origin}"


def _threshold_of(found: Detection) -> str:
    if found.detector is Detector.COMPACTION_LOOP_PERSISTED:
        return WINDOW
    if found.action is Action.ABORT:
        return BREAKER
    if found.detector is Detector.UNKNOWN_TOOL_REPEAT:
        return UNKNOWN
    warning, critical = _LEVELS.get(found.detector, (WARNING, CRITICAL))
    return warning if found.level is Level.WARNING else critical


def _what_else(evidence: Evidence, found: Detection, settings: LoopSettings) -> Iterator[str]:
    """What other settings would have said, if today's still say the same."""
    now = _judged(evidence, settings)
    if now is None or (now.detector, now.action) != (found.detector, found.action):
        yield f"By today's configuration, and what is known of the outcomes now, it would be {_said(now)}."
        return
    name = _threshold_of(found)
    raised = _judged(evidence, _with(settings, name, found.count + 1))
    yield f"With {name} at {found.count + 1} or more it would have been {_said(raised)}."
    if found.level is Level.WARNING and evidence.figures.no_progress > settings.warning_threshold:
        lowered = _with(settings, CRITICAL, evidence.figures.no_progress)
        yield (
            f"With {CRITICAL} at {lowered.critical_threshold} it would have been "
            f"{_said(_judged(evidence, lowered))}."
        )
    if found.detector in _SWITCHES:
        key, attribute = _SWITCHES[found.detector]
        switched_off: dict[str, Any] = {attribute: False}
        off = _judged(evidence, replace(settings, **switched_off))
        yield f"With {key} switched off it would have been {_said(off)}."


def _judged(evidence: Evidence, settings: LoopSettings) -> Detection | None:
    """What the rules say of the same figures by these settings."""
    found = judge(evidence.question, evidence.figures, settings)
    return after_the_fact(found, settings) if found is not None and evidence.has_run else found


def _said(found: Detection | None) -> str:
    if found is None:
        return _ANSWERED[Action.ALLOW]
    return f"{_ANSWERED[found.action]} by {found.detector} (it counts {found.count})"


def _with(settings: LoopSettings, name: str, value: int) -> LoopSettings:
    """The settings with one changed, the thresholds above it raised as a file's would be."""
    change: dict[str, Any] = {_FIELDS[name]: value}
    changed = replace(settings, **change)
    critical = max(changed.critical_threshold, changed.warning_threshold + 1)
    breaker = max(changed.global_circuit_breaker_threshold, critical + 1)
    return replace(changed, critical_threshold=critical, global_circuit_breaker_threshold=breaker)


# Nothing was found


def _why_allowed(evidence: Evidence, configured: Configured) -> Iterator[str]:
    call = f"Call {evidence.seq}, {shown_name(evidence.question.tool)},"
    settings = configured.settings
    if settings.enabled:
        yield f"{call} was let through: no detector had reached its threshold."
    else:
        yield f"{call} was let through without a look by the rolling detectors: {configured.shown('enabled')}."
    yield from _distances(evidence, settings)
    if evidence.guarded is not None:
        seen, window = evidence.guarded
        yield f"{Detector.COMPACTION_LOOP_PERSISTED}: {seen} of {window} since the compaction, this one included."
    now = judge(evidence.question, evidence.figures, settings)
    if now is not None:
        yield f"By today's configuration, and what is known of the outcomes now, it would be {_said(now)}."
        return
    yield from _what_would_have_warned(evidence, settings)


def _distances(evidence: Evidence, settings: LoopSettings) -> Iterator[str]:
    """How far each rolling detector was from its threshold."""
    figures, question = evidence.figures, evidence.question
    warns, stops = f"{WARNING} {settings.warning_threshold}", f"{CRITICAL} {settings.critical_threshold}"
    yield (
        f"{Detector.UNKNOWN_TOOL_REPEAT}: {many(figures.unknown_streak, 'miss', 'misses')} in a row, "
        f"of {UNKNOWN} {settings.unknown_tool_threshold}."
    )
    yield (
        f"{Detector.GLOBAL_CIRCUIT_BREAKER}: {many(figures.streak, 'call', 'calls')} without progress, "
        f"of {BREAKER} {settings.global_circuit_breaker_threshold}."
    )
    counted = {
        Detector.KNOWN_POLL_NO_PROGRESS: (
            f"{many(figures.streak, 'poll', 'polls')} without a change, of {warns} and {stops}"
            if question.is_poll
            else "it is no poll"
        ),
        Detector.PING_PONG: (
            f"{figures.tail + 1} calls in turn, of {warns} and {stops}"
            if figures.tail
            else "it continues no alternation"
        ),
        Detector.GENERIC_REPEAT: (
            "not for a poll"
            if question.is_poll
            else f"{many(figures.repeats, 'earlier call', 'earlier calls')} with the same arguments, of {warns}; "
            f"{figures.streak} of them without progress, of {stops}"
        ),
    }
    for detector, text in counted.items():
        key, attribute = _SWITCHES[detector]
        yield f"{detector}: {text}." if getattr(settings, attribute) else f"{detector}: off, by {key}."
    if figures.fails_across:
        failed = many(figures.across.failures, "call", "calls")
        yield f"Of the same tool, {failed} in a row failed alike, whatever was run, of {stops}."
    if figures.across.churned:
        churned = many(figures.across.churned, "call", "calls")
        yield f"{Detector.ARGUMENT_CHURN}: {churned} in a row of a few kinds, of {warns}."


def _what_would_have_warned(evidence: Evidence, settings: LoopSettings) -> Iterator[str]:
    """What it would take for a warning, if anything does: detection switched on, or a lower threshold."""
    figures = evidence.figures
    on = replace(settings, enabled=True)
    switched_on = judge(evidence.question, figures, on)
    if switched_on is not None:
        yield f"With enabled: true it would have been {_said(switched_on)}."
        return
    counted = {figures.repeats, figures.streak, figures.tail + 1, figures.across.churned}
    for value in sorted(counted, reverse=True):
        found = judge(evidence.question, figures, replace(on, warning_threshold=value)) if value else None
        if found is not None:
            also = "" if settings.enabled else "enabled: true and "
            least = "" if value == 1 else " or less"
            yield f"With {also}{WARNING} at {value}{least} it would have been {_ANSWERED[found.action]}."
            return
    yield "No threshold would have made it a repetition: it repeats nothing in the window."
