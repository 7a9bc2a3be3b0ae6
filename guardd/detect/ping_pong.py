"""Rule 4: two calls in turn, A, B, A, B … (detection.md; openclaw issue 112479)."""

from collections.abc import Mapping

from sqlalchemy import ColumnElement, FromClause, case, not_

from guardd.config import LoopSettings
from guardd.detect import generic_repeat
from guardd.detect.detection import Detection, Question, critical, warning
from guardd.detect.figures import Figures
from guardd.detect.window import NEWEST, SIGNATURE, compared, how_many, is_blocked, is_break, of_newest
from guardd.store.schema import calls
from guardd.vocabulary import Action, CallState, Detector, Level

DETECTOR = Detector.PING_PONG

MESSAGES = {
    Action.WARN: "You have been alternating between the same two calls ({tool} and {paired}) for {count} calls. If "
    "that does not bring you further, change one of them, or decide on another approach.",
    Action.BLOCK: "Blocked: the same two calls ({tool} and {paired}) have alternated for {count} calls, with the same "
    "outcomes each time. Repeating either cannot help: take another approach, or say what keeps you.",
    Action.ABORT: "This run was stopped: the same two calls ({tool} and {paired}) alternated for {count} calls.",
}

_is_newest_side = (NEWEST - calls.c.seq) % 2 == 0
_expected_signature = case((_is_newest_side, of_newest("signature")), else_=SIGNATURE)
_expected_outcome = case((_is_newest_side, of_newest("other_outcome")), else_=of_newest("own_outcome"))

LOOKS_AT = of_newest("alternates")
MARKS = {
    # An unknown outcome is no proof; a blocked attempt has none and is proven all the same.
    "is_doubt": (calls.c.state == CallState.PENDING.value) | (compared != _expected_outcome),
}
BREAKS = {"tail_breaks": is_break(not_(of_newest("alternates")) | (calls.c.signature != _expected_signature))}


def counts(rows: FromClause) -> Mapping[str, ColumnElement[int]]:
    """The tail in which the newest call and the one in question alternate, walking back."""
    unbroken = counted(rows, Level.CRITICAL)
    return {
        "tail": how_many(unbroken),
        "tail_doubts": how_many(unbroken, rows.c.is_doubt),
        "tail_blocked": how_many(unbroken, is_blocked(rows)),
    }


def counted(rows: FromClause, _level: Level) -> ColumnElement[bool]:
    """Whether a row is one of the tail, to which the call in question is added."""
    return rows.c.tail_breaks == 0


def threshold(settings: LoopSettings) -> int:
    """The count that is critical, given proof."""
    return settings.critical_threshold


def is_on(settings: LoopSettings) -> bool:
    """As `detectors.pingPong` says."""
    return settings.ping_pong


def judge(question: Question, figures: Figures, settings: LoopSettings) -> Detection | None:
    """Judge the alternation that the call in question would continue, itself included."""
    other = figures.newest_signature
    if not is_on(settings) or other is None or figures.tail == 0:
        return None
    count = figures.tail + 1
    if count < settings.warning_threshold:
        return None
    warning_key = ":".join((DETECTOR, *sorted((question.signature.hex(), other.hex()))))
    if count >= settings.critical_threshold and figures.tail_doubts == 0:
        return critical(
            DETECTOR,
            question,
            settings,
            count=count,
            threshold=settings.critical_threshold,
            warning_key=warning_key,
            follows_block=figures.tail_blocked > 0,
            paired_tool=figures.newest_tool,
        )
    if _hides_a_blocked_loop(question, figures, settings):
        return None
    return warning(
        DETECTOR,
        question,
        count=count,
        threshold=settings.warning_threshold,
        warning_key=warning_key,
        paired_tool=figures.newest_tool,
    )


def _hides_a_blocked_loop(question: Question, figures: Figures, settings: LoopSettings) -> bool:
    """Whether a warning here would let a loop through that was blocked before: then rule 5 comes first."""
    return figures.no_progress_blocked > 0 and generic_repeat.is_critical(question, figures, settings)
