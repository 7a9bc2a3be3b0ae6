"""What session a run began in, and what a call asked its tool to do.

A report of a session alone finds the session's newest run by the first. Outcomes of `process` and `message` are
compared by the second, whatever arguments they are reported with.

Revision: 0002, after 0001
"""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Add the columns, and an index of the runs that have a session."""
    op.add_column("runs", sa.Column("session_key", sa.Text()))
    where = sa.column("session_key").is_not(None)
    op.create_index("ix_runs_session_key", "runs", ["session_key"], sqlite_where=where)
    op.add_column("calls", sa.Column("asked_action", sa.Text()))
