"""The first schema: runs, their calls and markers, what was detected, and what was answered.

Revision: 0001, after nothing
"""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Make the tables, then the indexes."""
    _make_fingerprint_keys()
    _make_daemon_starts()
    _make_runs()
    _make_calls()
    _make_detections()
    _make_markers()
    _make_notices()
    _make_requests()
    op.create_index("ix_runs_last_activity_at", "runs", ["last_activity_at"])
    op.create_index("ix_runs_name", "runs", ["name"])
    op.create_index(
        "ix_calls_open", "calls", ["run_id", "tool", "call_id"], sqlite_where=sa.text("state < 2")
    )
    op.create_index("ix_detections_run_id", "detections", ["run_id", "seq"])
    op.create_index("ix_markers_run_id", "markers", ["run_id"])
    op.create_index("ix_requests_at", "requests", ["at"])
    _index_where_set("calls", "detection_id")
    _index_where_set("calls", "guard_marker_id")
    _index_where_set("runs", "abort_detection_id")
    _index_where_set("runs", "armed_marker_id")


def _index_where_set(table: str, column: str) -> None:
    where = sa.column(column).is_not(None)
    op.create_index(f"ix_{table}_{column}", table, [column], sqlite_where=where)


def _make_fingerprint_keys() -> None:
    op.create_table(
        "fingerprint_keys",
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("key", sa.LargeBinary(), nullable=False),
        sa.Column("created_at", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("version", name=op.f("pk_fingerprint_keys")),
        sqlite_strict=True,
    )


def _make_daemon_starts() -> None:
    op.create_table(
        "daemon_starts",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("version", sa.Text(), nullable=False),
        sa.Column("at", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_daemon_starts")),
        sqlite_strict=True,
    )


def _make_runs() -> None:
    op.create_table(
        "runs",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("source", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("agent_id", sa.Text()),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("started_at", sa.Integer(), nullable=False),
        sa.Column("last_activity_at", sa.Integer(), nullable=False),
        sa.Column("ended_at", sa.Integer()),
        sa.Column("end_reason", sa.Text()),
        sa.Column("metadata", sa.Text()),
        sa.Column("reset_seq", sa.Integer(), nullable=False),
        sa.Column("abort_detection_id", sa.Integer()),
        sa.Column("armed_marker_id", sa.Integer()),
        sa.Column("daemon_start_id", sa.Integer()),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_runs")),
        sa.UniqueConstraint("source", "kind", "name", name=op.f("uq_runs_source_kind_name")),
        sa.CheckConstraint("kind in ('run', 'session', 'source')", name=op.f("ck_runs_kind")),
        sa.CheckConstraint(
            "status in ('active', 'completed', 'failed', 'aborted')", name=op.f("ck_runs_status")
        ),
        sa.ForeignKeyConstraint(
            ["abort_detection_id"], ["detections.id"], name=op.f("fk_runs_abort_detection_id")
        ),
        sa.ForeignKeyConstraint(["armed_marker_id"], ["markers.id"], name=op.f("fk_runs_armed_marker_id")),
        sa.ForeignKeyConstraint(
            ["daemon_start_id"], ["daemon_starts.id"], name=op.f("fk_runs_daemon_start_id")
        ),
        sqlite_strict=True,
    )


def _make_calls() -> None:
    op.create_table(
        "calls",
        sa.Column("run_id", sa.Integer(), nullable=False),
        sa.Column("seq", sa.Integer(), nullable=False),
        sa.Column("tool", sa.Text(), nullable=False),
        sa.Column("signature", sa.LargeBinary(), nullable=False),
        sa.Column("fingerprint_version", sa.Integer(), nullable=False),
        sa.Column("call_id", sa.Text()),
        sa.Column("state", sa.Integer(), nullable=False),
        sa.Column("outcome", sa.LargeBinary()),
        sa.Column("missing_tool", sa.Text()),
        sa.Column("detection_id", sa.Integer()),
        sa.Column("guard_marker_id", sa.Integer()),
        sa.Column("preview", sa.Text()),
        sa.Column("at", sa.Integer(), nullable=False),
        sa.Column("duration_ms", sa.Integer()),
        sa.PrimaryKeyConstraint("run_id", "seq", name=op.f("pk_calls")),
        sa.CheckConstraint("seq >= 1", name=op.f("ck_calls_seq")),
        sa.CheckConstraint("(state in (2, 3)) = (outcome is not null)", name=op.f("ck_calls_outcome")),
        sa.CheckConstraint("state in (0, 1, 2, 3, 4)", name=op.f("ck_calls_state")),
        sa.ForeignKeyConstraint(["run_id"], ["runs.id"], name=op.f("fk_calls_run_id"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(
            ["fingerprint_version"], ["fingerprint_keys.version"], name=op.f("fk_calls_fingerprint_version")
        ),
        sa.ForeignKeyConstraint(["detection_id"], ["detections.id"], name=op.f("fk_calls_detection_id")),
        sa.ForeignKeyConstraint(["guard_marker_id"], ["markers.id"], name=op.f("fk_calls_guard_marker_id")),
        sqlite_with_rowid=False,
        sqlite_strict=True,
    )


def _make_detections() -> None:
    op.create_table(
        "detections",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("run_id", sa.Integer(), nullable=False),
        sa.Column("seq", sa.Integer()),
        sa.Column("action", sa.Integer(), nullable=False),
        sa.Column("detector", sa.Text(), nullable=False),
        sa.Column("level", sa.Text(), nullable=False),
        sa.Column("count", sa.Integer(), nullable=False),
        sa.Column("threshold", sa.Integer(), nullable=False),
        sa.Column("tool", sa.Text(), nullable=False),
        sa.Column("paired_tool", sa.Text()),
        sa.Column("notify", sa.Integer(), nullable=False),
        sa.Column("warning_key", sa.Text(), nullable=False),
        sa.Column("observed", sa.Integer(), nullable=False),
        sa.Column("reason", sa.Text()),
        sa.Column("at", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_detections")),
        sa.CheckConstraint("action in (0, 1, 2, 3)", name=op.f("ck_detections_action")),
        sa.CheckConstraint("level in ('warning', 'critical')", name=op.f("ck_detections_level")),
        sa.CheckConstraint("notify in (0, 1)", name=op.f("ck_detections_notify")),
        sa.CheckConstraint("observed in (0, 1)", name=op.f("ck_detections_observed")),
        sa.ForeignKeyConstraint(
            ["run_id"], ["runs.id"], name=op.f("fk_detections_run_id"), ondelete="CASCADE"
        ),
        sqlite_strict=True,
    )


def _make_markers() -> None:
    op.create_table(
        "markers",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("run_id", sa.Integer(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("after_seq", sa.Integer(), nullable=False),
        sa.Column("window_size", sa.Integer()),
        sa.Column("reason", sa.Text()),
        sa.Column("tokens_before", sa.Integer()),
        sa.Column("tokens_after", sa.Integer()),
        sa.Column("at", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_markers")),
        sa.CheckConstraint(
            "kind in ('compaction', 'reset', 'gateway_restart', 'daemon_restart')",
            name=op.f("ck_markers_kind"),
        ),
        sa.ForeignKeyConstraint(["run_id"], ["runs.id"], name=op.f("fk_markers_run_id"), ondelete="CASCADE"),
        sqlite_strict=True,
    )


def _make_notices() -> None:
    op.create_table(
        "notices",
        sa.Column("run_id", sa.Integer(), nullable=False),
        sa.Column("warning_key", sa.Text(), nullable=False),
        sa.Column("count", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("run_id", "warning_key", name=op.f("pk_notices")),
        sa.ForeignKeyConstraint(["run_id"], ["runs.id"], name=op.f("fk_notices_run_id"), ondelete="CASCADE"),
        sqlite_with_rowid=False,
        sqlite_strict=True,
    )


def _make_requests() -> None:
    op.create_table(
        "requests",
        sa.Column("source", sa.Text(), nullable=False),
        sa.Column("method", sa.Text(), nullable=False),
        sa.Column("request_id", sa.Text(), nullable=False),
        sa.Column("params_digest", sa.LargeBinary(), nullable=False),
        sa.Column("reply", sa.LargeBinary(), nullable=False),
        sa.Column("at", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("source", "method", "request_id", name=op.f("pk_requests")),
        sqlite_with_rowid=False,
        sqlite_strict=True,
    )
