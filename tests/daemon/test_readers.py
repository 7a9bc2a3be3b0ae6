import asyncio
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy
from support.databases import open_new
from support.guarding import run_scope

from guardd.daemon.readers import THREADS, Readers
from guardd.protocol.errors import ShuttingDown
from guardd.store.connecting import connect_reader
from guardd.store.copying import Interruptible
from guardd.store.opening import Database

ENDLESS = "with recursive n(x) as (select 1 union all select x + 1 from n) select count(*) from n"


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    with open_new(tmp_path / "guardd.db") as database:
        yield database


@pytest.fixture
async def readers(database: Database) -> AsyncIterator[Readers]:
    readers = Readers(asyncio.get_running_loop(), database.path)
    yield readers
    await readers.close(10)


def count_runs(connection: sqlalchemy.Connection) -> int:
    return int(connection.exec_driver_sql("select count(*) from runs").scalar_one())


async def begin_endless(readers: Readers) -> asyncio.Future[Any]:
    """Ask for what never ends by itself; returns when a thread works on it."""
    begun = threading.Event()

    def work(connection: sqlalchemy.Connection) -> object:
        begun.set()
        return connection.exec_driver_sql(ENDLESS).fetchall()

    reading = asyncio.ensure_future(readers.ask(work))
    await asyncio.to_thread(begun.wait)
    return reading


async def test_what_one_request_reads_is_of_one_moment(readers: Readers, database: Database):
    begun, written = threading.Event(), threading.Event()

    def work(connection: sqlalchemy.Connection) -> tuple[int, int]:
        first = count_runs(connection)
        begun.set()
        written.wait()
        return first, count_runs(connection)

    reading = asyncio.ensure_future(readers.ask(work))
    await asyncio.to_thread(begun.wait)
    database.store.enter_run(run_scope("r"), None, 0)
    written.set()
    assert await reading == (0, 0)
    assert await readers.ask(count_runs) == 1


async def test_nothing_can_be_written(readers: Readers):
    with pytest.raises(sqlalchemy.exc.OperationalError, match="readonly"):
        await readers.ask(lambda connection: connection.exec_driver_sql("delete from runs"))


async def test_a_close_breaks_off_what_takes_too_long(readers: Readers):
    reading = await begin_endless(readers)
    await readers.close(10)
    with pytest.raises(sqlalchemy.exc.OperationalError, match="interrupted"):
        await reading


async def test_what_waits_for_a_thread_at_the_close_is_not_begun(readers: Readers):
    busy = [await begin_endless(readers) for _ in range(THREADS)]
    waiting = asyncio.ensure_future(readers.ask(count_runs))
    await asyncio.sleep(0)
    await readers.close(10)
    results = await asyncio.gather(*busy, waiting, return_exceptions=True)
    assert isinstance(results.pop(), asyncio.CancelledError)
    with pytest.raises(ShuttingDown):
        await readers.ask(count_runs)


# What nobody waits for any more


async def test_what_was_given_up_leaves_its_thread_to_others(readers: Readers):
    given_up = [await begin_endless(readers) for _ in range(THREADS)]
    for reading in given_up:
        reading.cancel()
    results = await asyncio.gather(*given_up, return_exceptions=True)
    assert [type(result) for result in results] == [asyncio.CancelledError] * THREADS
    assert [await readers.ask(count_runs) for _ in range(THREADS)] == [0] * THREADS


async def test_what_is_still_waited_for_goes_on(readers: Readers):
    wanted, given_up = await begin_endless(readers), await begin_endless(readers)
    given_up.cancel()
    await asyncio.wait([given_up])
    assert await readers.ask(count_runs) == 0
    assert not wanted.done()
    wanted.cancel()
    await asyncio.wait([wanted])


async def test_what_brings_its_own_connections_is_broken_off_too(readers: Readers, database: Database):
    begun = threading.Event()

    def work(interruptible: Interruptible) -> None:
        with closing(connect_reader(database.path)) as connection, interruptible(connection):
            begun.set()
            connection.execute(ENDLESS).fetchall()

    reading = asyncio.ensure_future(readers.in_thread(work))
    await asyncio.to_thread(begun.wait)
    reading.cancel()
    with pytest.raises(asyncio.CancelledError):
        await reading


async def test_what_takes_long_holds_its_place_until_its_thread_is_free(readers: Readers):
    """Else two that were given up would hold both threads, and `taking_long` would be anybody's."""
    begun, free = threading.Event(), threading.Event()

    def stuck(_connection: object) -> None:
        begun.set()
        free.wait()

    async def check() -> None:
        async with readers.taking_long:
            await readers.ask(stuck)

    checking = asyncio.ensure_future(check())
    await asyncio.to_thread(begun.wait)
    checking.cancel()
    for _ in range(5):
        await asyncio.sleep(0)
        assert readers.taking_long.locked()
    free.set()
    with pytest.raises(asyncio.CancelledError):
        await checking
    assert not readers.taking_long.locked()


async def test_what_was_given_up_before_its_turn_is_never_begun(readers: Readers):
    busy = [await begin_endless(readers) for _ in range(THREADS)]
    begun: list[object] = []
    waiting = asyncio.ensure_future(readers.ask(begun.append))
    await asyncio.sleep(0)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    assert not any(reading.done() for reading in busy)
    for reading in busy:
        reading.cancel()
    await asyncio.wait(busy)
    assert await readers.ask(count_runs) == 0
    assert begun == []


# What cannot be broken off


async def test_a_close_leaves_alone_what_cannot_be_broken_off(readers: Readers):
    begun, free = threading.Event(), threading.Event()

    def stuck(_connection: object) -> None:
        begun.set()
        free.wait()

    reading = asyncio.ensure_future(readers.ask(stuck))
    await asyncio.to_thread(begun.wait)
    await readers.close(0.05)
    assert not reading.done()
    free.set()
    await reading
