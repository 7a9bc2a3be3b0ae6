"""`db.prune`: old runs go one at a time, each in a transaction of its own, so that no verdict waits long."""

from __future__ import annotations

from typing import TYPE_CHECKING

from guardd.daemon.writer import now
from guardd.protocol import operator_methods as operator
from guardd.protocol import operator_results as results
from guardd.store.pruning import count_old_runs, delete_oldest_run

if TYPE_CHECKING:
    from guardd.daemon.server import Server

DAY_MS = 24 * 60 * 60 * 1000


async def prune(server: Server, params: operator.DatabasePrune) -> results.DatabasePruned:
    """Delete runs without activity since `olderThan`, by default the configured retention."""
    older_than = params.older_than_ms
    if older_than is None:
        older_than = now() - server.config.settings.retention.days * DAY_MS
    connection = server.database.connection
    if params.dry_run:
        runs, calls = await server.writer.run(lambda _now: count_old_runs(connection, older_than))
        return results.DatabasePruned(runs=runs, calls=calls, dry_run=True)
    runs = calls = 0
    while True:
        deleted = await server.writer.run(lambda _now: delete_oldest_run(connection, older_than))
        if deleted is None:
            return results.DatabasePruned(runs=runs, calls=calls, dry_run=False)
        runs, calls = runs + 1, calls + deleted
