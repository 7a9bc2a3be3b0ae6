"""What a command that failed has in common with others that failed alike, for the rules of OpenClaw 2026.9.

Revision: 0004, after 0003
"""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    """Add the column."""
    op.add_column("calls", sa.Column("failure", sa.LargeBinary()))
