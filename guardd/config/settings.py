"""The effective settings, as the rest of guardd sees them.

Their keys and defaults stand in `loop_fields` and `guardd_fields`.
"""

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Literal


@dataclass(frozen=True)
class LoopSettings:
    """`tools.loopDetection` as it holds for an agent, by detection.md, with thresholds raised if needed."""

    enabled: bool | None
    history_size: int
    warning_threshold: int
    critical_threshold: int
    unknown_tool_threshold: int
    global_circuit_breaker_threshold: int
    generic_repeat: bool
    known_poll_no_progress: bool
    ping_pong: bool
    compaction_window: int
    compaction_volatile_text: bool
    volatile_text: bool
    cycle: bool
    identical_mutation: bool
    same_error: bool
    progress_reset: bool
    cycle_warning: int
    cycle_critical: int
    mutation_warning: int
    mutation_critical: int
    mutation_tools: tuple[str, ...]
    same_error_warning: int
    same_error_critical: int
    cascade_warning: int

    @cached_property
    def looks_beyond(self) -> bool:
        """Whether anything beyond the documented rules is on."""
        return self.looks_further or self.keeps_masked or self.progress_reset

    @cached_property
    def keeps_masked(self) -> bool:
        """Whether anything looks at outcomes without what varies by itself."""
        return self.volatile_text or self.same_error or self.compaction_volatile_text

    @cached_property
    def looks_further(self) -> bool:
        """Whether a rule beyond the documented ones is on."""
        return self.cycle or self.identical_mutation or self.same_error


@dataclass(frozen=True, slots=True)
class SocketSettings:
    """`guardd.socket`: where the daemon listens and who may connect besides root and its own user.

    Gateways and readers are user names, user ids as digits, and `@group`s; the group is a name or digits.
    """

    path: Path | None
    group: str | None
    gateways: tuple[str, ...]
    readers: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class DatabaseSettings:
    """`guardd.database`."""

    path: Path | None
    durability: Literal["normal", "full"]


@dataclass(frozen=True, slots=True)
class PrivacySettings:
    """`guardd.privacy`: what of a call's arguments is kept for people to read."""

    previews: Literal["redacted", "off"]


@dataclass(frozen=True, slots=True)
class RetentionSettings:
    """`guardd.retention`: how long and how much is kept. The oldest ended runs go first."""

    days: int
    max_calls_per_run: int
    max_database_mb: int


@dataclass(frozen=True, slots=True)
class LimitSettings:
    """`guardd.limits`: what connections may use, sizes in MiB. Without idle seconds all stay."""

    frame_mb: int
    connections: int
    buffer_mb: int
    idle_seconds: int | None


@dataclass(frozen=True, slots=True)
class NotifySettings:
    """`guardd.notify`: the command that is told of events, and of which: by action, `warn`, `block`, `abort`.

    Without a command nobody is told. The seconds are what it may take, and so many run at once.
    """

    command: tuple[str, ...] | None
    on: tuple[str, ...]
    timeout_seconds: int
    at_once: int


@dataclass(frozen=True, slots=True)
class Settings:
    """The `guardd` section. Paths are absolute."""

    profile: Literal["documented", "extended", "openclaw-2026.9"]
    mode: Literal["enforce", "observe"]
    inherit: Path | None
    socket: SocketSettings
    database: DatabaseSettings
    privacy: PrivacySettings
    retention: RetentionSettings
    limits: LimitSettings
    notify: NotifySettings
    sending_tools: tuple[str, ...]
    poll_tools: tuple[str, ...]

    @property
    def follows_openclaw(self) -> bool:
        """Whether the rules of OpenClaw 2026.9 hold where they are others than the documented ones."""
        return self.profile == "openclaw-2026.9"
