"""The threads that read: on connections that cannot write, so that no verdict waits for an operator's question."""

import asyncio
import contextlib
import sqlite3
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Generic, TypeVar

import sqlalchemy

from guardd.protocol.errors import ShuttingDown
from guardd.store.connecting import reading_engine
from guardd.store.copying import Interruptible

T = TypeVar("T")

THREADS = 2

_BETWEEN_INTERRUPTS = 0.01  # seconds: one that comes between two statements ends none


class Readers:
    """A few threads, each with a connection of its own. Who waits no longer for one has it broken off.

    Attributes:
        taking_long: held by what may keep a thread for minutes: one at a time, so that another is left.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop, database: Path) -> None:
        """Read a database.

        Args:
            loop: who waits for the threads.
            database: the file.
        """
        self.taking_long = asyncio.Lock()
        self._loop = loop
        self._threads = ThreadPoolExecutor(THREADS, "reader")
        self._engine = reading_engine(database, THREADS)
        self._readings: set[_Reading[Any]] = set()
        self._closed = False

    async def ask(self, work: Callable[[sqlalchemy.Connection], T]) -> T:
        """Ask the database something; all that is read is of one moment."""

        def read(interruptible: Interruptible) -> T:
            with self._engine.connect() as connection:
                raw = connection.connection.driver_connection
                assert raw is not None
                with interruptible(raw):
                    connection.exec_driver_sql("begin")
                    return work(connection)

        return await self.in_thread(read)

    async def in_thread(self, work: Callable[[Interruptible], T]) -> T:
        """Do something that takes long; it brings its own connections, and is given what says so.

        A task that is cancelled meanwhile ends when the thread is free again: it may hold `taking_long`.

        Raises:
            ShuttingDown: `close` was called.
        """
        if self._closed:
            raise ShuttingDown
        reading = _Reading(self._threads, work)
        self._readings.add(reading)
        try:
            return await asyncio.wrap_future(reading.done, loop=self._loop)
        except asyncio.CancelledError:
            await reading.break_off()
            raise
        finally:
            self._readings.discard(reading)

    async def close(self, patience: float) -> None:
        """Break off what is being read.

        Args:
            patience: seconds after which whatever is still not over is left alone.
        """
        self._closed = True
        self._threads.shutdown(wait=False, cancel_futures=True)
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(patience):
                await asyncio.gather(*(reading.break_off() for reading in self._readings))
        self._engine.dispose()


class _Reading(Generic[T]):
    """What a thread does for one question.

    Attributes:
        done: has its result.
    """

    def __init__(self, threads: ThreadPoolExecutor, work: Callable[[Interruptible], T]) -> None:
        self._lock = threading.Lock()
        self._connections: set[sqlite3.Connection] = set()
        self.done = threads.submit(work, self._interruptible)

    @contextlib.contextmanager
    def _interruptible(self, connection: sqlite3.Connection) -> Iterator[None]:
        """While the thread works with a connection, that may be broken off."""
        with self._lock:
            self._connections.add(connection)
        try:
            yield
        finally:
            with self._lock:  # from here on it may be another question's
                self._connections.discard(connection)

    async def break_off(self) -> None:
        """End it; returns when its thread is free."""
        self.done.cancel()  # where it has not begun, it never will
        while not self.done.done():
            with self._lock:
                for connection in self._connections:
                    connection.interrupt()  # ends the statement that runs, if one does
            await asyncio.sleep(_BETWEEN_INTERRUPTS)
