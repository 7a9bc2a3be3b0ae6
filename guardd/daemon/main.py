"""The life of the daemon: configuration, lock, database, socket, loop, and the way back."""

import asyncio
import contextlib
import gc
import logging
import os
import signal
import socket
import sqlite3
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import uvloop

import guardd
from guardd import paths
from guardd.config import Config, ConfigError, load
from guardd.config.errors import raise_any
from guardd.daemon import logs
from guardd.daemon.access import policy_of, unknown_names
from guardd.daemon.clock import now
from guardd.daemon.housekeeping import feed_watchdog, tend
from guardd.daemon.listening import Listener, ListenError, bind, passed_by_systemd
from guardd.daemon.lock import DatabaseLock, LockError
from guardd.daemon.logs import fields
from guardd.daemon.retention import keep_retention
from guardd.daemon.server import Server
from guardd.daemon.service import Notifier
from guardd.store.checkpointing import checkpoint
from guardd.store.errors import DatabaseUnusable
from guardd.store.migrating import check
from guardd.store.opening import Database, open_database

logger = logging.getLogger("guardd")

PATIENCE_SECONDS = 5.0
"""How long a stop waits for answers and for peers that take them."""
SWITCH_SECONDS = 0.0005
"""How long a reader's thread may keep the interpreter from the loop, which answers verdicts; Python's own is ten times
that."""


class StartError(Exception):
    """The daemon cannot start; the text says why and what to do."""


@dataclass(frozen=True, slots=True)
class Options:
    """What the command line says; None leaves it to the environment and the configuration.

    Attributes:
        socket: where to listen.
        database: the database file.
        config: the configuration file.
        log_level: see `logs.LEVELS`.
        log_format: see `logs.FORMS`.
    """

    socket: Path | None = None
    database: Path | None = None
    config: Path | None = None
    log_level: str = "info"
    log_format: str = "text"


def serve(options: Options) -> None:
    """Run the daemon in the foreground until it is told to stop.

    Raises:
        StartError: it cannot start.
    """
    logs.setup(options.log_level, options.log_format)
    with contextlib.ExitStack() as stack:
        try:
            config = load(options.config)
            policy = policy_of(config)
            path = _database_path(options, config)
            check(path)  # before anything is made beside it
            listeners = [
                stack.enter_context(closing) for closing in map(_closing, _listeners(options, config))
            ]
            lock = stack.enter_context(DatabaseLock.acquire(path))
            database = open_database(lock.database, config.settings.database.durability, now())
            stack.callback(_close, database)
        except ConfigError as error:
            raise StartError("\n  ".join(map(str, error.errors))) from error
        except (LockError, DatabaseUnusable, ListenError) as error:
            raise StartError(str(error)) from error
        except FileNotFoundError as error:  # of resolving a relative path
            raise StartError(
                "the current directory is gone: change to another, or name whole paths"
            ) from error
        _tell(config, database)
        sys.setswitchinterval(SWITCH_SECONDS)
        gc.freeze()  # what is there now stays: looking through it for garbage would hold up a verdict
        with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
            server = Server(
                runner.get_loop(), config, database, policy, load_config=lambda: load(options.config)
            )
            runner.run(_run(server, listeners, Notifier.from_environment()))
    logger.info("stopped")


def _database_path(options: Options, config: Config) -> Path:
    return (
        options.database
        or config.settings.database.path
        or Path(paths.default_database_path(os.environ, os.geteuid()))
    ).absolute()


def _listeners(options: Options, config: Config) -> list[Listener]:
    """The sockets that systemd has opened, else the one that we bind."""
    passed = passed_by_systemd()
    if passed:
        if config.settings.socket.group is not None:
            logger.warning(
                "guardd.socket.group does not hold for a socket of systemd's: set SocketGroup= in guardd.socket"
            )
        return passed
    raise_any(unknown_names(config, ("group",)))
    configured = config.settings.socket.path
    path = options.socket or paths.server_socket_path(
        None if configured is None else str(configured), os.environ, os.geteuid()
    )
    return [bind(Path(path), config.settings.socket.group)]


@contextlib.contextmanager
def _closing(listener: Listener) -> Iterator[Listener]:
    try:
        yield listener
    finally:
        listener.close()


def _close(database: Database) -> None:
    """Leave the database in one file, if nobody reads it."""
    try:
        checkpoint(database.connection, 0)
        database.connection.close()
    except sqlite3.Error as error:
        logger.warning(
            "the database was not closed cleanly; nothing is lost", extra=fields(reason=str(error))
        )


def _tell(config: Config, database: Database) -> None:
    """Say what was found at the start."""
    for note in (*config.notes, *config.warnings):
        logger.warning(note)
    migration = database.migration
    if migration.before != migration.after:
        logger.info(
            "the database was brought to this version's schema",
            extra=fields(before=migration.before, after=migration.after, backup=migration.backup),
        )


async def _run(server: Server, listeners: list[Listener], notifier: Notifier) -> None:
    stop = asyncio.Event()
    loop = server.loop
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop.set)
    loop.add_signal_handler(signal.SIGHUP, _reload(server, notifier))
    accepting = [
        await loop.create_unix_server(  # type: ignore[call-arg]  # uvloop takes more than asyncio declares
            server.make_connection,
            sock=listener.socket,
            backlog=socket.SOMAXCONN,
            cleanup_socket=False,  # whose file it is, the listener knows
        )
        for listener in listeners
    ]
    background = [loop.create_task(tend(server)), loop.create_task(keep_retention(server))]
    if notifier.watchdog_interval is not None:
        background.append(loop.create_task(feed_watchdog(server, notifier, notifier.watchdog_interval)))
    server.socket = next((listener.path for listener in listeners if listener.path), None)
    for listener in listeners:
        logger.info(
            "ready",
            extra=fields(
                version=guardd.__version__,
                pid=os.getpid(),
                socket=listener.path,
                database=server.database.path,
                config=server.config.path,
            ),
        )
    notifier.ready("answering")
    waiting = loop.create_task(stop.wait())
    await asyncio.wait([waiting, *background], return_when=asyncio.FIRST_COMPLETED)
    logger.info("stopping")
    notifier.stopping()
    for accepted in accepting:
        accepted.close()
    for task in (waiting, *background):
        task.cancel()
    await server.stop(PATIENCE_SECONDS)
    notifier.close()
    for task in background:
        if task.done() and not task.cancelled() and (fault := task.exception()) is not None:
            logger.error("stopped by a fault inside guardd; this is a bug", exc_info=fault)
            raise fault


def _reload(server: Server, notifier: Notifier) -> Callable[[], None]:
    def reload() -> None:
        notifier.reloading()
        try:
            server.reload()
        except ConfigError:  # the log says why
            notifier.ready("answering, with the configuration from before: the changed one is wrong")
        else:
            notifier.ready("answering")

    return reload
