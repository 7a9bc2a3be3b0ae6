"""What the demo, installing and the daemon's log print."""

from typing import Any, Literal, NotRequired, TypedDict

from guardd.protocol.gateway_methods import ActionWord
from guardd.protocol.operator_results import History, Run, Time
from guardd.vocabulary import Detector


class ToldDetection(TypedDict):
    """A detection in a `Step`.

    Attributes:
        detector: The rule that matched.
        count: How many it counted.
        threshold: The threshold that was reached.
        notify: Whether the model should be shown it.
        message: What the model is told.
    """

    detector: Detector
    count: int
    threshold: int
    notify: bool
    message: str


class Step(TypedDict):
    """Something that happened in the demo.

    Attributes:
        step: What happened; which other fields there are depends on it.
        title: Of an act: what it is about.
        run: Of an act, a call and an outcome: the run.
        seq: Of a call and an outcome: the call's number.
        toolName: Of a call and an outcome: the tool.
        args: Of a call: its arguments.
        result: Of an outcome: what the tool returned.
        remaining: Of an outcome and a compaction: for how many outcomes more the guard watches.
        action: Of a call and an outcome: what guardd answered.
        detection: Of a call and an outcome: why; null where it was allowed.
        pid: Of a start and a kill: the daemon's process id.
        calls: Of a start: how many calls of the run the daemon knows.
        signal: Of a kill: the signal.
        tokensBefore: Of a compaction: the size of the context before.
        tokensAfter: Of a compaction: the size of the context after.
        armed: Of a compaction: whether it armed the guard.
    """

    step: Literal["act", "call", "outcome", "kill", "start", "compaction"]
    title: NotRequired[str]
    run: NotRequired[str]
    seq: NotRequired[int]
    toolName: NotRequired[str]
    args: NotRequired[dict[str, str]]
    result: NotRequired[str]
    remaining: NotRequired[int]
    action: NotRequired[ActionWord]
    detection: NotRequired[ToldDetection | None]
    pid: NotRequired[int]
    calls: NotRequired[int]
    signal: NotRequired[str]
    tokensBefore: NotRequired[int]
    tokensAfter: NotRequired[int]
    armed: NotRequired[bool]


class Demo(TypedDict):
    """The demo's story.

    Attributes:
        thresholds: The thresholds that it set, by their keys in ``tools.loopDetection``.
        steps: What happened, in order.
        runs: The runs, as the daemon has them at the end.
        histories: The history of each of them.
        database: The database, with ``--keep``; null where it is deleted.
    """

    thresholds: dict[str, int]
    steps: list[Step]
    runs: list[Run]
    histories: list[History]
    database: str | None


class ChangedFile(TypedDict):
    """A file in an `Installation`.

    Attributes:
        file: The file.
        change: What is done to it.
        backup: The copy of it as it was; null where none was made.
        diff: The change as a unified diff, secrets masked.
    """

    file: str
    change: Literal["create", "edit", "delete", "none"]
    backup: str | None
    diff: str


class Installation(TypedDict):
    """A change that installing makes, or would make.

    Attributes:
        target: What guardd is connected to.
        action: Whether it is put in or taken out.
        done: Whether files were changed.
        files: The files.
        notes: What is worth knowing.
        next: The commands to go on with.
    """

    target: str
    action: Literal["install", "uninstall"]
    done: bool
    files: list[ChangedFile]
    notes: list[str]
    next: list[str]


class LogLine(TypedDict):
    """A line of the log with ``--log-format json``.

    Attributes:
        ts: When it was written.
        level: How bad it is.
        logger: Which part of guardd says it.
        message: What happened; holds neither arguments nor results.
        fields: The particulars, by names of their own.
        exception: The way to an exception, without its words.
    """

    ts: Time
    level: Literal["debug", "info", "warning", "error", "critical"]
    logger: str
    message: str
    fields: NotRequired[dict[str, Any]]
    exception: NotRequired[str]
