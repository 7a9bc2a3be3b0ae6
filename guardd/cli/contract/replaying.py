"""What `guardctl replay` and `guardctl export` print."""

from typing import Literal, NotRequired, TypedDict

from guardd.protocol.gateway_methods import ActionWord
from guardd.protocol.operator_results import CallStateWord, Time
from guardd.replay.turns import Skip
from guardd.vocabulary import Detector, Level, MarkerKind, RunStatus


class Detection(TypedDict):
    """A detection in a replayed transcript.

    Attributes:
        turn: The id of its turn.
        seq: The call's number in the turn, or in the run that was exported.
        action: What would have been answered.
        detector: The rule that matched.
        level: How sure it is.
        count: How many it counted.
        threshold: The threshold that was reached.
        toolName: The call's tool.
        pairedToolName: The other tool of a ping-pong; null with every other rule.
        notify: Whether the model would have been shown it.
        message: What the model would have been told.
    """

    turn: str
    seq: int
    action: ActionWord
    detector: Detector
    level: Level
    count: int
    threshold: int
    toolName: str
    pairedToolName: str | None
    notify: bool
    message: str


class ReplayedFile(TypedDict):
    """What was found in one transcript, by one configuration.

    Attributes:
        config: With ``--compare``: which configuration, as it was named.
        file: The file, as it was named.
        format: What it is; null where it is no transcript that is known.
        turns: Turns that hold calls.
        calls: Their calls.
        stopped: How many of these guardd itself had blocked or refused when they were recorded: what they would
            have brought is not known.
        skipped: How many entries could not be read.
        skippedBecause: Why they could not, and how many for each reason.
        actions: How many calls would have been answered with each action.
        detections: Every detection, in order; the calls after an abort get no new one.
    """

    config: NotRequired[str]
    file: str
    format: str | None
    turns: int
    calls: int
    stopped: int
    skipped: int
    skippedBecause: dict[Skip, int]
    actions: dict[ActionWord, int]
    detections: list[Detection]


class Replay(TypedDict):
    """What guardd would have said.

    Attributes:
        files: One for each file, and with ``--compare`` two.
    """

    files: list[ReplayedFile]


class ExportedRun(TypedDict):
    """The line of an export that says which run the lines after it are of.

    Attributes:
        format: ``guardd-export``.
        version: The version of the form.
        run: The run's name.
        source: The kind of gateway.
        agentId: The last known agent; null where none was named.
        status: How it stood.
        startedAt: When it began.
        lastActivityAt: When something last happened in it.
    """

    format: Literal["guardd-export"]
    version: int
    run: str
    source: str
    agentId: str | None
    status: RunStatus
    startedAt: Time
    lastActivityAt: Time


class ExportedCall(TypedDict):
    """The line of a call in an export: a `Call` without what can be read of its arguments.

    Attributes:
        seq: Its number in the run, from 1.
        toolName: Its tool.
        toolCallId: The provider's id; null where none was given.
        state: Whether its outcome is known, and what it was.
        action: What was answered.
        detector: The rule that matched; null where none did.
        count: What that rule counted; null where none matched.
        at: When it was asked for.
        durationMs: How long it took, in milliseconds; null where nobody said.
        signature: Equal for equal calls of this database.
        outcome: Equal for equal outcomes of this database; null while there is none, and of a blocked attempt.
        missingTool: The tool that the outcome said does not exist; null where it said nothing like that.
        isPoll: Its tool and arguments make it a known poll; tools that the configuration adds aside.
        maskedOutcome: Where it differs from the outcome: equal for outcomes that are equal but for what varies by
            itself. Kept where `volatileText` or `sameError` is on.
        changes: True where it changes something, if it succeeds. Kept where `detectors.progressReset` is on.
        failure: Of a command that failed: equal for those that failed alike. Kept by the profile `openclaw-2026.9`.
        unchanged: True of a write that has changed nothing. Kept by the profile `openclaw-2026.9`.
        beside: The number of the first of the calls that were under way when it began; absent where none was. Kept
            where `detectors.sameError` is on.
        wouldBe: When it was observed: the action that enforcing would have answered.
    """

    seq: int
    toolName: str
    toolCallId: str | None
    state: CallStateWord
    action: ActionWord
    detector: Detector | None
    count: int | None
    at: Time
    durationMs: int | None
    signature: str
    outcome: str | None
    missingTool: str | None
    isPoll: bool
    maskedOutcome: NotRequired[str]
    changes: NotRequired[bool]
    failure: NotRequired[str]
    unchanged: NotRequired[bool]
    beside: NotRequired[int]
    wouldBe: NotRequired[ActionWord]


class ExportedMarker(TypedDict):
    """The line of something that happened between calls.

    Attributes:
        marker: What happened.
        afterSeq: The number of the call before it; 0 before the first.
        armed: Whether it armed the post-compaction guard.
        windowSize: For how many outcomes it armed the guard; null where it did not.
        reason: Why it happened; null where nobody said.
        at: When it happened.
    """

    marker: MarkerKind
    afterSeq: int
    armed: bool
    windowSize: int | None
    reason: str | None
    at: Time
