"""What a count is one of, in words for an operator."""

from guardd.detect import failures
from guardd.detect.detection import Detection
from guardd.detect.messages import shown_name
from guardd.vocabulary import Detector, Level


def what_is_counted(found: Detection) -> str:
    """The count of a finding with what it counts, as it follows on "counted"."""
    calls, tool = many(found.count, "call", "calls"), shown_name(found.tool)
    if failures.is_warning_key(found.warning_key):
        return (
            f"{calls} of {tool} in a row that failed alike, whatever was run (times, attempts, durations and process "
            "ids aside)"
        )
    outcomes = (
        " and the same outcome each time" if found.level is Level.CRITICAL else ", whatever came of them"
    )
    return {
        Detector.UNKNOWN_TOOL_REPEAT: f"{calls} in a row of a tool that does not exist",
        Detector.GLOBAL_CIRCUIT_BREAKER: f"{calls} with the same arguments and the same outcome each time",
        Detector.KNOWN_POLL_NO_PROGRESS: f"{calls} that polled and saw no change",
        Detector.PING_PONG: (
            f"{calls} in which {tool} and {shown_name(found.paired_tool or '')} took turns, this one included"
        ),
        Detector.GENERIC_REPEAT: f"{calls} with the same arguments{outcomes}",
        Detector.CYCLE: (
            f"{many(found.count, 'round', 'rounds')} of the same calls in the same order with the same outcomes, this "
            "call included"
        ),
        Detector.IDENTICAL_MUTATION: f"{calls} in a row that make the same edit, this one included",
        Detector.SAME_ERROR: (
            f"{many(found.count, 'failure', 'failures')} in a row of {tool} with the same error, in different variants "
            "(calls side by side are one)"
        ),
        Detector.ERROR_CASCADE: f"{many(found.count, 'error', 'errors')} in a row (calls side by side are one)",
        Detector.ARGUMENT_CHURN: (
            f"{calls} in a row of a few kinds of {tool}, this call's among them, all with the same outcome"
        ),
        Detector.COMPACTION_LOOP_PERSISTED: (
            f"{calls} since the context was compacted with the same arguments and the same outcome"
        ),
    }[found.detector]


def many(count: int, one: str, several: str) -> str:
    """A count and its word, in the singular or the plural."""
    return f"{count} {one if count == 1 else several}"
