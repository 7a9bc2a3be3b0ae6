"""What `guardctl tune` prints with `--json`."""

from typing import Literal, NotRequired, TypedDict

from guardd.replay.turns import Skip
from guardd.vocabulary import Detector


class Thresholds(TypedDict):
    """Thresholds, by their keys in ``tools.loopDetection``.

    Attributes:
        warningThreshold: From how many repetitions on the model is warned.
        criticalThreshold: From how many on the call is blocked.
        globalCircuitBreakerThreshold: From how many on the run is aborted.
    """

    warningThreshold: int
    criticalThreshold: int
    globalCircuitBreakerThreshold: int


class PresentThresholds(TypedDict):
    """The thresholds that the candidates of a `Tuning` are compared with.

    Attributes:
        warningThreshold: From how many repetitions on the model is warned.
        criticalThreshold: From how many on the call is blocked.
        globalCircuitBreakerThreshold: From how many on the run is aborted.
        historySize: How many of a run's newest calls are looked at.
        known: Whether somebody's settings are meant; else the defaults.
    """

    warningThreshold: int
    criticalThreshold: int
    globalCircuitBreakerThreshold: int
    historySize: int
    known: bool


class Effect(TypedDict):
    """How often a `Candidate` would have done one thing, and what came afterwards.

    Attributes:
        runs: Runs to which it would have happened.
        calls: Calls to which it would have happened; of an abort, those from it to the run's end.
        progress: Runs that made progress later: a false alarm.
        stuck: Runs that did not.
        cutShort: Runs that guardd itself blocked or ended: what would have come is not known.
    """

    runs: int
    calls: int
    progress: int
    stuck: int
    cutShort: int


class FirstVerdict(TypedDict):
    """The first warning, block or abort of a `ConcernedRun`.

    Attributes:
        seq: The call's number in the run.
        detector: The rule that would have matched.
        toolName: The call's tool.
        count: How many it would have counted.
        afterwards: What really came afterwards.
    """

    seq: int
    detector: Detector
    toolName: str
    count: int
    afterwards: Literal["progress", "stuck", "cutShort"]


class ConcernedRun(TypedDict):
    """A run that a `Candidate` would have warned or stopped.

    Attributes:
        run: The run's name, where a daemon or a database was asked.
        source: The kind of gateway, likewise.
        file: The transcript, where files were read.
        turn: The id of the turn, likewise.
        warned: Its first warning; null where there would have been none.
        blocked: Its first block, or an abort without one; null likewise.
        aborted: Its abort; null likewise.
    """

    run: NotRequired[str]
    source: NotRequired[str]
    file: NotRequired[str]
    turn: NotRequired[str]
    warned: FirstVerdict | None
    blocked: FirstVerdict | None
    aborted: FirstVerdict | None


class Candidate(TypedDict):
    """What some thresholds would have done.

    Attributes:
        warningThreshold: From how many repetitions on the model is warned.
        criticalThreshold: From how many on the call is blocked.
        globalCircuitBreakerThreshold: From how many on the run is aborted.
        warned: Runs with a warning, and calls answered so.
        blocked: Runs with a block or an abort, and calls answered so.
        aborted: Runs with an abort, and calls that would not have been made after it.
        concerned: The runs that would have been warned or stopped, in the order of the history.
        isPresent: Whether these are the present thresholds.
    """

    warningThreshold: int
    criticalThreshold: int
    globalCircuitBreakerThreshold: int
    warned: Effect
    blocked: Effect
    aborted: Effect
    concerned: list[ConcernedRun]
    isPresent: bool


class Unread(TypedDict):
    """What of the history was not judged.

    Attributes:
        olderRuns: Whether there are older runs than the limit lets in.
        runsWithoutCalls: Runs that hold no call.
        deletedRuns: Runs that were deleted meanwhile.
        incompleteRuns: Runs that were judged, but whose first calls are not kept any more.
        runsOfOtherAgents: Turns of an export that are another agent's.
        skipped: How many entries of files could not be read.
        skippedBecause: Why they could not, and how many for each reason.
        unknownFiles: Files that are no transcripts.
    """

    olderRuns: bool
    runsWithoutCalls: int
    deletedRuns: int
    incompleteRuns: int
    runsOfOtherAgents: int
    skipped: int
    skippedBecause: dict[Skip, int]
    unknownFiles: list[str]


class Tuning(TypedDict):
    """Thresholds proposed from a history.

    Attributes:
        runs: How many runs were judged.
        calls: How many calls they hold.
        quietRuns: How many of the runs repeat too little for any candidate.
        unread: What was not judged.
        present: What the candidates are compared with.
        candidates: The candidates, the lowest first.
        proposal: What is proposed; null where nothing is.
        why: The reason, in a sentence or two.
    """

    runs: int
    calls: int
    quietRuns: int
    unread: Unread
    present: PresentThresholds
    candidates: list[Candidate]
    proposal: Thresholds | None
    why: str
