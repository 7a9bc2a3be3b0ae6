"""Alembic's environment: guardd hands over the connection, see `guardd.store.migrating`."""

from alembic import context

from guardd.store.schema import metadata

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=metadata,
    render_as_batch=True,
    transactional_ddl=True,
)
with context.begin_transaction():
    context.run_migrations()
