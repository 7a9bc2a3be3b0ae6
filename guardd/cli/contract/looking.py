"""What commands that look print: those of it that the daemon does not say in these words."""

from typing import Literal, NotRequired, TypedDict

from guardd.protocol.gateway_methods import ActionWord
from guardd.protocol.operator_results import CallStateWord, Event, Marker, Run, ServerStatus
from guardd.vocabulary import Detector


class Cell(TypedDict):
    """A call in a `Timeline`.

    Attributes:
        label: The same letter or digit for the same call; null where there was none left for it.
        seq: The call's number in the run.
        toolName: The call's tool.
        signature: Equal for equal calls: tool and arguments.
        state: Whether its outcome is known, and what it was.
        action: What was answered.
        detector: The rule that matched; null where none did.
        wouldBe: When it was observed: the action that enforcing would have answered.
    """

    label: str | None
    seq: int
    toolName: str
    signature: str
    state: CallStateWord
    action: ActionWord
    detector: Detector | None
    wouldBe: NotRequired[ActionWord]


class Legend(TypedDict):
    """What a label of a `Timeline` stands for: calls that are the same, by tool and arguments.

    Attributes:
        label: The letter or digit in the cells; null where there was none left.
        signature: Equal for equal calls.
        toolName: The tool.
        preview: The arguments of the first of them in short, secrets masked; null where previews are off.
        calls: How many there are among the cells.
        firstSeq: The number of the first.
        lastSeq: The number of the last.
    """

    label: str | None
    signature: str
    toolName: str
    preview: str | None
    calls: int
    firstSeq: int
    lastSeq: int


class Timeline(TypedDict):
    """A run as cells.

    Attributes:
        run: The run's name.
        cells: Calls and what happened between them, in order; what has a ``kind`` is a marker.
        legend: What was called, in the order of the first calls.
    """

    run: str
    cells: list[Cell | Marker]
    legend: list[Legend]


class Board(TypedDict):
    """What the board of ``guardctl watch`` shows.

    Attributes:
        status: The daemon.
        runs: The newest runs, newest activity first.
        events: The newest events, newest first.
    """

    status: ServerStatus
    runs: list[Run]
    events: list[Event]


class Check(TypedDict):
    """A check of the installation.

    Attributes:
        check: What was looked at.
        state: How it ended.
        detail: What was found, in a few words.
        fix: What to do about it; null where there is nothing to do.
    """

    check: str
    state: Literal["ok", "warning", "failed", "skipped"]
    detail: str
    fix: str | None


class Fault(TypedDict):
    """What is wrong with a configuration file.

    Attributes:
        file: The file, which may be an inherited one.
        key: The key in it; null where the file as a whole cannot be read.
        value: What is set there, as it is written; null where there is no value to show.
        reason: What was expected.
    """

    file: str
    key: str | None
    value: str | None
    reason: str


class CheckedFile(TypedDict):
    """What checking a configuration file found.

    Attributes:
        file: The file, as it was named.
        valid: Whether guardd would start with it.
        error: The first thing that is wrong; null where nothing is.
        errors: All that is wrong.
        warnings: What is allowed in it and yet looks wrong.
        notes: What is worth knowing and may well be intended.
    """

    file: str
    valid: bool
    error: Fault | None
    errors: list[Fault]
    warnings: list[str]
    notes: list[str]
