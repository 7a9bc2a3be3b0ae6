"""The answers of guardd, as typed values; the fields are those of the protocol.

Read tolerantly, since a daemon may be newer than the client: unknown fields are ignored and missing details
get a neutral value. Only what the caller acts on has to be understood: an answer without a known action is
no verdict.
"""

from collections.abc import Mapping
from typing import Literal, NamedTuple, TypeGuard

from guardd import vocabulary

ActionWord = Literal["allow", "warn", "block", "abort"]

_ACTIONS = frozenset(action.word for action in vocabulary.Action)


class Detection(NamedTuple):
    """Why a verdict is not a plain ``allow``."""

    detector: str
    """The rule that matched, such as ``generic_repeat``."""
    level: str
    """``warning`` or ``critical``."""
    count: int  # type: ignore[assignment]  # it hides a method of tuples, which nobody needs here
    """How often it happened, this call included where the rule counts it."""
    threshold: int
    """The threshold that was reached."""
    tool_name: str | None
    paired_tool_name: str | None
    """The other tool of a ping-pong."""
    notify: bool
    """Whether somebody should be told now; false for a warning that was told a short while ago."""
    warning_key: str | None
    message: str | None
    """Written for the model: what it repeated, how often, what to do instead. Holds no arguments."""


class CompactionGuard(NamedTuple):
    """How the post-compaction guard of a run stands."""

    armed: bool
    remaining: int
    """How many more outcomes it watches."""
    degraded: str | None = None
    """Why guardd could not be asked, else None."""


class Verdict(NamedTuple):
    """What guardd says to a call, before or after it is made."""

    action: ActionWord
    seq: int | None = None
    """The call's number in its run, from 1; None when guardd could not be asked."""
    detection: Detection | None = None
    would_be: str | None = None
    """In observing mode, the action that there would have been."""
    compaction_guard: CompactionGuard | None = None
    """Only after a call."""
    degraded: str | None = None
    """Why guardd could not be asked, else None. Such a verdict is ``allow``."""

    @property
    def allowed(self) -> bool:
        """Whether the call may be made: the action is ``allow`` or ``warn``."""
        return self.action in ("allow", "warn")

    @property
    def message(self) -> str | None:
        """The detection's text for the model, if there is one."""
        return self.detection.message if self.detection else None

    @property
    def notice(self) -> str | None:
        """The text that the model should see now: None for ``allow`` and for a warning it has had already."""
        if self.detection is None or self.action == "allow" or not self.detection.notify:
            return None
        return self.detection.message


class RunStart(NamedTuple):
    """What guardd knew of a run when its start was reported."""

    resumed: bool
    """Whether the run was known already, from before a restart perhaps."""
    calls: int
    status: str
    degraded: str | None = None
    """Why guardd could not be asked, else None."""


def read_verdict(answer: object) -> Verdict:
    """Read the result of ``tool.before`` or ``tool.after``.

    Raises:
        ValueError: it is no object, or its action is not one that this client knows.
    """
    members = _object(answer)
    action = members.get("action")
    if not _is_action(action):
        raise ValueError(f"the verdict's action is {action!r}")
    detection = members.get("detection")
    guard = members.get("compactionGuard")
    return Verdict(
        action=action,
        seq=_number_or_none(members, "seq"),
        detection=_read_detection(detection) if isinstance(detection, dict) else None,
        would_be=_text(members, "wouldBe"),
        compaction_guard=read_compaction_guard(guard) if isinstance(guard, dict) else None,
    )


def read_compaction_guard(answer: object) -> CompactionGuard:
    """Read the result of ``compaction.record``.

    Raises:
        ValueError: it is no object.
    """
    members = _object(answer)
    return CompactionGuard(armed=members.get("armed") is True, remaining=_number(members, "remaining"))


def read_run_start(answer: object) -> RunStart:
    """Read the result of ``run.start``.

    Raises:
        ValueError: it is no object.
    """
    members = _object(answer)
    return RunStart(
        resumed=members.get("resumed") is True,
        calls=_number(members, "calls"),
        status=_text(members, "status") or vocabulary.RunStatus.ACTIVE.value,
    )


def _read_detection(members: Mapping[str, object]) -> Detection:
    return Detection(
        detector=_text(members, "detector") or "unknown",
        level=_text(members, "level") or vocabulary.Level.CRITICAL.value,
        count=_number(members, "count"),
        threshold=_number(members, "threshold"),
        tool_name=_text(members, "toolName"),
        paired_tool_name=_text(members, "pairedToolName"),
        notify=members.get("notify") is not False,
        warning_key=_text(members, "warningKey"),
        message=_text(members, "message"),
    )


def _is_action(value: object) -> TypeGuard[ActionWord]:
    return isinstance(value, str) and value in _ACTIONS


def _object(answer: object) -> Mapping[str, object]:
    if not isinstance(answer, dict):
        raise ValueError(f"it is no object but {type(answer).__name__}")  # noqa: TRY004 - not our type
    return answer


def _text(members: Mapping[str, object], name: str) -> str | None:
    value = members.get(name)
    return value if isinstance(value, str) else None


def _number_or_none(members: Mapping[str, object], name: str) -> int | None:
    value = members.get(name)
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _number(members: Mapping[str, object], name: str) -> int:
    return _number_or_none(members, name) or 0
