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

RequestId = Annotated[
    str | None,
    Meta(description="Repeat it to repeat a request after a lost reply: the first reply comes again."),
]
Once = Annotated[
    bool, Meta(description="It may be reported more than once, by several processes; it counts once.")
]
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
        run_id: The gateway's id of the run.
        session_key: The gateway's key of the conversation; the scope where there is no run id.
        agent_id: Whose configuration applies.
        source: The kind of gateway; the scope where there is neither.
        request_id: Makes a repeated request count once.
    """

    run_id: Annotated[str | None, Meta(description="The run: one agent turn.")] = None
    session_key: Annotated[str | None, Meta(description="The conversation; the scope without a run id.")] = (
        None
    )
    agent_id: Annotated[str | None, Meta(description="The agent whose configuration applies.")] = None
    source: Annotated[str, Meta(description="The kind of gateway.")] = DEFAULT_SOURCE
    request_id: RequestId = None

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
        once: The same call of that id, while it has no outcome, is answered as it was and counts once; in
            ``tool.after``, the same outcome of the call of that id.
    """

    tool_name: Annotated[str, Meta(description="The tool, as the gateway names it.")]
    tool_call_id: Annotated[str | None, Meta(description="The provider's id of the call.")] = None
    args: Annotated[Raw | UnsetType, Meta(description="The call's arguments.")] = UNSET
    once: Once = False


class ToolAfter(ToolBefore, frozen=True, kw_only=True, rename="camel", gc=False):
    """Parameters of ``tool.after``.

    Attributes:
        result: What the tool returned; ``null`` is an outcome, absent is none.
        error: What it failed with; goes before a result. ``null`` is no error.
        duration_ms: How long it took, in milliseconds.
    """

    result: Annotated[Raw | UnsetType, Meta(description="What the tool returned.")] = UNSET
    error: Annotated[Raw | UnsetType, Meta(description="What the tool failed with.")] = UNSET
    duration_ms: Annotated[float | int | None, Meta(description="How long it took, in milliseconds.")] = None

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
        reason: Why it compacted.
        tokens_before: The size of the context before.
        tokens_after: The size of the context after.
        once: Until the run makes another call, further reports are of the same compaction.
        newest_run: Without a run id, the run of that session which was heard of last is meant, if it has any
            with ids.
    """

    will_retry: Annotated[bool, Meta(description="The gateway tries again: this arms the guard.")] = True
    reason: Annotated[str | None, Meta(description="Why the context was compacted.")] = None
    tokens_before: Tokens | None = None
    tokens_after: Tokens | None = None
    once: Once = False
    newest_run: Annotated[bool, Meta(description="Without a run id: the session's newest run.")] = False


class RunStart(Scope, frozen=True, kw_only=True, rename="camel", gc=False):
    """Parameters of ``run.start``.

    Attributes:
        metadata: Anything the gateway wants to have recorded.
        fresh: What came before in this run no longer counts.
    """

    metadata: Annotated[Raw | UnsetType, Meta(description="Anything to be recorded with the run.")] = UNSET
    fresh: Annotated[bool, Meta(description="A known run starts anew.")] = False


class RunEnd(Scope, frozen=True, kw_only=True, rename="camel", gc=False):
    """Parameters of ``run.end``.

    Attributes:
        status: How the run ended; a value of `RunStatus` other than active.
        reason: Why.
    """

    status: Literal["completed", "failed", "aborted"]
    reason: Annotated[str | None, Meta(description="Why it ended so.")] = None


class DetectionResult(msgspec.Struct, frozen=True, kw_only=True, rename="camel", gc=False):
    """What was found.

    Attributes:
        detector: The rule that matched.
        level: How sure it is.
        count: How many it counted.
        threshold: The one that was reached.
        tool_name: The call's tool.
        paired_tool_name: The other tool of a ping-pong.
        notify: Whether somebody should be shown this.
        warning_key: The same for warnings of the same thing.
        message: For the model; holds neither arguments nor results.
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
        remaining: For how many outcomes more.
    """

    armed: bool
    remaining: int


class Verdict(msgspec.Struct, frozen=True, kw_only=True, rename="camel", gc=False):
    """The result of ``tool.before``.

    Attributes:
        action: What to do.
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
        calls: How many calls it has.
        status: How it stands.
    """

    resumed: bool
    calls: int
    status: RunStatus
