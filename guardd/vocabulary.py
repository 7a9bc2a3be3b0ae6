"""The words that every part of guardd shares, as they stand in the database and on the wire."""

from enum import IntEnum, StrEnum
from typing import Final

DEFAULT_SOURCE: Final = "default"
"""The source of a gateway that names none."""


class Action(IntEnum):
    """What is answered to a gateway, from weakest to strongest."""

    ALLOW = 0
    WARN = 1
    BLOCK = 2
    ABORT = 3

    @property
    def word(self) -> str:
        """The action as it stands on the wire."""
        return _ACTION_WORDS[self]


_ACTION_WORDS: Final = tuple(action.name.lower() for action in Action)


class Level(StrEnum):
    """How sure a rule is: a warning goes on, a critical finding is stopped."""

    WARNING = "warning"
    CRITICAL = "critical"


class Detector(StrEnum):
    """The rules by their names, and the operator who stops a run by hand."""

    UNKNOWN_TOOL_REPEAT = "unknown_tool_repeat"
    GLOBAL_CIRCUIT_BREAKER = "global_circuit_breaker"
    KNOWN_POLL_NO_PROGRESS = "known_poll_no_progress"
    PING_PONG = "ping_pong"
    GENERIC_REPEAT = "generic_repeat"
    CYCLE = "cycle"
    IDENTICAL_MUTATION = "identical_mutation"
    SAME_ERROR = "same_error"
    ERROR_CASCADE = "error_cascade"
    ARGUMENT_CHURN = "argument_churn"
    COMPACTION_LOOP_PERSISTED = "compaction_loop_persisted"
    OPERATOR = "operator"


class CallState(IntEnum):
    """What is known of a call. Below `OK` its outcome has not come yet; see `store.schema.OPEN`."""

    PENDING = 0
    BLOCKED = 1
    """guardd blocked the attempt, and the gateway has not reported what it showed the model."""
    OK = 2
    ERROR = 3
    BLOCKED_REPORTED = 4
    """A blocked attempt whose outcome has come; it is neither progress nor a call of its own."""


class CallEffect(IntEnum):
    """What else is known of a call, for the rules beyond the documented ones."""

    NONE = 0
    """It might have changed something, and has not."""
    CHANGES = 1
    """It changes something if it succeeds."""
    CANCELLED = 2
    """Its error only says that a call beside it failed."""
    UNCHANGED = 3
    """It is a write that has changed nothing, by the rules of OpenClaw 2026.9."""


class ScopeKind(StrEnum):
    """Which of a gateway's names a run is known by, the first of these that was given."""

    RUN = "run"
    SESSION = "session"
    SOURCE = "source"


class RunStatus(StrEnum):
    """How a run stands. `ABORTED` is sticky only where guardd or an operator aborted it."""

    ACTIVE = "active"
    COMPLETED = "completed"
    FAILED = "failed"
    ABORTED = "aborted"


class MarkerKind(StrEnum):
    """Events between calls that an operator wants to see in a history."""

    COMPACTION = "compaction"
    RESET = "reset"
    GATEWAY_RESTART = "gateway_restart"
    DAEMON_RESTART = "daemon_restart"


class Role(StrEnum):
    """What a peer may do, by the kernel's word on who it is; a peer may have several."""

    GATEWAY = "gateway"
    """Reports runs and calls, and is told what to do."""
    READER = "reader"
    """Sees everything, changes nothing."""
    ADMIN = "admin"
    """May do everything: root, and the daemon's own user."""
