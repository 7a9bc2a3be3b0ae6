"""Alembic's environment: guardd hands over the connection, see `guardd.store.migrating`."""

from alembic import context

context.configure(connection=context.config.attributes["connection"], transactional_ddl=True)
with context.begin_transaction():
    context.run_migrations()
