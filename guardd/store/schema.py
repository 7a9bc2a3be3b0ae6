"""The declared schema: what the migrations must arrive at, and what every query is built from.

Times are integer milliseconds since the epoch, UTC. Tables are STRICT, so a wrong type is an error and not
a surprise later. A call is numbered by its run and `seq`, contiguous from 1; the newest calls of a run are a
range of its primary key, which is what keeps a verdict as cheap after ten million calls as after ten.
"""

from enum import IntEnum, StrEnum
from typing import Any

from sqlalchemy import (
    CheckConstraint,
    Column,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    PrimaryKeyConstraint,
    Table,
    Text,
    UniqueConstraint,
    text,
)

from guardd.vocabulary import Action, CallState, Level, MarkerKind, RunStatus, ScopeKind

metadata = MetaData(
    naming_convention={
        "ck": "ck_%(table_name)s_%(constraint_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "fk": "fk_%(table_name)s_%(column_0_name)s",
        "pk": "pk_%(table_name)s",
    }
)


def _one_of(column: str, values: type[IntEnum] | type[StrEnum]) -> CheckConstraint:
    listed = ", ".join(repr(value.value) for value in values)
    return CheckConstraint(f"{column} in ({listed})", name=column)


def _is_flag(column: str) -> CheckConstraint:
    return CheckConstraint(f"{column} in (0, 1)", name=column)


fingerprint_keys = Table(
    "fingerprint_keys",
    metadata,
    Column("version", Integer, primary_key=True, comment="of the fingerprint's form; calls name it"),
    Column("key", LargeBinary, nullable=False, comment="the secret of this database"),
    Column("created_at", Integer, nullable=False),
    sqlite_strict=True,
)

daemon_starts = Table(
    "daemon_starts",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("version", Text, nullable=False, comment="of the program"),
    Column("at", Integer, nullable=False),
    sqlite_strict=True,
)

runs = Table(
    "runs",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("source", Text, nullable=False, comment="the kind of gateway"),
    Column("kind", Text, nullable=False),
    Column("name", Text, nullable=False, comment="the run id, session key or source"),
    Column("agent_id", Text),
    Column("status", Text, nullable=False),
    Column("started_at", Integer, nullable=False),
    Column("last_activity_at", Integer, nullable=False),
    Column("ended_at", Integer),
    Column("end_reason", Text),
    Column("metadata", Text, comment="JSON, as the gateway gave it"),
    Column("reset_seq", Integer, nullable=False, comment="calls up to this one no longer count"),
    Column("abort_detection_id", Integer, ForeignKey("detections.id"), comment="set: the abort is sticky"),
    Column("armed_marker_id", Integer, ForeignKey("markers.id"), comment="set: the guard is armed"),
    Column("daemon_start_id", Integer, ForeignKey("daemon_starts.id"), comment="the last to serve it"),
    Column("session_key", Text, comment="of a run with an id: the conversation that it began in"),
    UniqueConstraint("source", "kind", "name"),
    Index("ix_runs_last_activity_at", "last_activity_at"),
    Index("ix_runs_name", "name"),
    _one_of("kind", ScopeKind),
    _one_of("status", RunStatus),
    sqlite_strict=True,
)

calls = Table(
    "calls",
    metadata,
    Column("run_id", Integer, ForeignKey("runs.id", ondelete="CASCADE"), nullable=False),
    Column("seq", Integer, nullable=False),
    Column("tool", Text, nullable=False),
    Column("signature", LargeBinary, nullable=False, comment="keyed hash of tool and arguments"),
    Column("fingerprint_version", Integer, ForeignKey("fingerprint_keys.version"), nullable=False),
    Column("call_id", Text, comment="the gateway's; not unique"),
    Column("state", Integer, nullable=False),
    Column("outcome", LargeBinary, comment="keyed hash; null for a blocked attempt, always"),
    Column("missing_tool", Text, comment="the tool that the outcome said does not exist"),
    Column("detection_id", Integer, ForeignKey("detections.id"), comment="what it was answered with"),
    Column("guard_marker_id", Integer, ForeignKey("markers.id"), comment="the arming that counted it"),
    Column("preview", Text, comment="short, secrets masked"),
    Column("at", Integer, nullable=False),
    Column("duration_ms", Integer),
    Column("asked_action", Text, comment="of tools whose outcomes are compared by it"),
    Column(
        "masked", LargeBinary, comment="keyed hash without what varies by itself; null: the outcome's own"
    ),
    Column("effect", Integer, comment="a CallEffect"),
    Column("beside", Integer, comment="the first of the calls that were under way when it began"),
    Column("failure", LargeBinary, comment="keyed hash of what a failed command has in common with its like"),
    PrimaryKeyConstraint("run_id", "seq"),
    CheckConstraint("seq >= 1", name="seq"),
    CheckConstraint("(state in (2, 3)) = (outcome is not null)", name="outcome"),
    _one_of("state", CallState),
    sqlite_with_rowid=False,
    sqlite_strict=True,
)

OPEN = text(f"state < {CallState.OK.value}")
"""Of a call without an outcome. A literal, since SQLite proves a partial index usable by its text."""

Index("ix_calls_open", calls.c.run_id, calls.c.tool, calls.c.call_id, sqlite_where=OPEN)

detections = Table(
    "detections",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("run_id", Integer, ForeignKey("runs.id", ondelete="CASCADE"), nullable=False),
    Column("seq", Integer, comment="of the call it judges; null where an operator aborted"),
    Column("action", Integer, nullable=False),
    Column("detector", Text, nullable=False),
    Column("level", Text, nullable=False),
    Column("count", Integer, nullable=False),
    Column("threshold", Integer, nullable=False),
    Column("tool", Text, nullable=False),
    Column("paired_tool", Text),
    Column("notify", Integer, nullable=False),
    Column("warning_key", Text, nullable=False),
    Column("observed", Integer, nullable=False),
    Column("reason", Text, comment="an operator's"),
    Column("at", Integer, nullable=False),
    Index("ix_detections_run_id", "run_id", "seq"),
    _one_of("action", Action),
    _one_of("level", Level),
    _is_flag("notify"),
    _is_flag("observed"),
    sqlite_strict=True,
)

markers = Table(
    "markers",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("run_id", Integer, ForeignKey("runs.id", ondelete="CASCADE"), nullable=False),
    Column("kind", Text, nullable=False),
    Column("after_seq", Integer, nullable=False),
    Column("window_size", Integer, comment="set: this compaction armed the guard for that many outcomes"),
    Column("reason", Text),
    Column("tokens_before", Integer),
    Column("tokens_after", Integer),
    Column("at", Integer, nullable=False),
    Index("ix_markers_run_id", "run_id"),
    _one_of("kind", MarkerKind),
    sqlite_strict=True,
)

notices = Table(
    "notices",
    metadata,
    Column("run_id", Integer, ForeignKey("runs.id", ondelete="CASCADE"), nullable=False),
    Column("warning_key", Text, nullable=False),
    Column("count", Integer, nullable=False, comment="that was last notified"),
    PrimaryKeyConstraint("run_id", "warning_key"),
    sqlite_with_rowid=False,
    sqlite_strict=True,
)

requests = Table(
    "requests",
    metadata,
    Column("source", Text, nullable=False),
    Column("method", Text, nullable=False),
    Column("request_id", Text, nullable=False),
    Column("params_digest", LargeBinary, nullable=False),
    Column("reply", LargeBinary, nullable=False, comment="the JSON of the first reply's result"),
    Column("at", Integer, nullable=False),
    PrimaryKeyConstraint("source", "method", "request_id"),
    Index("ix_requests_at", "at"),
    sqlite_with_rowid=False,
    sqlite_strict=True,
)


def _index_where_set(column: Column[Any]) -> None:
    """Index the rows that have something there, which are few; without it, deleting a parent scans them all."""
    Index(f"ix_{column.table.name}_{column.name}", column, sqlite_where=column.is_not(None))


_index_where_set(calls.c.detection_id)
_index_where_set(calls.c.guard_marker_id)
_index_where_set(runs.c.abort_detection_id)
_index_where_set(runs.c.armed_marker_id)
_index_where_set(runs.c.session_key)
