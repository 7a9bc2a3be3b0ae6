"""What every transcript is read as: turns of calls, and an honest count of what could not be read."""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, NamedTuple, Protocol

Entry = dict[str, Any]
"""One decoded object of a transcript: a line, or an item of a list."""


class Skip(StrEnum):
    """Why something could not be read."""

    NOT_JSON = "not_json"
    NOT_AN_OBJECT = "not_an_object"
    TOO_DEEP = "nested_too_deeply"
    MALFORMED = "malformed"
    """An entry that the format knows does not have the shape that it should have."""
    NO_SUCH_CALL = "outcome_without_call"
    CUT_OFF = "cut_off"
    """The compressed file ends early, or is damaged."""


Skipped = Counter[Skip]


class Result(NamedTuple):
    """A call returned this JSON value."""

    value: Any


class Failed(NamedTuple):
    """A call ended with this error, a JSON value."""

    value: Any


class Fingerprints(NamedTuple):
    """What is known of a call whose arguments and result were never stored.

    Attributes:
        signature: Of its tool and arguments, in hexadecimal digits.
        outcome: Likewise; None: none is known.
        failed: Whether the outcome is an error.
        missing_tool: The tool that the outcome said does not exist.
        is_poll: Whether it is a poll by its arguments.
        masked: The outcome without what varies by itself, where that was kept and is another.
        changes: Whether it has changed something, where that was kept.
        failure: Of a command that failed, what stands for how it did, where that was kept.
        unchanged: Whether it is a write that has changed nothing, where that was kept.
    """

    signature: str
    outcome: str | None
    failed: bool
    missing_tool: str | None
    is_poll: bool
    masked: str | None = None
    changes: bool = False
    failure: str | None = None
    unchanged: bool = False


@dataclass(slots=True)
class Call:
    """One call.

    Attributes:
        tool: Its tool.
        args: Its arguments, any JSON value.
        call_id: The provider's id; not unique.
        outcome: What came of it; None: the transcript does not say.
        fingerprints: Those that stand for arguments and outcome, if these are not known.
        seq: Its number as recorded, where that is not its place in the turn.
        stopped: Whether guardd itself blocked it, or ended the run with it, when it was recorded.
        beside: Whether the call before it was still under way when it began. Calls that are chained so are taken to
            end when the last of them has begun: which of them ended before is not told.
    """

    tool: str
    args: Any = None
    call_id: str | None = None
    outcome: Result | Failed | None = None
    fingerprints: Fingerprints | None = None
    seq: int | None = None
    stopped: bool = False
    beside: bool = False

    @property
    def failed(self) -> bool:
        """Whether it is known to have ended with an error."""
        return isinstance(self.outcome, Failed)


class Compaction(NamedTuple):
    """The context was compacted; whether that armed the post-compaction guard."""

    armed: bool


class Reset(NamedTuple):
    """What came before no longer counts."""


Step = Call | Compaction | Reset


@dataclass(slots=True)
class Turn:
    """A run: from a user message to its end.

    Attributes:
        id: Names it within its file.
        steps: Its calls, and what happened between them, in order.
        agent_id: Whose it was, if the transcript says.
        status: How it stood when it was recorded, one of `RunStatus`, if the transcript says.
    """

    id: str
    steps: list[Step] = field(default_factory=list)
    agent_id: str | None = None
    status: str | None = None

    def begin(self, call: Call) -> None:
        """Add a call as it is made; its outcome comes later, and until then the next one runs beside it."""
        before = self.steps[-1] if self.steps else None
        call.beside = isinstance(before, Call) and before.outcome is None
        self.steps.append(call)

    @property
    def calls(self) -> list[Call]:
        """Its calls alone."""
        return [step for step in self.steps if isinstance(step, Call)]


class Format(Protocol):
    """What each format's module offers."""

    NAME: str
    """As people know it."""

    def matches(self, entry: Entry) -> bool:
        """Whether an entry can only be of this format."""

    def turns(self, entries: Iterable[Entry], skipped: Skipped) -> Iterator[Turn]:
        """The turns of a transcript, those without calls too; counts what cannot be read.

        Entries that hold no call in any case (titles, model changes, token counts) are passed over in silence.
        """


class OpenCalls:
    """Calls that wait for their outcome, by id; the oldest of an id gets the first."""

    def __init__(self) -> None:
        self._waiting: dict[str, list[Call]] = {}

    def add(self, call: Call) -> None:
        """A call was made."""
        self._waiting.setdefault(call.call_id or "", []).append(call)

    def settle(self, call_id: object, outcome: Result | Failed, skipped: Skipped) -> None:
        """An outcome came."""
        name = name_of(call_id) or ""
        waiting = self._waiting.get(name)
        if not waiting:
            skipped[Skip.NO_SUCH_CALL] += 1
            return
        waiting.pop(0).outcome = outcome
        if not waiting:  # ids are many, in a long session
            del self._waiting[name]


def parts_of(content: object) -> list[Entry]:
    """The parts of a message's content that are objects; a string has none."""
    return [part for part in content if isinstance(part, dict)] if isinstance(content, list) else []


def text_of(content: object) -> object:
    """The text of a message's content, if that is all there is; otherwise the content as it is."""
    if not isinstance(content, list) or not content:
        return content
    texts = [part.get("text") if isinstance(part, dict) else None for part in content]
    return "\n".join(str(text) for text in texts) if all(isinstance(text, str) for text in texts) else content


def name_of(value: object) -> str | None:
    """A name or an id, if it is one; half a character of UTF-16, which cannot be stored, becomes `?`."""
    return value.encode("utf-8", "replace").decode() if isinstance(value, str) and value else None
