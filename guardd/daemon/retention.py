"""Keeping the database small: by `db.prune`, and by the clock. Small steps, so that no verdict waits long."""

from __future__ import annotations

import asyncio
import logging
import sqlite3
from typing import TYPE_CHECKING

from guardd.daemon.clock import now
from guardd.daemon.logs import fields
from guardd.protocol import operator_methods as operator
from guardd.protocol import operator_results as results
from guardd.protocol.errors import InvalidParams, RpcError
from guardd.store.pruning import (
    count_kept_runs,
    count_old_runs,
    delete_oldest_run,
    free_pages,
    give_back_space,
    trim_long_runs,
    used_bytes,
)

if TYPE_CHECKING:
    from guardd.daemon.server import Server

logger = logging.getLogger("guardd.retention")

DAY_MS = 24 * 60 * 60 * 1000
MEBIBYTE = 1024 * 1024
PERIOD_SECONDS = 600.0
CLOCK_KEPT_MS = DAY_MS
"""How long the clock must not have jumped forward before it is believed that a run was silent so long."""
PAUSE_SECONDS = 0.01
"""Between two steps, for whoever else wants to write."""
PAGES_AT_ONCE = 256


async def prune(server: Server, params: operator.DatabasePrune) -> results.DatabasePruned:
    """Delete ended runs without activity since `olderThan`, by default the configured retention.

    Raises:
        InvalidParams: that is in the future, which would be all of them; it is a slip sooner than a wish.
    """
    if params.older_than_ms is not None and params.older_than_ms > now():
        raise InvalidParams(
            "olderThan is in the future, and would delete every run that has ended", "olderThan"
        )
    silent_since = _silent_since(server)
    older_than = _retained_since(server) if params.older_than_ms is None else params.older_than_ms
    connection = server.database.connection
    if params.dry_run:
        runs, calls = await server.writer.run(
            lambda _now: count_old_runs(connection, older_than, silent_since)
        )
    else:
        runs, calls = await _delete_old_runs(server, older_than, silent_since)
        await _give_back_space(server)
    kept = await server.writer.run(lambda _now: count_kept_runs(connection, older_than, silent_since))
    return results.DatabasePruned(runs=runs, calls=calls, kept=kept, dry_run=params.dry_run)


async def keep_retention(server: Server) -> None:
    """Apply the configured retention from time to time, until cancelled.

    Not at once: a clock may be set right soon after the boot.
    """
    while True:
        await asyncio.sleep(PERIOD_SECONDS)
        try:
            await apply(server)
        except (RpcError, sqlite3.Error) as error:
            logger.warning(
                "retention was not applied; it will be tried again", extra=fields(reason=str(error))
            )


async def apply(server: Server) -> None:
    """Apply the configured retention once."""
    retention = server.config.settings.retention
    silent_since = _silent_since(server)
    runs, calls = await _delete_old_runs(server, silent_since, silent_since)
    await _trim(server)
    while await _is_too_large(server):
        deleted = await _delete_oldest(server, now(), silent_since)
        if deleted is None:
            logger.warning(
                "the database is larger than it may be, and no run has ended that could go",
                extra=fields(maxDatabaseMB=retention.max_database_mb),
            )
            break
        runs, calls = runs + 1, calls + deleted
    if runs:
        logger.info("old runs were deleted", extra=fields(runs=runs, calls=calls))
    await _give_back_space(server)


def _retained_since(server: Server) -> int:
    return now() - server.config.settings.retention.days * DAY_MS


def _silent_since(server: Server) -> int:
    """Before when a run must have been heard of last to go although it has not ended; none if the clock is in doubt."""
    return _retained_since(server) if server.pace.was_kept(CLOCK_KEPT_MS) else 0


async def _delete_old_runs(server: Server, older_than: int, silent_since: int) -> tuple[int, int]:
    runs = calls = 0
    while (deleted := await _delete_oldest(server, older_than, silent_since)) is not None:
        runs, calls = runs + 1, calls + deleted
    return runs, calls


async def _delete_oldest(server: Server, older_than: int, silent_since: int) -> int | None:
    connection = server.database.connection
    deleted = await server.writer.run(lambda _now: delete_oldest_run(connection, older_than, silent_since))
    if deleted is not None:
        await asyncio.sleep(PAUSE_SECONDS)
    return deleted


async def _trim(server: Server) -> None:
    """Delete the oldest calls of very long runs, keeping what any agent's window may reach back to."""
    config = server.config
    windows = [config.loop_settings(agent_id).history_size for agent_id in (None, *config.agents)]
    keep = max(config.settings.retention.max_calls_per_run, *windows)
    active_since = now() - int(2 * PERIOD_SECONDS * 1000)
    connection = server.database.connection
    more = True
    while more:
        more = await server.writer.run(lambda _now: trim_long_runs(connection, keep, active_since))
        await asyncio.sleep(PAUSE_SECONDS)


async def _is_too_large(server: Server) -> bool:
    limit = server.config.settings.retention.max_database_mb * MEBIBYTE
    connection = server.database.connection
    return await server.writer.run(lambda _now: used_bytes(connection)) > limit


async def _give_back_space(server: Server) -> None:
    """Shrink the file by what is free in it, a few pages at a time."""
    connection = server.database.connection
    free, before = free_pages(connection), None
    while free > PAGES_AT_ONCE and free != before:  # a file not made by guardd may keep what it has
        await server.writer.run(lambda _now: give_back_space(connection, PAGES_AT_ONCE))
        await asyncio.sleep(PAUSE_SECONDS)
        free, before = free_pages(connection), free
