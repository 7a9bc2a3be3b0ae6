"""What session a run began in, so that what is reported of a session alone finds its newest run.

Revision: 0002, after 0001
"""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Add the column, and an index of the runs that have it."""
    op.add_column("runs", sa.Column("session_key", sa.Text()))
    where = sa.column("session_key").is_not(None)
    op.create_index("ix_runs_session_key", "runs", ["session_key"], sqlite_where=where)
