"""The methods that neither change a run nor only read the database: about the daemon itself, and watching."""

from __future__ import annotations

import contextlib
import os
import sqlite3
from collections.abc import Awaitable, Callable, Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import sqlalchemy

import guardd
from guardd.config import ConfigError
from guardd.config.errors import shown_file
from guardd.daemon import retention
from guardd.daemon.clock import now
from guardd.daemon.metrics import Value, by_one_label
from guardd.daemon.reads import back_up, db_check, event_filter, explain
from guardd.daemon.watching import catch_up
from guardd.fingerprint.redaction import masked_value
from guardd.protocol import gateway_methods as wire
from guardd.protocol import jsonrpc
from guardd.protocol import operator_methods as operator
from guardd.protocol import operator_results as results
from guardd.protocol.errors import InvalidParams
from guardd.protocol.openrpc import document
from guardd.store.migrating import HEAD
from guardd.store.reading.state import overview, run_counts
from guardd.times import format_rfc3339

if TYPE_CHECKING:
    from guardd.daemon.connection import Connection
    from guardd.daemon.server import Server


async def discover(_server: Server, _connection: Connection, _params: object) -> object:
    """`rpc.discover`."""
    return _encoded_document()


@cache
def _encoded_document() -> msgspec.Raw:
    return msgspec.Raw(jsonrpc.encode(document()))


async def config_get(server: Server, _connection: Connection, params: operator.ConfigGet) -> object:
    """`config.get`: the command of `guardd.notify` may hold a key."""
    return masked_value(server.config.describe(params.agent_id))


async def run_explain(server: Server, _connection: Connection, params: operator.RunExplain) -> object:
    """`run.explain`."""
    config = server.config
    return await server.readers.ask(lambda reader: explain(reader, params, config))


async def config_reload(
    server: Server, _connection: Connection, _params: operator.ConfigReload
) -> results.ConfigReloaded:
    """`config.reload`: the caller is told what is wrong; nothing is changed by a bad file."""
    try:
        config = server.reload()
    except ConfigError as error:
        lines = "\n".join(map(str, error.errors))
        raise InvalidParams(f"the configuration was not changed: {lines}") from error
    return results.ConfigReloaded(
        path=None if config.path is None else str(config.path),
        warnings=[*config.warnings, *server.waits_for_restart()],
    )


async def status(server: Server, _connection: Connection, _params: object) -> results.ServerStatus:
    """`server.status`."""
    seen = await server.readers.ask(overview)
    free_bytes, disk_bytes = await server.readers.in_thread(
        lambda _interruptible: _disk(server.database.path)
    )
    database_bytes, wal_bytes = server.database.file_sizes()
    return results.ServerStatus(
        version=guardd.__version__,
        pid=os.getpid(),
        uptime_seconds=round(server.uptime(), 3),
        database=results.DatabaseState(
            path=str(server.database.path),
            bytes=database_bytes,
            wal_bytes=wal_bytes,
            schema=HEAD,
            journal_mode=seen.journal_mode,
            free_bytes=free_bytes,
            disk_bytes=disk_bytes,
        ),
        sqlite_version=sqlite3.sqlite_version,
        connections=len(server.connections),
        runs=seen.runs,
        calls=seen.calls,
        mode=server.config.settings.mode,
        time=format_rfc3339(now()),
        last_activity_at=None if seen.last_activity is None else format_rfc3339(seen.last_activity),
        config_path=_shown(server.config.path),
        waits_for_restart=server.waits_for_restart(),
        socket=_shown(server.socket),
    )


def _disk(database: Path) -> tuple[int, int] | tuple[None, None]:
    """What may still be written beside the database, and the size of that file system, in bytes."""
    try:
        found = os.statvfs(database.parent)
    except OSError:
        return None, None
    return found.f_bavail * found.f_frsize, found.f_blocks * found.f_frsize


def _shown(path: Path | None) -> str | None:
    return None if path is None else shown_file(str(path))


async def metrics(server: Server, _connection: Connection, _params: object) -> str:
    """`server.metrics`."""
    database_bytes, wal_bytes = server.database.file_sizes()
    values: dict[str, Value] = {
        "guardd_commit_seconds": server.writer.commit_seconds,
        "guardd_connections": len(server.connections),
        "guardd_queue": server.writer.waiting,
        "guardd_buffered_bytes": server.buffered,
        "guardd_database_bytes": database_bytes,
        "guardd_wal_bytes": wal_bytes,
        "guardd_uptime_seconds": round(server.uptime(), 3),
        "guardd_process_id": os.getpid(),
        "guardd_build_info": {(guardd.__version__, sqlite3.sqlite_version): 1},
    }
    with contextlib.suppress(
        sqlalchemy.exc.DBAPIError
    ):  # where that cannot be read, all else is needed the more
        values["guardd_runs"] = by_one_label(await server.readers.ask(run_counts))
    return server.metrics.text(values)


async def backup(
    server: Server, _connection: Connection, params: operator.DatabaseBackup
) -> results.DatabaseBackedUp:
    """`db.backup`."""
    async with server.readers.taking_long:
        return await server.readers.in_thread(
            lambda interruptible: back_up(server.database.path, Path(params.path), interruptible)
        )


async def check(server: Server, _connection: Connection, _params: object) -> results.DatabaseChecked:
    """`db.check`."""
    async with server.readers.taking_long:
        return await server.readers.ask(db_check)


async def prune(
    server: Server, _connection: Connection, params: operator.DatabasePrune
) -> results.DatabasePruned:
    """`db.prune`."""
    return await retention.prune(server, params)


async def watch(server: Server, connection: Connection, params: operator.EventWatch) -> wire.Nothing:
    """`event.watch`: from now on, and from `since` on if that is given."""
    wanted = await server.readers.ask(lambda reader: event_filter(reader, params))
    after = server.database.store.newest_detection() if params.since is None else 0
    server.in_background(catch_up(server, server.watchers.add(connection, wanted), after))
    return wire.Nothing()


Handler = Callable[["Server", "Connection", Any], Awaitable[object]]

HANDLERS: Mapping[str, Handler] = {
    "rpc.discover": discover,
    "run.explain": run_explain,
    "config.get": config_get,
    "config.reload": config_reload,
    "server.status": status,
    "server.metrics": metrics,
    "db.backup": backup,
    "db.check": check,
    "db.prune": prune,
    "event.watch": watch,
}
