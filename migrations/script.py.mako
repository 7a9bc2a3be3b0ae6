"""${message}.

Revision: ${up_revision}, after ${down_revision}
"""

import sqlalchemy as sa
from alembic import op

revision = "${up_revision}"
down_revision = "${down_revision}"


def upgrade() -> None:
    """Make the change."""
