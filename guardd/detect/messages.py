"""The words that go with a verdict, written for the model: what it repeated, how often, and what to do instead.

They never hold arguments or results. A tool's name comes from the model, so it is shown as one short printable
word and cannot break out of its sentence.
"""

from collections.abc import Mapping

from guardd.detect import (
    argument_churn,
    compaction_loop_persisted,
    cycle,
    error_cascade,
    failures,
    generic_repeat,
    global_circuit_breaker,
    identical_mutation,
    known_poll_no_progress,
    operator,
    ping_pong,
    same_error,
    unknown_tool_repeat,
)
from guardd.detect.detection import Detection
from guardd.vocabulary import Action, Detector

LONGEST_NAME = 80
_QUOTE = "`"

_MESSAGES: Mapping[Detector, Mapping[Action, str]] = {
    module.DETECTOR: module.MESSAGES
    for module in (
        unknown_tool_repeat,
        global_circuit_breaker,
        known_poll_no_progress,
        ping_pong,
        generic_repeat,
        cycle,
        identical_mutation,
        same_error,
        error_cascade,
        argument_churn,
        compaction_loop_persisted,
        operator,
    )
}


def message(detection: Detection) -> str:
    """The detection's message."""
    across = failures.is_warning_key(detection.warning_key)
    messages = failures.MESSAGES if across else _MESSAGES[detection.detector]
    return messages[detection.action].format(
        tool=shown_name(detection.tool),
        paired=shown_name(detection.paired_tool or ""),
        count=detection.count,
        reason=f": {detection.reason}" if detection.reason else "",
    )


def shown_name(name: str) -> str:
    """A tool's name as one short printable word in quotes."""
    printable = "".join(
        letter if letter.isprintable() and letter != _QUOTE else "\N{REPLACEMENT CHARACTER}"
        for letter in name
    )
    if len(printable) > LONGEST_NAME:
        printable = f"{printable[: LONGEST_NAME - 1]}…"
    return f"{_QUOTE}{printable}{_QUOTE}"
