"""The one writer: requests that change state, in the order they came, many to a transaction.

It runs on the event loop, which makes the order obvious and saves two switches between threads for each request.
Whatever has arrived when the loop comes to it is one transaction; replies are handed out after its commit.
"""

import asyncio
import contextlib
import logging
import sqlite3
import time
from collections import deque
from collections.abc import Callable
from typing import TypeVar

import msgspec
from sqlalchemy.exc import DBAPIError

from guardd.daemon.clock import now
from guardd.daemon.errors import bug
from guardd.daemon.logs import fields
from guardd.daemon.metrics import Histogram
from guardd.protocol.errors import RpcError, StorageUnavailable
from guardd.store.store import Store

logger = logging.getLogger("guardd.writer")

T = TypeVar("T")

MOST_AT_ONCE = 256
"""Requests in one transaction, at most: more would make the first of them wait for the last."""


class Change(msgspec.Struct, frozen=True):
    """A request that changes state.

    Attributes:
        work: does it, inside a transaction, given the time in milliseconds since the epoch; returns the JSON of
            the result. It raises an `RpcError` only before it has changed anything.
        answer: takes the result once it is committed, or the error.
    """

    work: Callable[[int], bytes]
    answer: Callable[[bytes | RpcError], None]


class Writer:
    """Carries out changes on the store.

    Attributes:
        commits: transactions so far; the checkpointer looks at it.
        commit_seconds: how long each took to be committed.
    """

    def __init__(
        self,
        loop: asyncio.AbstractEventLoop,
        store: Store,
        committed: Callable[[], None],
        rolled_back: Callable[[], None],
        is_in_place: Callable[[], bool] = lambda: True,
    ) -> None:
        """Write to a store.

        Args:
            loop: where to run.
            store: what to write to.
            committed: called after each commit, before the replies.
            rolled_back: called when a transaction was undone.
            is_in_place: says whether the database is still the file that it was; what is written to a removed
                one would be lost, however well it is committed.
        """
        self._loop = loop
        self._store = store
        self._committed = committed
        self._rolled_back = rolled_back
        self._is_in_place = is_in_place
        self._queue: deque[Change] = deque()
        self._scheduled = False
        self._available = True
        self._changes_at_fault = 0
        self.commits = 0
        self.commit_seconds = Histogram()

    @property
    def waiting(self) -> int:
        """Changes that are not carried out yet."""
        return len(self._queue)

    def submit(self, change: Change) -> None:
        """Carry out a change soon, after all that were submitted before."""
        self._queue.append(change)
        self._schedule()

    async def run(self, work: Callable[[int], T]) -> T:
        """Do something in a transaction, in turn with all other changes.

        Args:
            work: see `Change`; what it returns is given back once it is committed.

        Raises:
            RpcError: it failed, and changed nothing.
        """
        done: asyncio.Future[T] = self._loop.create_future()
        result: list[T] = []

        def keep(at: int) -> bytes:
            result[:] = [work(at)]
            return b""

        def answer(outcome: bytes | RpcError) -> None:
            if done.done():
                return
            if isinstance(outcome, RpcError):
                done.set_exception(outcome)
            else:
                done.set_result(result[0])

        self.submit(Change(keep, answer))
        return await done

    def after_pending(self, callback: Callable[[], None]) -> None:
        """Call back when all that was submitted before is committed; at once if nothing is."""
        if self._queue:
            self.submit(Change(lambda _now: b"", lambda _outcome: callback()))
        else:
            callback()

    def flush(self) -> None:
        """Carry out everything that is waiting, now."""
        while self._queue:
            self._write_some()

    def _schedule(self) -> None:
        if not self._scheduled:
            self._scheduled = True
            self._loop.call_soon(self._run)

    def _run(self) -> None:
        self._scheduled = False
        if self._queue:
            self._write_some()
        if self._queue:
            self._schedule()

    def _write_some(self) -> None:
        """One transaction's worth of the queue."""
        changes = [self._queue.popleft() for _ in range(min(len(self._queue), MOST_AT_ONCE))]
        for change, outcome in zip(changes, self._carry_out(changes), strict=True):
            try:
                change.answer(outcome)
            except Exception as error:  # the others are to be answered all the same
                logger.exception(
                    "an answer could not be handed out; this is a bug",
                    extra=fields(error=type(error).__name__),
                )

    def _carry_out(self, changes: list[Change]) -> list[bytes | RpcError]:
        """Carry out changes in one transaction; where that fails, each in its own: only those at fault fail."""
        if not self._is_in_place():
            gone = sqlite3.OperationalError("its file was removed or replaced; restart guardd")
            return [self._fault(gone)] * len(changes)
        try:
            self._store.begin()
        except sqlite3.Error as error:  # somebody holds it locked, and we have waited for that once
            self._undo()
            return [self._fault(error)] * len(changes)
        at = now()
        results: list[bytes | RpcError] = []
        try:
            for change in changes:
                try:
                    results.append(change.work(at))
                except RpcError as error:
                    results.append(error)
            committing = time.perf_counter()
            self._store.commit()
            self.commit_seconds.observe(time.perf_counter() - committing)
        except Exception as error:  # noqa: BLE001  one request's fault must not become another's
            self._undo()
            if len(changes) == 1:
                return [self._fault(error)]
            return [result for change in changes for result in self._carry_out([change])]
        self._done()
        return results

    def _undo(self) -> None:
        self._rolled_back()
        # If what is wrong lasts, the next transaction cannot begin, and says so.
        with contextlib.suppress(sqlite3.Error):
            self._store.rollback()

    def _done(self) -> None:
        """What follows a commit; whatever happens here, the changes are made and must not be made again."""
        self.commits += 1
        if not self._available and self._store.changes != self._changes_at_fault:
            self._available = True
            logger.warning("the database can be written again")
        try:
            self._committed()
        except Exception as error:
            logger.exception(
                "those who watch could not be told; this is a bug", extra=fields(error=type(error).__name__)
            )

    def _fault(self, error: Exception) -> RpcError:
        if isinstance(error, DBAPIError) and isinstance(error.orig, Exception):
            error = error.orig
        bugs = (sqlite3.IntegrityError, sqlite3.ProgrammingError)
        if isinstance(error, sqlite3.DatabaseError) and not isinstance(error, bugs):
            self._changes_at_fault = self._store.changes
            if self._available:
                self._available = False
                logger.error("the database cannot be written", extra=fields(reason=str(error)))
            return StorageUnavailable(f"the database cannot be written ({error}); nothing was recorded")
        return bug(error)
