"""What `guardctl report` prints with `--json`: what its page shows."""

from typing import Any, TypedDict

from guardd.cli.contract.looking import Legend
from guardd.protocol.gateway_methods import ActionWord
from guardd.protocol.operator_results import Call, Marker, Run, Time
from guardd.vocabulary import Detector


class LoopStep(TypedDict):
    """What one detector answered in one way in a `Loop`.

    Attributes:
        detector: The rule that matched.
        action: What was answered, or would have been.
        observed: Whether it was only observed: the calls were let through.
        times: How often.
        firstSeq: The number of the first such call; null where an operator aborted.
        lastSeq: The number of the last.
        firstCount: What was counted the first time.
        lastCount: What was counted the last time.
        threshold: The threshold that was reached the last time.
        message: What the model was told the last time.
        firstAt: When it was answered first.
        lastAt: When it was answered last.
    """

    detector: Detector
    action: ActionWord
    observed: bool
    times: int
    firstSeq: int | None
    lastSeq: int | None
    firstCount: int
    lastCount: int
    threshold: int
    message: str
    firstAt: Time
    lastAt: Time


class Loop(TypedDict):
    """An episode of a `Report`: the same call, or the same calls in turn, found again and again.

    Attributes:
        detectors: The rules that matched, in the order of their first verdicts.
        action: The strongest answer, or what it would have been.
        observed: Whether that was only observed.
        toolName: The tool.
        pairedToolName: The other tool of a ping-pong; null with every other rule.
        firstSeq: The number of the first call that belongs to it; null where no call does.
        lastSeq: The number of the last.
        signatures: The signatures of the calls that it consists of, as in the legend, in their order.
        calls: How many of these calls the run made in it; null where they are not stored.
        counted: The calls that the strongest verdict counted, by their numbers; null where nobody can say.
        message: What the model was told with the strongest verdict.
        reasons: Why, in words, a paragraph each.
        firstAt: When the first verdict was given.
        lastAt: When the last one was.
        steps: The verdicts, put together by rule and action.
    """

    detectors: list[Detector]
    action: ActionWord
    observed: bool
    toolName: str
    pairedToolName: str | None
    firstSeq: int | None
    lastSeq: int | None
    signatures: list[str]
    calls: int | None
    counted: list[int] | None
    message: str
    reasons: list[str]
    firstAt: Time
    lastAt: Time
    steps: list[LoopStep]


class ReportedSetting(TypedDict):
    """A setting in a `Report`.

    Attributes:
        key: Its key in a file.
        value: What holds for the run's agent.
        origin: Where it was set: ``default``, or a file and the key in it.
    """

    key: str
    value: Any
    origin: str


class Report(TypedDict):
    """A run, and all that its page says.

    Attributes:
        run: The run.
        story: What happened, in sentences.
        notices: What to know before believing the rest.
        loops: The episodes, in the order of their first verdicts.
        settings: The settings in force; null for a database file, which knows none.
        legend: What was called, in the order of the first calls.
        calls: The calls, in order.
        markers: What happened between them.
        version: The version of guardd that made it.
        madeAt: When it was made.
    """

    run: Run
    story: list[str]
    notices: list[str]
    loops: list[Loop]
    settings: list[ReportedSetting] | None
    legend: list[Legend]
    calls: list[Call]
    markers: list[Marker]
    version: str
    madeAt: Time
