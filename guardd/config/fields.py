"""Every setting that guardd knows: its key, what it may be, its default, and its attribute in `settings`."""

from typing import NamedTuple

from guardd.config.kinds import (
    Kind,
    file_path,
    identity,
    list_of,
    one_of,
    switch,
    text,
    whole_number,
)

LARGEST_AMOUNT = 2**31 - 1
LARGEST_DAYS = 36_500


class Field(NamedTuple):
    """One setting. Keys and attributes are dotted where they stand in a section of their own.

    An optional one has no value by default, and `null` in a file leaves it as it is.
    """

    key: str
    kind: Kind
    default: object
    attribute: str
    optional: bool = False


def _table(*fields: Field) -> dict[str, Field]:
    return {field.key: field for field in fields}


LOOP_FIELDS = _table(
    Field("enabled", switch, None, "enabled", optional=True),
    Field("historySize", whole_number(), 30, "history_size"),
    Field("warningThreshold", whole_number(), 10, "warning_threshold"),
    Field("criticalThreshold", whole_number(), 20, "critical_threshold"),
    Field("unknownToolThreshold", whole_number(), 10, "unknown_tool_threshold"),
    Field("globalCircuitBreakerThreshold", whole_number(), 30, "global_circuit_breaker_threshold"),
    Field("detectors.genericRepeat", switch, default=True, attribute="generic_repeat"),
    Field("detectors.knownPollNoProgress", switch, default=True, attribute="known_poll_no_progress"),
    Field("detectors.pingPong", switch, default=True, attribute="ping_pong"),
    Field("postCompactionGuard.windowSize", whole_number(), 3, "compaction_window"),
)
"""`tools.loopDetection`, by detection.md."""

GUARDD_FIELDS = _table(
    Field("mode", one_of("enforce", "observe"), "enforce", "mode"),
    Field("inherit", file_path, None, "inherit", optional=True),
    Field("socket.path", file_path, None, "socket.path", optional=True),
    Field("socket.group", identity, None, "socket.group", optional=True),
    Field("socket.gateways", list_of(identity), (), "socket.gateways"),
    Field("socket.readers", list_of(identity), (), "socket.readers"),
    Field("database.path", file_path, None, "database.path", optional=True),
    Field("database.durability", one_of("normal", "full"), "normal", "database.durability"),
    Field("privacy.previews", one_of("redacted", "off"), "redacted", "privacy.previews"),
    Field("retention.days", whole_number(LARGEST_DAYS), 14, "retention.days"),
    Field("retention.maxCallsPerRun", whole_number(LARGEST_AMOUNT), 10_000, "retention.max_calls_per_run"),
    Field("retention.maxDatabaseMB", whole_number(LARGEST_AMOUNT), 4096, "retention.max_database_mb"),
    Field("limits.frameMB", whole_number(LARGEST_AMOUNT), 16, "limits.frame_mb"),
    Field("limits.connections", whole_number(LARGEST_AMOUNT), 512, "limits.connections"),
    Field("limits.bufferMB", whole_number(LARGEST_AMOUNT), 256, "limits.buffer_mb"),
    Field("limits.idleSeconds", whole_number(LARGEST_AMOUNT), None, "limits.idle_seconds", optional=True),
    Field("sendingTools", list_of(text), (), "sending_tools"),
    Field("pollTools", list_of(text), (), "poll_tools"),
)
"""The `guardd` section, by config.md."""
