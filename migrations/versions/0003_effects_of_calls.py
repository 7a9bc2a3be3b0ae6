"""What the rules beyond the documented ones look at.

An outcome without what varies by itself, whether a call changes something or was cancelled with another, and the
calls that it ran beside.

Revision: 0003, after 0002
"""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    """Add the columns."""
    op.add_column("calls", sa.Column("masked", sa.LargeBinary()))
    op.add_column("calls", sa.Column("effect", sa.Integer()))
    op.add_column("calls", sa.Column("beside", sa.Integer()))
