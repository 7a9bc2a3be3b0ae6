"""Results of the methods for people; the objects are those of ``guardctl --json``."""

from typing import Annotated, Literal

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
        agent_id: The last known one.
        status: How it stands.
        calls: How many calls it has.
        verdict: The strongest since the last reset.
        compactions: How many compactions it has.
        started_at: When it began.
        last_activity_at: When something last happened in it.
        ended_at: When it ended; null while it goes on.
        end_reason: Why, as the gateway or an operator said.
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
        runs: Newest activity first.
        next_cursor: There is more: ask with this cursor.
    """

    runs: list[Run]
    next_cursor: str | UnsetType = UNSET


class Call(msgspec.Struct, frozen=True, kw_only=True, rename="camel", gc=False):
    """A call in a history.

    Attributes:
        seq: Its number in the run.
        tool_name: Its tool.
        tool_call_id: The provider's id.
        state: Whether its outcome is known, and what it was.
        action: What was answered.
        detector: The rule that matched.
        count: What that rule counted.
        repeat: How many calls in a row, up to this one, have its signature.
        preview: Its arguments in short, secrets masked.
        at: When it was asked for.
        duration_ms: How long it took.
        signature: Equal for equal calls: tool and arguments.
        outcome: Equal for equal outcomes; null while there is none, and of a blocked attempt.
        missing_tool: The tool that the outcome said does not exist.
        is_poll: Its tool and arguments make it a known poll; tools that the configuration adds aside.
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
    would_be: ActionWord | UnsetType = UNSET


class Marker(msgspec.Struct, frozen=True, kw_only=True, rename="camel", gc=False):
    """Something that happened between calls.

    Attributes:
        kind: What.
        after_seq: The number of the call before it; 0 before the first.
        armed: Whether it armed the post-compaction guard.
        window_size: For how many outcomes, if it did.
        reason: Why it happened, if somebody said.
        at: When.
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
        calls: In order of seq.
        markers: In the order they happened.
        next_cursor: There is more: ask with this cursor.
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
        agent_id: The agent.
        seq: The call; null where an operator aborted.
        action: What was answered.
        detector: The rule.
        level: How sure it is.
        count: What it counted.
        threshold: The one that was reached.
        tool_name: The call's tool.
        paired_tool_name: The other tool of a ping-pong.
        message: As for the model.
        at: When.
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
        events: Newest first.
        next_cursor: There is more: ask with this cursor.
    """

    events: list[Event]
    next_cursor: str | UnsetType = UNSET


class ConfigReloaded(msgspec.Struct, frozen=True, kw_only=True, rename="camel", gc=False):
    """The result of ``config.reload``.

    Attributes:
        path: The file that was read; none where only the defaults apply.
        warnings: What is allowed in it and yet looks wrong.
    """

    path: str | None
    warnings: list[str]


class DatabaseState(msgspec.Struct, frozen=True, kw_only=True, rename="camel", gc=False):
    """The database in a `ServerStatus`.

    Attributes:
        path: Its file.
        bytes: That file's size.
        wal_bytes: The size of the write-ahead log.
        schema: The version of its schema.
        journal_mode: SQLite's, `wal` as guardd sets it.
        free_bytes: What guardd may still write to the disk that it is on; null where nobody knows.
        disk_bytes: The size of that disk; null where nobody knows.
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
        version: Of guardd.
        pid: Of the daemon.
        uptime_seconds: Since it started.
        database: The state of the database.
        sqlite_version: Of the library.
        connections: Open ones, this one included.
        runs: Recorded runs.
        calls: Recorded calls.
        mode: Whether verdicts are enforced.
        time: The daemon's, when it answered.
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
        bytes: Its size.
    """

    path: str
    bytes: int


class DatabaseChecked(msgspec.Struct, frozen=True, kw_only=True, rename="camel", gc=False):
    """The result of ``db.check``.

    Attributes:
        ok: Nothing was found.
        problems: What was found.
    """

    ok: bool
    problems: list[str]


class DatabasePruned(msgspec.Struct, frozen=True, kw_only=True, rename="camel", gc=False):
    """The result of ``db.prune``.

    Attributes:
        runs: Runs that went, or with ``dryRun`` would go.
        calls: Calls that went or would go.
        dry_run: Nothing was deleted.
    """

    runs: int
    calls: int
    dry_run: bool
