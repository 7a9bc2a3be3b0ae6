"""What is the asyncio client's own: many requests at once, cancellation, event loops that come and go."""

import asyncio
import gc
import threading
import time
import warnings
from typing import Any

import pytest
import uvloop

from guardd.client import AsyncGuardClient, GuardUnavailable, Scope
from guardd.client import session as session_module

SCOPE = Scope(run_id="r1")


def ignore(_peer: Any, _request: Any) -> None:
    """Never answer."""


def number_of(request: Any) -> int:
    return int(request["params"]["args"]["number"])


def echo_number(peer: Any, request: Any) -> None:
    peer.reply(request, {"action": "allow", "seq": number_of(request)})


async def ask_many(client: AsyncGuardClient, count: int) -> list[int | None]:
    verdicts = await asyncio.gather(
        *(client.before_call(SCOPE, "exec", {"number": number}) for number in range(count))
    )
    return [verdict.seq for verdict in verdicts]


async def test_requests_share_a_connection_and_keep_their_order(daemon: Any):
    daemon.script = [echo_number] * 400
    async with AsyncGuardClient(daemon.path, timeout=30) as client:
        for _ in range(2):  # before there is a connection, and with one
            assert await ask_many(client, 200) == list(range(200))
    assert [number_of(request) for request in daemon.requests] == list(range(200)) * 2
    assert daemon.connections == 1


async def test_replies_may_come_in_another_order(daemon: Any):
    held: list[Any] = []

    def answer_backwards(peer: Any, request: Any) -> None:
        held.append(request)
        if len(held) == 20:
            for earlier in reversed(held):
                echo_number(peer, earlier)

    daemon.script = [answer_backwards] * 20
    async with AsyncGuardClient(daemon.path, timeout=30) as client:
        assert await ask_many(client, 20) == list(range(20))


async def test_a_break_repeats_all_that_was_not_answered(daemon: Any):
    def break_down(peer: Any, _request: Any) -> None:
        peer.close()

    daemon.script = [echo_number, echo_number, break_down]
    async with AsyncGuardClient(daemon.path, timeout=30) as client:
        tasks = asyncio.create_task(ask_many(client, 10))
        await asyncio.to_thread(daemon.wait, lambda: len(daemon.requests) >= 11)
        await tasks
    ids = [request["params"]["requestId"] for request in daemon.requests]
    assert len(set(ids)) == 10
    again = [number_of(request) for request in daemon.requests[3:]]
    assert again == sorted(again)


async def test_a_cancelled_request_does_not_disturb_the_others(daemon: Any):
    held: list[tuple[Any, Any]] = []
    daemon.script = [lambda peer, request: held.append((peer, request))]
    async with AsyncGuardClient(daemon.path, timeout=30) as client:
        task = asyncio.create_task(client.before_call(SCOPE, "exec"))
        await asyncio.to_thread(daemon.wait, lambda: bool(held))
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        [(peer, request)] = held
        peer.reply(request, {"action": "abort"})
        assert (await client.before_call(SCOPE, "exec")).action == "allow"
    assert daemon.connections == 1


async def test_a_request_that_is_only_slow_does_not_cost_the_others_their_connection(daemon: Any):
    daemon.script = [ignore]
    async with AsyncGuardClient(daemon.path, timeout=30) as client:
        slow = asyncio.create_task(client.request("db.check", timeout=0.3))
        await asyncio.to_thread(daemon.wait, lambda: bool(daemon.requests))
        assert (await client.before_call(SCOPE, "exec")).seq == 1
        with pytest.raises(GuardUnavailable, match="in time"):
            await slow
        assert (await client.before_call(SCOPE, "exec")).seq == 1
    assert daemon.connections == 1


async def test_a_loop_that_was_busy_elsewhere_still_takes_the_answer(
    daemon: Any, monkeypatch: pytest.MonkeyPatch
):
    answered = threading.Event()

    def answer(peer: Any, request: Any) -> None:
        peer.reply(request, {"action": "allow", "seq": 2})
        answered.set()

    now = time.monotonic
    async with AsyncGuardClient(daemon.path, timeout=30) as client:
        await client.before_call(SCOPE, "exec")
        daemon.script = [answer]
        task = asyncio.create_task(client.before_call(SCOPE, "exec"))
        await asyncio.sleep(0)
        assert answered.wait(30)  # while the loop stands still
        monkeypatch.setattr(time, "monotonic", lambda: now() + 60)
        assert (await task).seq == 2


async def test_closing_fails_what_is_not_answered(daemon: Any):
    daemon.script = [ignore]
    client = AsyncGuardClient(daemon.path, timeout=30)
    task = asyncio.create_task(client.before_call(SCOPE, "exec"))
    await asyncio.to_thread(daemon.wait, lambda: bool(daemon.requests))
    await client.close()
    assert (await task).degraded == "the client was closed"
    await client.close()


async def test_closing_while_connecting_leaves_nothing_behind(daemon: Any, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(session_module, "GRACE_PAUSE", 60.0)
    client = AsyncGuardClient(daemon.path, timeout=30)
    await client.before_call(SCOPE, "exec")
    daemon.kill()
    tried = asyncio.Event()

    def refuse(path: str | None) -> object:
        tried.set()
        raise GuardUnavailable(f"no guardd at {path}")

    monkeypatch.setattr("guardd.client.aio_link.open_socket", refuse)
    task = asyncio.create_task(client.before_call(SCOPE, "exec"))
    await tried.wait()
    assert not task.done()
    await client.close()
    assert (await task).degraded
    assert asyncio.all_tasks() == {asyncio.current_task()}


def test_another_event_loop_gets_another_connection(daemon: Any):
    client = AsyncGuardClient(daemon.path, timeout=5)

    async def ask() -> int | None:
        return (await client.before_call(SCOPE, "exec")).seq

    async def ask_and_close() -> int | None:
        async with client:
            return await ask()

    with warnings.catch_warnings():
        # Of the first loop's connection, which was not closed.
        warnings.simplefilter("ignore", ResourceWarning)
        assert asyncio.run(ask()) == 1
        assert asyncio.run(ask_and_close()) == 1
        gc.collect()
    assert daemon.connections == 2


def test_it_works_on_uvloop(daemon: Any):
    async def go() -> list[int | None]:
        async with AsyncGuardClient(daemon.path, timeout=5) as client:
            daemon.script = [echo_number] * 5
            numbers = await ask_many(client, 5)
            daemon.hang_up()
            assert (await client.before_call(SCOPE, "exec")).seq == 1
            daemon.script = [lambda peer, _request: peer.close()]
            assert (await client.before_call(SCOPE, "exec")).seq == 1
            return numbers

    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        assert runner.run(go()) == [0, 1, 2, 3, 4]


async def test_an_unexpected_failure_to_connect_is_an_outage(daemon: Any, monkeypatch: pytest.MonkeyPatch):
    def fail(_path: str | None) -> object:
        raise ZeroDivisionError

    async with AsyncGuardClient(daemon.path, timeout=5) as client:
        monkeypatch.setattr("guardd.client.aio_link.open_socket", fail)
        verdict = await client.before_call(SCOPE, "exec")
    assert verdict.degraded == "cannot connect to guardd: ZeroDivisionError()"
