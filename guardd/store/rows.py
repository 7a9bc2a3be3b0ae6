"""Rows as the path of a verdict sees them; the fields are in the order of the statements' columns."""

from typing import NamedTuple

import msgspec

from guardd.detect.detection import Detection
from guardd.vocabulary import Action, Detector, Level, ScopeKind

_KIND_PREFIXES = tuple(f"{kind}:" for kind in ScopeKind)


class Scope(NamedTuple):
    """What history is judged within: one run of one source.

    Attributes:
        source: the kind of gateway; two gateways may use the same run id.
        kind: whether `name` is a run id, a session key, or the source itself.
        name: see `kind`.
        session: of a run id, the session key that came with it; the run that it begins remembers it.
    """

    source: str
    kind: str
    name: str
    session: str | None = None

    @property
    def run(self) -> str:
        """The run as people see and type it: its id, or `session:KEY`, or `source:NAME`.

        An id that looks like one of the others is written `run:ID`, so that no two scopes of a source look alike.
        """
        if self.kind != ScopeKind.RUN:
            return f"{self.kind}:{self.name}"
        if self.name.startswith(_KIND_PREFIXES):
            return f"{ScopeKind.RUN}:{self.name}"
        return self.name


class RunRow(msgspec.Struct, frozen=True, gc=False):
    """How a run stands.

    Attributes:
        source: see `Scope`.
        kind: see `Scope`.
        name: see `Scope`.
        id: the row's id.
        agent_id: the run's last known agent.
        status: a `RunStatus`.
        reset_seq: calls up to this one no longer count.
        abort_detection_id: what every call is answered with, while guardd or an operator has aborted the run.
        armed_marker_id: the compaction that armed the post-compaction guard, while it is armed.
        daemon_start_id: the start of the daemon that served the run last.
        newest_seq: the number of the run's newest call, 0 for none.
    """

    source: str
    kind: str
    name: str
    id: int
    agent_id: str | None
    status: str
    reset_seq: int
    abort_detection_id: int | None
    armed_marker_id: int | None
    daemon_start_id: int | None
    newest_seq: int

    @property
    def scope(self) -> Scope:
        """The run's scope."""
        return Scope(self.source, self.kind, self.name)


class DetectionRow(NamedTuple):
    """What was found, as it is kept."""

    action: int
    detector: str
    level: str
    count: int  # type: ignore[assignment]  # it hides a method of tuples, which nobody needs here
    threshold: int
    tool: str
    paired_tool: str | None
    warning_key: str
    reason: str | None

    @property
    def detection(self) -> Detection:
        """The detection that was kept."""
        return Detection(
            detector=Detector(self.detector),
            level=Level(self.level),
            action=Action(self.action),
            count=self.count,
            threshold=self.threshold,
            tool=self.tool,
            paired_tool=self.paired_tool,
            warning_key=self.warning_key,
            reason=self.reason,
        )


class OpenCall(msgspec.Struct, frozen=True, gc=False):
    """A call whose outcome has not come yet."""

    seq: int
    state: int
    signature: bytes
    detection_id: int | None
    asked_action: str | None
    effect: int | None


class NewCall(NamedTuple):
    """A call to record; the fields are the columns of `calls`."""

    run_id: int
    seq: int
    tool: str
    signature: bytes
    fingerprint_version: int
    call_id: str | None
    state: int
    outcome: bytes | None
    missing_tool: str | None
    detection_id: int | None
    guard_marker_id: int | None
    preview: str | None
    at: int
    duration_ms: int | None
    asked_action: str | None
