"""The threads that read: on connections that cannot write, so that no verdict waits for an operator's question."""

import asyncio
import contextlib
import sqlite3
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TypeVar

import sqlalchemy

from guardd.protocol.errors import ShuttingDown
from guardd.store.connecting import reading_engine

T = TypeVar("T")

THREADS = 2


class Readers:
    """A few threads, each with a connection of its own.

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
        self._at_work: set[sqlite3.Connection] = set()
        self._closed = False

    async def ask(self, work: Callable[[sqlalchemy.Connection], T]) -> T:
        """Ask the database something; all that is read is of one moment."""

        def read() -> T:
            with self._engine.connect() as connection:
                raw = connection.connection.driver_connection
                assert raw is not None
                with self.interruptible(raw):
                    connection.exec_driver_sql("begin")
                    return work(connection)

        return await self.in_thread(read)

    async def in_thread(self, work: Callable[[], T]) -> T:
        """Do something that takes long; it brings its own connection, and says so by `interruptible`.

        Raises:
            ShuttingDown: `close` was called.
        """
        if self._closed:
            raise ShuttingDown
        return await self._loop.run_in_executor(self._threads, work)

    @contextlib.contextmanager
    def interruptible(self, connection: sqlite3.Connection) -> Iterator[None]:
        """While a thread works with a connection, `close` may break that off."""
        self._at_work.add(connection)
        try:
            yield
        finally:
            self._at_work.discard(connection)

    async def close(self, patience: float) -> None:
        """Break off what is being read.

        Args:
            patience: seconds after which whatever is still not over is left alone.
        """
        self._closed = True
        self._threads.shutdown(wait=False, cancel_futures=True)
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(patience):
                await self._break_off()
        self._engine.dispose()

    async def _break_off(self) -> None:
        while self._at_work:
            for connection in list(self._at_work):
                with contextlib.suppress(sqlite3.ProgrammingError):  # it was closed just now
                    connection.interrupt()  # ends the statement that runs, if one does
            await asyncio.sleep(0.01)
