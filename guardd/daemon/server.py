"""The daemon at work: admits connections, and leads each call to the writer, to a reader, or to an answer at once."""

import asyncio
import contextlib
import logging
import time
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

import msgspec
import sqlalchemy

from guardd.config import Config, ConfigError, Settings
from guardd.daemon import immediate
from guardd.daemon.access import Policy, peer_of, policy_of
from guardd.daemon.changes import GATEWAY_CHANGES, OPERATOR_CHANGES
from guardd.daemon.connection import Connection
from guardd.daemon.errors import bug, no_method, not_admitted
from guardd.daemon.exchange import Exchange
from guardd.daemon.logs import fields
from guardd.daemon.metrics import Metrics, error_labels
from guardd.daemon.notifying import Notifying
from guardd.daemon.pace import Pace
from guardd.daemon.readers import Readers
from guardd.daemon.reads import READS
from guardd.daemon.requests import Once, answered_once, request_of
from guardd.daemon.watching import Watchers
from guardd.daemon.writer import Change, Writer
from guardd.guard import Guard
from guardd.protocol import gateway_methods as wire
from guardd.protocol import jsonrpc
from guardd.protocol.errors import (
    Denied,
    Overloaded,
    RpcError,
    ShuttingDown,
    StorageUnavailable,
)
from guardd.protocol.methods import METHODS, Method, decode_params
from guardd.store.opening import Database
from guardd.store.reading import resolve_run
from guardd.store.rows import RunRow
from guardd.vocabulary import Role

if TYPE_CHECKING:
    from pathlib import Path

logger = logging.getLogger("guardd.server")

MEBIBYTE = 1024 * 1024

Answer = Callable[[bytes | RpcError], None]

_READ_AT_START: Mapping[str, Callable[[Settings], object]] = {
    "guardd.socket.path": lambda settings: settings.socket.path,
    "guardd.socket.group": lambda settings: settings.socket.group,
    "guardd.database": lambda settings: settings.database,
}
"""The settings that a running daemon does not change."""


class Server:
    """Connections, and what becomes of their calls.

    Attributes:
        config: the settings in force.
        database: the open database.
        guard: decides.
        writer: carries out changes.
        readers: answer what only reads.
        watchers: those who are told of detections.
        notifying: runs the command that is told of them.
        metrics: counts.
        pace: whether the clock can be gone by.
        connections: the open ones.
        stopping: new work is refused.
        buffered: bytes received and not yet worked on, of all connections.
        socket: the file of the socket that it is reached at, if there is one.
    """

    def __init__(
        self,
        loop: asyncio.AbstractEventLoop,
        config: Config,
        database: Database,
        policy: Policy,
        load_config: Callable[[], Config],
    ) -> None:
        """Serve a database.

        Args:
            loop: where to run.
            config: the settings.
            database: open, and locked.
            policy: who may do what.
            load_config: reads the settings again; may raise ConfigError.
        """
        self.loop = loop
        self.config = config
        self._settings_at_start = config.settings
        self.database = database
        self.policy = policy
        self.load_config = load_config
        self.metrics = Metrics()
        self.watchers = Watchers()
        self.pace = Pace()
        self.notifying = Notifying(loop, config.settings.notify, self.metrics)
        self.guard = Guard(database.store, config, database.key, self.watchers.publish)
        self.writer = Writer(loop, database.store, self._committed, self._rolled_back, database.is_in_place)
        self.connections: set[Connection] = set()
        self.stopping = False
        self.socket: Path | None = None
        self.started = time.monotonic()
        self.readers = Readers(loop, database.path)
        self.buffered = 0
        self._nobody_left = asyncio.Event()
        self._nobody_left.set()
        self._tasks: set[asyncio.Task[None]] = set()
        self._background: set[asyncio.Task[None]] = set()
        self._once = Once(database.store, self.writer)
        self._uncommitted_calls: list[str] = []  # the actions that they are to be answered with

    def make_connection(self) -> Connection:
        """A connection for a peer that is about to be admitted."""
        return Connection(self, self.config.settings.limits.frame_mb * MEBIBYTE, self.loop)

    # What a connection tells

    def opened(self, connection: Connection) -> RpcError | None:
        """Admit a peer, or say why not."""
        self.connections.add(connection)
        self._nobody_left.clear()
        try:
            connection.peer = peer_of(connection.transport.get_extra_info("socket"))
        except OSError:
            return Denied("who you are could not be found out")
        connection.roles = self.policy.roles(connection.peer)
        if not connection.roles:
            logger.warning("a connection was refused", extra=fields(uid=connection.peer.uid))
            return not_admitted(connection.peer.uid)
        if len(self.connections) > self.config.settings.limits.connections:
            return Overloaded("too many connections; try again")
        if self.stopping:
            return ShuttingDown()
        return None

    def closed(self, connection: Connection) -> None:
        """Forget a connection."""
        self.connections.discard(connection)
        if not self.connections:
            self._nobody_left.set()
        self.watchers.remove(connection)

    def has_room(self, grown: int) -> bool:
        """Account for unread bytes; False past the limit of all connections together."""
        self.buffered += grown
        return self.buffered <= self.config.settings.limits.buffer_mb * MEBIBYTE

    def received(
        self, connection: Connection, message: jsonrpc.Message, send: Callable[[bytes], None]
    ) -> None:
        """Lead each call of a message to where it is answered."""
        exchange = Exchange(len(message.calls), batch=message.batch, send=send)
        for index, call in enumerate(message.calls):
            if isinstance(call, jsonrpc.Rejected):
                self._count_error(call.error)
                exchange.answer(index, call.id, call.error)
            else:
                self._dispatch(connection, call, self._answering(exchange, index, call))

    def _answering(self, exchange: Exchange, index: int, call: jsonrpc.Request) -> Answer:
        began = time.perf_counter() if call.method.startswith("tool.") else None
        call_id = call.id  # and not the call, whose parameters may be large

        def answer(outcome: bytes | RpcError) -> None:
            if isinstance(outcome, RpcError):
                self._count_error(outcome)
            exchange.answer(index, call_id, outcome)
            if began is not None:
                self.metrics.call_seconds.observe(time.perf_counter() - began)

        return answer

    def refused(self, error: RpcError) -> None:
        """Count an error that a connection ends with."""
        self._count_error(error)

    def _count_error(self, error: RpcError) -> None:
        self.metrics.errors[error_labels(error)] += 1

    # From a call to its answer

    def _dispatch(self, connection: Connection, call: jsonrpc.Request, answer: Answer) -> None:
        try:
            method = self._admit(connection, call)
            params = decode_params(method, call.params)
        except RpcError as error:
            answer(error)
            return
        except Exception as error:  # noqa: BLE001  it costs this request, and nobody else
            answer(bug(error))
            return
        self.metrics.requests[method.name] += 1
        if method.name in GATEWAY_CHANGES or method.name in OPERATOR_CHANGES:
            self.writer.submit(Change(self._work(method, params, call.params), answer))
        elif method.name in READS:
            handle = partial(self._read, method.name, params)
            self.writer.after_pending(lambda: self._start(connection, handle, answer))
        else:
            handle = partial(self._immediately, connection, method, params, call.params)
            self.writer.after_pending(lambda: self._start(connection, handle, answer))

    def _admit(self, connection: Connection, call: jsonrpc.Request) -> Method:
        method = METHODS.get(call.method)
        if method is None:
            raise no_method(call.method)
        if method.roles.isdisjoint(connection.roles):
            raise Denied(f"your user may not call {method.name}")
        if self.stopping:
            raise ShuttingDown
        return method

    def _work(
        self, method: Method, params: msgspec.Struct, raw_params: bytes | None
    ) -> Callable[[int], bytes]:
        """What the writer does for a request, given the time."""

        def work(now: int) -> bytes:
            request = request_of(self.database.key, method.name, params, raw_params)
            if request is None:
                return jsonrpc.encode(self._change(method.name, params, now))
            return answered_once(
                self.database.store, request, now, lambda: self._change(method.name, params, now)
            )

        return work

    def _change(self, name: str, params: msgspec.Struct, now: int) -> object:
        """Carry out a method that changes state, inside the writer's transaction; its result."""
        change = GATEWAY_CHANGES.get(name)
        if change is None:
            return OPERATOR_CHANGES[name](self.guard, params, now, self._resolve)
        result = change(self.guard, params, now)
        if type(result) is wire.Verdict:  # of tool.before alone
            self._uncommitted_calls.append(result.action)
        return result

    async def _immediately(
        self, connection: Connection, method: Method, params: msgspec.Struct, raw_params: bytes | None
    ) -> object:
        """Do what is no transaction of the writer's."""
        handle = partial(immediate.HANDLERS[method.name], self, connection, params)
        request = request_of(self.database.key, method.name, params, raw_params)
        return await (handle() if request is None else self._once.do(request, handle))

    def _resolve(self, run: str) -> RunRow:
        row = self.database.store.run_by_id(resolve_run(self.database.core, run))
        assert row is not None
        return row

    async def _read(self, name: str, params: Any) -> object:  # noqa: ANN401
        return await self.readers.ask(lambda connection: READS[name](connection, params))

    def in_background(self, work: Coroutine[Any, Any, None]) -> None:
        """Do something that nobody waits for, until it is done or the daemon stops."""
        task = self.loop.create_task(work)
        self._background.add(task)
        task.add_done_callback(self._background.discard)

    def _start(self, connection: Connection, handle: Callable[[], Awaitable[object]], answer: Answer) -> None:
        task = self.loop.create_task(self._finish(connection, handle, answer))
        for tasks in (self._tasks, connection.tasks):
            tasks.add(task)
            task.add_done_callback(tasks.discard)

    async def _finish(
        self, connection: Connection, handle: Callable[[], Awaitable[object]], answer: Answer
    ) -> None:
        """Answer one question after the other of a connection, so that no connection fills the readers' queue."""
        try:
            async with connection.turn:
                answer(jsonrpc.encode(await handle()))
        except RpcError as error:
            answer(error)
        except sqlalchemy.exc.DBAPIError as error:
            logger.error("the database cannot be read", extra=fields(reason=str(error.orig)))
            answer(StorageUnavailable(f"the database cannot be read ({error.orig})"))
        except Exception as error:  # noqa: BLE001  it costs this request, and nobody else
            answer(bug(error))

    # What changes while it runs

    def _rolled_back(self) -> None:
        self.watchers.discard()
        self._uncommitted_calls.clear()

    def _committed(self) -> None:
        for action in self._uncommitted_calls:
            self.metrics.calls[action] += 1
        self._uncommitted_calls.clear()
        events = self.watchers.committed()
        if events:
            self.notifying.take(events)
        for event in events:
            detection = event.verdict.detection
            if detection is not None:
                self.metrics.verdicts[detection.detector, event.verdict.action.word] += 1

    def reload(self) -> Config:
        """Read the configuration again and apply it to the next verdict, and to what any peer asks next.

        Raises:
            ConfigError: nothing was changed; the log says so.
        """
        try:
            config = self.load_config()
            policy = policy_of(config)
        except ConfigError as error:
            logger.error("the configuration was not changed", extra=fields(reason=str(error)))
            raise
        self.config = config
        self.policy = policy
        self.guard.configure(config)
        self.notifying.configure(config.settings.notify)
        for connection in list(self.connections):
            if connection.roles:
                self._admit_again(connection)
        logger.info("configuration loaded", extra=fields(path=config.path))
        for warning in (*config.warnings, *self.waits_for_restart()):
            logger.warning(warning)
        return config

    def waits_for_restart(self) -> list[str]:
        """What has changed in the configuration since the start and takes effect at the next one only."""
        return [
            f"{key} has changed, which takes effect at the next start"
            for key, read in _READ_AT_START.items()
            if read(self.config.settings) != read(self._settings_at_start)
        ]

    def _admit_again(self, connection: Connection) -> None:
        """Hold a peer to a policy that has changed."""
        connection.roles = self.policy.roles(connection.peer)
        if Role.READER not in connection.roles:
            self.watchers.remove(connection)
        if not connection.roles:
            connection.refuse(not_admitted(connection.peer.uid))

    async def stop(self, patience: float) -> None:
        """Answer what was asked, and close every connection.

        Args:
            patience: seconds to wait for answers being worked on and for peers to take them.
        """
        self.stopping = True
        self.writer.flush()
        for task in self._background:
            task.cancel()
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=patience)
        for connection in list(self.connections):
            connection.finish()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(patience):
                await self._nobody_left.wait()
        for connection in list(self.connections):
            connection.close(abort=True)
        await self.notifying.close()
        await self.readers.close(patience)

    def uptime(self) -> float:
        """Seconds since the start."""
        return time.monotonic() - self.started
