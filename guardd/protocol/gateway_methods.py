"""Parameters and results of the methods for gateways.

Values of agents (arguments, results, errors, metadata) stay raw JSON text: they are fingerprinted from it,
and what a decoder would refuse in them must not switch detection off. For the same reason names have no
greatest length.
"""

from typing import Annotated, Literal

import msgspec
from msgspec import UNSET, Meta, Raw, UnsetType

from guardd.vocabulary import DEFAULT_SOURCE, Action, Detector, Level, RunStatus

MAX_INTEGER = 2**63 - 1
"""What the database can hold."""
MAX_MILLISECONDS = 2**53

ActionWord = Annotated[str, Meta(extra_json_schema={"enum": [action.word for action in Action]})]
"""`guardd.vocabulary.Action.word`."""
Tokens = Annotated[int, Meta(ge=0, le=MAX_INTEGER)]


class NoParams(msgspec.Struct, frozen=True, rename="camel", gc=False):
    """The method takes no parameters."""


class Nothing(msgspec.Struct, frozen=True, rename="camel", gc=False):
    """The result says nothing but that it was done."""


class Scope(msgspec.Struct, frozen=True, kw_only=True, rename="camel", gc=False):
    """Which run is spoken of. An empty string is the same as no value.

    Attributes:
        run_id: The gateway's id of the run, which is one agent turn.
        session_key: The gateway's key of the conversation; the scope where there is no run id.
        agent_id: The agent, whose configuration applies; the run's last known one where absent.
        source: The kind of gateway; the scope where there is neither run id nor session key.
        request_id: Put it in again when the request is repeated after a lost reply: the first reply comes
            again, and nothing counts twice.
    """

    run_id: str | None = None
    session_key: str | None = None
    agent_id: str | None = None
    source: str = DEFAULT_SOURCE
    request_id: str | None = None

    def __post_init__(self) -> None:
        """Make empty strings absent."""
        if self.run_id == "":
            msgspec.structs.force_setattr(self, "run_id", None)
        if self.session_key == "":
            msgspec.structs.force_setattr(self, "session_key", None)
        if self.agent_id == "":
            msgspec.structs.force_setattr(self, "agent_id", None)
        if self.source == "":
            msgspec.structs.force_setattr(self, "source", DEFAULT_SOURCE)
        if self.request_id == "":
            msgspec.structs.force_setattr(self, "request_id", None)


class ToolBefore(Scope, frozen=True, kw_only=True, rename="camel", gc=False):
    """Parameters of ``tool.before``.

    Attributes:
        tool_name: The tool, in the gateway's spelling.
        tool_call_id: The provider's id of the call; not unique.
        args: The arguments. Missing, ``null`` and ``{}`` are the same.
        once: Several processes may report it: the same call of that id, while it has no outcome, is answered as
            it was and counts once; in ``tool.after``, the same outcome of the call of that id.
    """

    tool_name: str
    tool_call_id: str | None = None
    args: Raw | UnsetType = UNSET
    once: bool = False


class ToolAfter(ToolBefore, frozen=True, kw_only=True, rename="camel", gc=False):
    """Parameters of ``tool.after``.

    Attributes:
        result: What the tool returned; ``null`` is an outcome, absent is none.
        error: What it failed with; goes before a result. ``null`` is no error.
        duration_ms: How long it took, in milliseconds.
    """

    result: Raw | UnsetType = UNSET
    error: Raw | UnsetType = UNSET
    duration_ms: float | int | None = None

    @property
    def whole_duration_ms(self) -> int | None:
        """The duration in whole milliseconds; None where it is absent, or no time that a call can take.

        A gateway's clock that goes back must not cost the outcome that comes with it.
        """
        duration = self.duration_ms
        return None if duration is None or not 0 <= duration <= MAX_MILLISECONDS else round(duration)


class CompactionRecord(Scope, frozen=True, kw_only=True, rename="camel", gc=False):
    """Parameters of ``compaction.record``.

    Attributes:
        will_retry: Whether the gateway tries the turn again; only then is the guard armed.
        reason: Why the context was compacted.
        tokens_before: The size of the context before.
        tokens_after: The size of the context after.
        once: Several processes may report it: until the run makes another call, further reports are of the
            same compaction.
        newest_run: Without a run id, the run of that session which was heard of last is meant, if it has any
            with ids.
    """

    will_retry: bool = True
    reason: str | None = None
    tokens_before: Tokens | None = None
    tokens_after: Tokens | None = None
    once: bool = False
    newest_run: bool = False


class RunStart(Scope, frozen=True, kw_only=True, rename="camel", gc=False):
    """Parameters of ``run.start``.

    Attributes:
        metadata: Anything the gateway wants to have recorded with the run.
        fresh: A known run starts anew: what came before no longer counts.
    """

    metadata: Raw | UnsetType = UNSET
    fresh: bool = False


class RunEnd(Scope, frozen=True, kw_only=True, rename="camel", gc=False):
    """Parameters of ``run.end``.

    Attributes:
        status: How the run ended.
        reason: Why it ended so.
    """

    status: Literal["completed", "failed", "aborted"]
    reason: str | None = None


class DetectionResult(msgspec.Struct, frozen=True, kw_only=True, rename="camel", gc=False):
    """What was found.

    Attributes:
        detector: The rule that matched.
        level: How sure it is: a warning goes on, a critical finding is stopped.
        count: How many it counted: repeats, outcomes or misses, by the rule.
        threshold: The threshold that was reached; 0 where an operator aborted.
        tool_name: The call's tool.
        paired_tool_name: The other tool of a ping-pong; null with every other rule.
        notify: Whether the model should be shown this: always with a block or an abort, now and then with a
            warning.
        warning_key: The same for warnings of the same thing in a run.
        message: For the model: what it repeats and what to do instead. Holds neither arguments nor results.
    """

    detector: Detector
    level: Level
    count: int
    threshold: int
    tool_name: str
    paired_tool_name: str | None
    notify: bool
    warning_key: str
    message: str


class GuardState(msgspec.Struct, frozen=True, kw_only=True, rename="camel", gc=False):
    """The post-compaction guard of a run; also the result of ``compaction.record``.

    Attributes:
        armed: Whether it watches.
        remaining: For how many outcomes more; 0 where it does not.
    """

    armed: bool
    remaining: int


class Verdict(msgspec.Struct, frozen=True, kw_only=True, rename="camel", gc=False):
    """The result of ``tool.before``.

    Attributes:
        action: What to do: make the call, make it and show the message, do not make it, or end the run.
        seq: The call's number in its run, from 1; absent where nothing was recorded.
        detection: Why; absent with ``allow``, except when observing.
        would_be: When observing: the action that enforcing would have answered.
    """

    action: ActionWord
    seq: int | UnsetType = UNSET
    detection: DetectionResult | UnsetType = UNSET
    would_be: ActionWord | UnsetType = UNSET


class AfterVerdict(Verdict, frozen=True, kw_only=True, rename="camel", gc=False):
    """The result of ``tool.after``.

    Attributes:
        compaction_guard: The guard after this outcome.
    """

    compaction_guard: GuardState


class RunStarted(msgspec.Struct, frozen=True, kw_only=True, rename="camel", gc=False):
    """The result of ``run.start``.

    Attributes:
        resumed: The run was known already.
        calls: How many calls it has so far.
        status: How it stands.
    """

    resumed: bool
    calls: int
    status: RunStatus
