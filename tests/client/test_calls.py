"""Runs and calls as context managers, of both clients."""

import asyncio
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

from guardd.client import AsyncGuardClient, CallBlocked, GuardClient, GuardUnavailable, RunAborted
from guardd.client import calls as calls_module

Connect = Callable[..., Any]
MESSAGE = "You have called exec 10 times with the same result. Try something else."


def verdict(action: str) -> Callable[[Any, Any], None]:
    detection = {"detector": "generic_repeat", "level": "critical", "notify": True, "message": MESSAGE}
    return lambda peer, request: peer.reply(request, {"action": action, "seq": 5, "detection": detection})


def set_result(call: Any) -> None:
    call.result = {"text": "out"}


def do_nothing(_call: Any) -> None:
    """Forget the result."""


def never(_call: Any) -> None:
    raise AssertionError("the block was entered")


def test_a_call_is_asked_about_and_its_result_is_reported(
    daemon: Any, connect: Connect, monkeypatch: pytest.MonkeyPatch
):
    clock = iter([10.0, 10.25])
    monkeypatch.setattr(calls_module, "time", SimpleNamespace(perf_counter=clock.__next__))
    call = connect().play(set_result, run_id="r1", agent_id="a1", metadata={"m": 1}, fresh=True)
    assert daemon.methods == ["run.start", "tool.before", "tool.after", "run.end"]
    assert all(request["params"]["runId"] == "r1" for request in daemon.requests)
    assert all(request["params"]["agentId"] == "a1" for request in daemon.requests)
    start, _, report, end = (request["params"] for request in daemon.requests)
    assert (start["metadata"], start["fresh"]) == ({"m": 1}, True)
    assert (report["toolCallId"], report["args"]) == ("c1", {"command": "ls"})
    assert report["result"] == {"text": "out"}
    assert "error" not in report
    assert report["durationMs"] == 250
    assert end["status"] == "completed"
    assert (call.verdict.seq, call.after.seq) == (1, 1)


def test_an_exception_is_reported_as_the_error_and_goes_on(daemon: Any, connect: Connect):
    def fail(call: Any) -> None:
        call.result = "half"
        raise ValueError("boom")

    with pytest.raises(ValueError, match="boom"):
        connect().play(fail)
    [report] = daemon.params("tool.after")
    assert report["error"] == "ValueError: boom"
    assert "result" not in report
    [end] = daemon.params("run.end")
    assert (end["status"], end["reason"]) == ("failed", "ValueError")


def test_an_error_without_an_exception_can_be_set(daemon: Any, connect: Connect):
    def fail(call: Any) -> None:
        call.error = "exit status 1"

    connect().play(fail)
    assert daemon.params("tool.after")[0]["error"] == "exit status 1"


def test_none_is_a_result(daemon: Any, connect: Connect):
    def return_none(call: Any) -> None:
        call.result = None

    connect().play(return_none)
    assert daemon.params("tool.after")[0]["result"] is None


def test_a_call_without_a_result_has_no_outcome_and_that_is_told_once_a_tool(
    daemon: Any, connect: Connect, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(calls_module, "_told_unset", set())
    client = connect()
    for tool in ("exec", "exec", "read"):
        assert client.play(do_nothing, tool=tool).after is None
    assert "tool.after" not in daemon.methods
    assert [record.getMessage().split()[3] for record in caplog.records] == ["exec", "read"]


@pytest.mark.parametrize(
    ("action", "error", "status"), [("block", CallBlocked, "failed"), ("abort", RunAborted, "aborted")]
)
def test_what_guardd_stops_raises_before_the_block(
    daemon: Any, connect: Connect, action: str, error: type[Exception], status: str
):
    client = connect()
    client.request("warm.up")
    daemon.script = [lambda peer, request: peer.reply(request, {}), verdict(action)]
    with pytest.raises(error) as caught:
        client.play(never)
    assert str(caught.value) == MESSAGE
    assert caught.value.verdict.seq == 5  # type: ignore[attr-defined]
    assert daemon.methods[1:] == ["run.start", "tool.before", "run.end"]
    assert daemon.params("run.end")[0]["status"] == status


@pytest.mark.parametrize("action", ["block", "abort", "warn"])
def test_who_does_not_want_exceptions_looks_at_the_verdict(daemon: Any, connect: Connect, action: str):
    client = connect()
    daemon.script = [lambda peer, request: peer.reply(request, {}), verdict(action)]
    seen = []
    call = client.play(lambda call: seen.append(call.verdict.notice), raising=False)
    assert seen == [MESSAGE]
    assert call.verdict.allowed is (action == "warn")
    assert "tool.after" not in daemon.methods


def test_an_abort_by_the_outcome_raises_after_the_block(daemon: Any, connect: Connect):
    def script() -> list[Any]:
        def answer(peer: Any, request: Any) -> None:
            peer.reply(request, {"action": "allow"})

        return [answer, answer, verdict("abort")]

    daemon.script = script()
    with pytest.raises(RunAborted, match="10 times"):
        connect().play(set_result)
    assert daemon.params("run.end")[0]["status"] == "aborted"
    daemon.script = script()
    assert connect().play(set_result, raising=False).after.action == "abort"


def test_an_abort_by_the_outcome_does_not_replace_the_tools_exception(daemon: Any, connect: Connect):
    def fail(_call: Any) -> None:
        daemon.script = [verdict("abort")]
        raise ValueError("boom")

    with pytest.raises(ValueError, match="boom"):
        connect().play(fail)


def test_a_run_without_a_name_has_an_id_of_its_own(daemon: Any, connect: Connect):
    for _ in range(2):
        connect().play(set_result)
    first, second = (
        {request["params"]["runId"] for request in part}
        for part in (daemon.requests[:4], daemon.requests[4:])
    )
    assert len(first) == len(second) == 1
    assert first != second


def test_a_session_alone_is_the_scope(daemon: Any, connect: Connect):
    connect().play(set_result, session_key="s1")
    assert all("runId" not in request["params"] for request in daemon.requests)


def test_without_a_daemon_everything_runs_as_if_there_were_no_guard(daemon: Any, connect: Connect):
    daemon.kill()
    call = connect().play(set_result)
    assert call.verdict.degraded
    assert call.after.degraded
    with pytest.raises(GuardUnavailable, match="guardd serve"):
        connect(fail_closed=True).play(never)


def test_a_run_passes_everything_on(daemon: Any):
    with GuardClient(daemon.path) as client:
        run = client.run("r1")
        assert run.started is None
        assert run.start().resumed
        assert run.before_call("exec", {"a": 1}, "c1").allowed
        assert run.after_call("exec", {"a": 1}, error="x", duration_ms=1, call_id="c1").allowed
        assert run.record_compaction(will_retry=False, tokens_before=2).armed
        assert run.end("failed", "why")
    assert all(request["params"]["runId"] == "r1" for request in daemon.requests)
    assert daemon.methods == ["run.start", "tool.before", "tool.after", "compaction.record", "run.end"]


async def test_an_asyncio_run_passes_everything_on(daemon: Any):
    async with AsyncGuardClient(daemon.path) as client:
        run = client.run("r1")
        assert run.started is None
        assert (await run.start()).resumed
        assert (await run.before_call("exec", {"a": 1}, "c1")).allowed
        assert (await run.after_call("exec", {"a": 1}, error="x", duration_ms=1, call_id="c1")).allowed
        assert (await run.record_compaction(will_retry=False, tokens_before=2)).armed
        assert await run.end("failed", "why")
    assert all(request["params"]["runId"] == "r1" for request in daemon.requests)
    assert daemon.methods == ["run.start", "tool.before", "tool.after", "compaction.record", "run.end"]


def test_an_interrupt_aborts_the_run_and_is_the_calls_error(daemon: Any):
    with (
        GuardClient(daemon.path) as client,
        pytest.raises(KeyboardInterrupt),
        client.run() as run,
        run.call("exec"),
    ):
        raise KeyboardInterrupt
    assert daemon.params("tool.after")[0]["error"] == "KeyboardInterrupt"
    assert daemon.params("run.end")[0]["status"] == "aborted"


async def test_a_timeout_around_a_tool_is_its_error(daemon: Any):
    async with AsyncGuardClient(daemon.path) as client:
        with pytest.raises(TimeoutError):
            async with client.run() as run, asyncio.timeout(0.2), run.call("exec"):
                await asyncio.sleep(60)
    assert daemon.params("tool.after")[0]["error"] == "CancelledError"
    assert daemon.params("run.end")[0]["status"] == "failed"


async def test_a_dropped_generator_reports_nothing(daemon: Any):
    async with AsyncGuardClient(daemon.path) as client:

        async def agent() -> Any:
            async with client.run() as run, run.call("exec"):
                yield 1

        generator = agent()
        assert await anext(generator) == 1
        await generator.aclose()
    assert daemon.methods == ["run.start", "tool.before"]
