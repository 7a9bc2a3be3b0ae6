"""The rolling detectors in their order, and what follows a block (detection.md)."""

from collections.abc import Mapping
from dataclasses import replace

from guardd.config import LoopSettings
from guardd.detect import (
    argument_churn,
    cycle,
    error_cascade,
    generic_repeat,
    global_circuit_breaker,
    identical_mutation,
    known_poll_no_progress,
    ping_pong,
    same_error,
    unknown_tool_repeat,
)
from guardd.detect.detection import Detection, Question, RollingRule, Rule, critical
from guardd.detect.figures import Figures
from guardd.vocabulary import Action, CallState

RULES: tuple[RollingRule, ...] = (
    unknown_tool_repeat,
    global_circuit_breaker,
    known_poll_no_progress,
    ping_pong,
    generic_repeat,
)
FURTHER_RULES: tuple[Rule, ...] = (cycle, identical_mutation, same_error, error_cascade)
"""Beyond the documented ones, after them; their figures are counted only where one of them is on."""
_IN_ORDER: tuple[Rule, ...] = (*RULES[:-1], argument_churn, RULES[-1], *FURTHER_RULES)
"""All; what is counted for `argument_churn`, which comes before the repeats, only one profile counts."""
RULE_OF: Mapping[str, Rule] = {str(rule.DETECTOR): rule for rule in _IN_ORDER}
"""Each rule by its name."""
_BLOCKED = (CallState.BLOCKED, CallState.BLOCKED_REPORTED)


def judge(question: Question, figures: Figures, settings: LoopSettings) -> Detection | None:
    """The first rule that matches, or None; a straight retry of a blocked attempt comes before all."""
    if not settings.enabled:
        return None
    retry = _straight_retry(question, figures, settings)
    if retry is not None:
        return retry
    for rule in _IN_ORDER:
        detection = rule.judge(question, figures, settings)
        if detection is not None:
            return detection
    return None


def _straight_retry(question: Question, figures: Figures, settings: LoopSettings) -> Detection | None:
    """The blocking rule's verdict again, one higher, as long as its threshold and switch still say so."""
    if figures.newest_signature != question.signature or figures.newest_state not in _BLOCKED:
        return None
    rule = RULE_OF.get(figures.newest_detector or "")
    if rule is None or not rule.is_on(settings):
        return None
    count = (figures.newest_count or 0) + 1
    if count < rule.threshold(settings):
        return None
    return critical(
        rule.DETECTOR,
        question,
        settings,
        count=count,
        threshold=rule.threshold(settings),
        warning_key=figures.newest_warning_key or "",
        follows_block=True,
        paired_tool=figures.newest_paired_tool,
    )


def after_the_fact(detection: Detection, settings: LoopSettings) -> Detection:
    """The same finding for a call that has already run, so that it cannot be blocked any more.

    detection.md, "After a call": a block is answered as a warning, or as an abort when its count has reached
    the circuit breaker's threshold.
    """
    if detection.action is not Action.BLOCK:
        return detection
    breaker = settings.global_circuit_breaker_threshold
    if detection.count >= breaker:
        return replace(detection, action=Action.ABORT, threshold=breaker)
    return replace(detection, action=Action.WARN)
