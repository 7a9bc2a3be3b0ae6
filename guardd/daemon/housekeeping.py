"""What the daemon does by the clock: checkpoints, forgetting, silent connections, the watchdog."""

import asyncio
import contextlib
import logging
import sqlite3

from guardd.daemon.logs import fields
from guardd.daemon.requests import REMEMBERED_MS
from guardd.daemon.server import Server
from guardd.daemon.service import Notifier
from guardd.protocol.errors import RpcError
from guardd.store.checkpointing import checkpoint
from guardd.store.pruning import forget_requests

logger = logging.getLogger("guardd.housekeeping")

TICK_SECONDS = 0.25
MOST_COMMITS_BETWEEN = 2000
MOST_ROWS_BETWEEN = 20_000
"""Commits, or rows written, after which a busy daemon checkpoints, idle or not: a commit may be of many requests."""
FORGET_SECONDS = 300.0


class Checkpointer:
    """Checkpoints when nothing was written for a tick, or much was."""

    def __init__(self, server: Server) -> None:
        self._server = server
        self._seen = self._done = server.writer.commits
        self._rows_done = server.database.store.changes
        self._failed = False

    def tick(self) -> None:
        """Look whether it is time."""
        commits, rows = self._server.writer.commits, self._server.database.store.changes
        idle, self._seen = commits == self._seen, commits
        much = commits - self._done > MOST_COMMITS_BETWEEN or rows - self._rows_done > MOST_ROWS_BETWEEN
        if commits == self._done or not (idle or much):
            return
        _database_bytes, wal_bytes = self._server.database.file_sizes()
        try:
            if checkpoint(self._server.database.connection, wal_bytes):
                self._done, self._rows_done = commits, rows
            self._failed = False
        except sqlite3.Error as error:
            if not self._failed:
                logger.error("the write-ahead log cannot be moved", extra=fields(reason=str(error)))
            self._failed = True


async def tend(server: Server) -> None:
    """Checkpoint, forget old requests, close silent connections and look at the clock, until cancelled."""
    checkpointer = Checkpointer(server)
    forget_at = (
        server.loop.time() + FORGET_SECONDS
    )  # not at once: a clock may be set right soon after the boot
    while True:
        await asyncio.sleep(TICK_SECONDS)
        checkpointer.tick()
        _close_silent(server)
        server.pace.look()
        if server.loop.time() >= forget_at:
            forget_at = server.loop.time() + FORGET_SECONDS
            if server.pace.was_kept(REMEMBERED_MS):
                await _forget(server)


async def _forget(server: Server) -> None:
    connection = server.database.connection
    more = True
    try:
        while more:
            more = await server.writer.run(lambda now: forget_requests(connection, now - REMEMBERED_MS))
            await asyncio.sleep(0)  # whoever else wants to write comes in between
    except RpcError:
        return  # the writer has said why, and there is a next time


def _close_silent(server: Server) -> None:
    idle_seconds = server.config.settings.limits.idle_seconds
    if idle_seconds is None:
        return
    oldest = server.loop.time() - idle_seconds
    for connection in [one for one in server.connections if one.last_active < oldest]:
        if not connection.awaits_answer and not server.watchers.is_watching(connection):
            connection.close(abort=True)  # what it has not taken by now, it never will


async def feed_watchdog(server: Server, notifier: Notifier, interval: float) -> None:
    """Tell the service manager that the daemon works, each time that the writer has just shown it."""
    while True:
        with contextlib.suppress(RpcError):  # a full disk is no reason to be restarted: the writer answers
            await server.writer.run(lambda _now: None)
        notifier.alive()
        await asyncio.sleep(interval)
