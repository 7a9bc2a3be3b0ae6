"""Results of the methods for people; the objects are those of ``guardctl --json``."""

from typing import Annotated, Any, Literal

import msgspec
from msgspec import UNSET, Meta, UnsetType

from guardd.protocol.gateway_methods import ActionWord
from guardd.vocabulary import Detector, Level, MarkerKind, RunStatus

Time = Annotated[str, Meta(extra_json_schema={"format": "date-time"})]
"""RFC 3339 in UTC with milliseconds: `guardd.times.format_rfc3339`."""
CallStateWord = Annotated[str, Meta(extra_json_schema={"enum": ["pending", "ok", "error", "blocked"]})]


class Run(msgspec.Struct, frozen=True, kw_only=True, rename="camel", gc=False):
    """A run; the result of ``run.get``.

    Attributes:
        run: Its name: the gateway's id, ``session:KEY`` or ``source:NAME``.
        source: The kind of gateway.
        agent_id: The last known agent; null where none was named.
        status: How it stands.
        calls: How many calls it has, blocked attempts among them.
        verdict: The strongest verdict since the last reset.
        compactions: How many compactions it has.
        started_at: When it began.
        last_activity_at: When something last happened in it.
        ended_at: When it ended; null while it goes on.
        end_reason: Why it ended, as the gateway or an operator said; null where nobody did.
        would_be: When observed: the strongest action that enforcing would have answered, if above `verdict`.
    """

    run: str
    source: str
    agent_id: str | None
    status: RunStatus
    calls: int
    verdict: ActionWord
    compactions: int
    started_at: Time
    last_activity_at: Time
    ended_at: Time | None
    end_reason: str | None
    would_be: ActionWord | UnsetType = UNSET


class Runs(msgspec.Struct, frozen=True, kw_only=True, rename="camel", gc=False):
    """The result of ``run.list``.

    Attributes:
        runs: The runs, newest activity first.
        next_cursor: There are more: ask with this cursor.
    """

    runs: list[Run]
    next_cursor: str | UnsetType = UNSET


class Call(msgspec.Struct, frozen=True, kw_only=True, rename="camel", gc=False):
    """A call in a history.

    Attributes:
        seq: Its number in the run, from 1.
        tool_name: Its tool.
        tool_call_id: The provider's id; null where none was given.
        state: Whether its outcome is known, and what it was.
        action: What was answered.
        detector: The rule that matched; null where none did.
        count: What that rule counted; null where none matched.
        repeat: How many calls in a row, up to this one, have its signature.
        preview: Its arguments in short, secrets masked; null where previews are off.
        at: When it was asked for.
        duration_ms: How long it took, in milliseconds; null where nobody said.
        signature: Equal for equal calls: tool and arguments.
        outcome: Equal for equal outcomes; null while there is none, and of a blocked attempt.
        missing_tool: The tool that the outcome said does not exist; null where it said nothing like that.
        is_poll: Its tool and arguments make it a known poll; tools that the configuration adds aside.
        masked_outcome: Where it differs from the outcome: equal for outcomes that are equal but for what varies by
            itself. Kept where `volatileText` or `sameError` is on.
        changes: True where it changes something, if it succeeds. Kept where `detectors.progressReset` is on.
        failure: Of a command that failed: equal for those that failed alike. Kept by the profile `openclaw-2026.9`.
        unchanged: True of a write that has changed nothing. Kept by the profile `openclaw-2026.9`.
        beside: The number of the first of the calls that were under way when it began; absent where none was. Kept
            where `detectors.sameError` is on.
        would_be: When it was observed: the action that enforcing would have answered.
    """

    seq: int
    tool_name: str
    tool_call_id: str | None
    state: CallStateWord
    action: ActionWord
    detector: Detector | None
    count: int | None
    repeat: int
    preview: str | None
    at: Time
    duration_ms: int | None
    signature: str
    outcome: str | None
    missing_tool: str | None
    is_poll: bool
    masked_outcome: str | UnsetType = UNSET
    changes: bool | UnsetType = UNSET
    failure: str | UnsetType = UNSET
    unchanged: bool | UnsetType = UNSET
    beside: int | UnsetType = UNSET
    would_be: ActionWord | UnsetType = UNSET


class Marker(msgspec.Struct, frozen=True, kw_only=True, rename="camel", gc=False):
    """Something that happened between calls.

    Attributes:
        kind: What happened.
        after_seq: The number of the call before it; 0 before the first.
        armed: Whether it armed the post-compaction guard.
        window_size: For how many outcomes it armed the guard; null where it did not.
        reason: Why it happened; null where nobody said.
        at: When it happened.
    """

    kind: MarkerKind
    after_seq: int
    armed: bool
    window_size: int | None
    reason: str | None
    at: Time


class History(msgspec.Struct, frozen=True, kw_only=True, rename="camel", gc=False):
    """The result of ``run.history``.

    Attributes:
        run: The run's name.
        calls: The calls, in order of seq.
        markers: What happened between them, in the order it did.
        next_cursor: There is more: ask with this cursor. Only in ``run.history``.
    """

    run: str
    calls: list[Call]
    markers: list[Marker]
    next_cursor: str | UnsetType = UNSET


class Threshold(msgspec.Struct, frozen=True, kw_only=True, rename="camel", gc=False):
    """A setting in an `Explanation`.

    Attributes:
        value: What holds today for the run's agent.
        origin: Where it was set: ``default``, or a file and the key in it.
    """

    value: int
    origin: str


class Explanation(msgspec.Struct, frozen=True, kw_only=True, rename="camel", gc=False):
    """The result of ``run.explain``.

    Attributes:
        run: The run's name.
        seq: The call; null where an operator stopped the run and no call is meant.
        action: What was answered.
        detector: The rule that matched; null where none did.
        counted: The calls that it counted, by their numbers.
        thresholds: The settings that the rule goes by, by their keys in ``tools.loopDetection``.
        text: The reasons in words, a paragraph a line.
        would_be: When it was observed: the action that enforcing would have answered.
    """

    run: str
    seq: int | None
    action: ActionWord
    detector: Detector | None
    counted: list[int]
    thresholds: dict[str, Threshold]
    text: str
    would_be: ActionWord | UnsetType = UNSET


class RunChanged(msgspec.Struct, frozen=True, kw_only=True, rename="camel", gc=False):
    """The result of ``run.reset`` and ``run.abort``: which run was meant, and how it stands now.

    Attributes:
        run: The run's name.
        source: The kind of gateway.
        status: How it stands now.
        mode: While observing, an aborted run's calls are let through all the same.
    """

    run: str
    source: str
    status: RunStatus
    mode: Literal["enforce", "observe"]


class Event(msgspec.Struct, frozen=True, kw_only=True, rename="camel", gc=False):
    """A warning, block or abort; also the params of an ``event`` notification.

    Attributes:
        run: The run's name.
        source: The kind of gateway.
        agent_id: The agent; null where none was named.
        seq: The call's number in its run; null where an operator aborted.
        action: What was answered.
        detector: The rule that matched.
        level: How sure it is.
        count: How many it counted.
        threshold: The threshold that was reached.
        tool_name: The call's tool.
        paired_tool_name: The other tool of a ping-pong; null with every other rule.
        message: What the model is told.
        at: When it was answered.
        would_be: When it was observed: the action that enforcing would have answered.
    """

    run: str
    source: str
    agent_id: str | None
    seq: int | None
    action: ActionWord
    detector: Detector
    level: Level
    count: int
    threshold: int
    tool_name: str
    paired_tool_name: str | None
    message: str
    at: Time
    would_be: ActionWord | UnsetType = UNSET


class Events(msgspec.Struct, frozen=True, kw_only=True, rename="camel", gc=False):
    """The result of ``event.list``.

    Attributes:
        events: The events, newest first.
        next_cursor: There are more: ask with this cursor.
    """

    events: list[Event]
    next_cursor: str | UnsetType = UNSET


class Setting(msgspec.Struct, frozen=True, kw_only=True, rename="camel", gc=False):
    """A setting in a `Configuration`.

    Attributes:
        value: What holds; null where nothing is set and there is no default.
        origin: Where it was set: ``default``, or a file and the key in it.
    """

    value: Any
    origin: str


class Configuration(msgspec.Struct, frozen=True, kw_only=True, rename="camel", gc=False):
    """The result of ``config.get``: what holds for an agent, or for those without settings of their own.

    Attributes:
        agent_id: The agent that was asked about; null where none was.
        path: The configuration file; null where only the defaults apply.
        values: The settings, by their keys in a file.
        warnings: What is allowed in the file and yet looks wrong.
    """

    agent_id: str | None
    path: str | None
    values: dict[str, Setting]
    warnings: list[str]


class ConfigReloaded(msgspec.Struct, frozen=True, kw_only=True, rename="camel", gc=False):
    """The result of ``config.reload``.

    Attributes:
        path: The file that was read; null where only the defaults apply.
        warnings: What is allowed in it and yet looks wrong, and what takes effect at the next start only.
    """

    path: str | None
    warnings: list[str]


class DatabaseState(msgspec.Struct, frozen=True, kw_only=True, rename="camel", gc=False):
    """The database in a `ServerStatus`.

    Attributes:
        path: The database file.
        bytes: That file's size.
        wal_bytes: The size of the write-ahead log beside it, in bytes.
        schema: The version of its schema.
        journal_mode: SQLite's journal mode: `wal`, as guardd sets it.
        free_bytes: What guardd may still write to the disk that it is on, in bytes; null where nobody knows.
        disk_bytes: The size of that disk in bytes; null where nobody knows.
    """

    path: str
    bytes: int
    wal_bytes: int
    schema: str
    journal_mode: str
    free_bytes: int | None
    disk_bytes: int | None


class ServerStatus(msgspec.Struct, frozen=True, kw_only=True, rename="camel", gc=False):
    """The result of ``server.status``.

    Attributes:
        version: The daemon's version.
        pid: The daemon's process id.
        uptime_seconds: Seconds since it started.
        database: The state of the database.
        sqlite_version: The version of the SQLite library.
        connections: Open connections, this one included.
        runs: Recorded runs.
        calls: Recorded calls.
        mode: Whether verdicts are enforced or only observed.
        time: The daemon's time when it answered.
        last_activity_at: When something last happened in any run; null before the first.
        config_path: The configuration file; null where only the defaults apply.
        waits_for_restart: What has changed in the configuration and takes effect at the next start.
        socket: Where it listens; null where that is no file.
    """

    version: str
    pid: int
    uptime_seconds: float
    database: DatabaseState
    sqlite_version: str
    connections: int
    runs: int
    calls: int
    mode: Literal["enforce", "observe"]
    time: Time
    last_activity_at: Time | None
    config_path: str | None
    waits_for_restart: list[str]
    socket: str | None


class DatabaseBackedUp(msgspec.Struct, frozen=True, kw_only=True, rename="camel", gc=False):
    """The result of ``db.backup``.

    Attributes:
        path: The file that was written.
        bytes: That file's size.
    """

    path: str
    bytes: int


class DatabaseChecked(msgspec.Struct, frozen=True, kw_only=True, rename="camel", gc=False):
    """The result of ``db.check``.

    Attributes:
        ok: Nothing was found.
        problems: What was found, in SQLite's words.
    """

    ok: bool
    problems: list[str]


class DatabasePruned(msgspec.Struct, frozen=True, kw_only=True, rename="camel", gc=False):
    """The result of ``db.prune``.

    Attributes:
        runs: Runs that went, or with ``dryRun`` would go.
        calls: Calls that went or would go.
        kept: Runs that are as old and stay, since they are active or aborted.
        dry_run: Whether nothing was deleted.
    """

    runs: int
    calls: int
    kept: int
    dry_run: bool
