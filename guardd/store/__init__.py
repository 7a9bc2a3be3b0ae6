"""The database: schema, migrations, connections, and every statement that is not a detector's own."""
