"""What both clients do, against a daemon that misbehaves by script."""

import logging
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from guardd.client import GuardDenied, GuardUnavailable, Scope, Verdict
from guardd.client import session as session_module
from guardd.protocol.errors import Denied, MethodNotFound, Overloaded

SCOPE = Scope(run_id="r1", session_key="s1", agent_id="a1")
Connect = Callable[..., Any]


def ignore(_peer: Any, _request: Any) -> None:
    """Never answer."""


def hang_up(peer: Any, _request: Any) -> None:
    peer.close()


def log_lines(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [record.getMessage() for record in caplog.records if record.name == "guardd.client"]


def test_every_method_sends_its_parameters_and_reads_its_answer(daemon: Any, connect: Connect):
    client = connect(source="cli")
    assert client.start_run(SCOPE, metadata={"a": 1}, fresh=True).calls == 7
    assert client.before_call(SCOPE, "exec", {"command": "ls"}, "c1") == Verdict("allow", seq=1)
    after = client.after_call(SCOPE, "exec", {"command": "ls"}, result="out", duration_ms=3, call_id="c1")
    assert after.compaction_guard.remaining == 0
    assert client.record_compaction(SCOPE, reason="overflow").armed
    assert client.end_run(SCOPE, "aborted", "why") is True
    assert client.request("server.status") == {"echo": daemon.requests[-1]["params"]}
    assert daemon.methods == [
        "run.start",
        "tool.before",
        "tool.after",
        "compaction.record",
        "run.end",
        "server.status",
    ]
    assert all(len(request["params"].pop("requestId")) == 32 for request in daemon.requests)
    scope = {"source": "cli", "runId": "r1", "sessionKey": "s1", "agentId": "a1"}
    call = {"toolName": "exec", "toolCallId": "c1", "args": {"command": "ls"}}
    assert daemon.params("tool.before") == [scope | call]
    assert daemon.params("tool.after") == [scope | call | {"result": "out", "durationMs": 3}]
    assert daemon.connections == 1


def test_values_that_json_does_not_know_are_sent_as_text(daemon: Any, connect: Connect):
    connect().before_call(SCOPE, "\udc80", {"path": Path("/x"), "self": object()})
    [params] = daemon.params("tool.before")
    assert params["args"] == {"path": "/x", "self": "<object object at 0x>"}
    assert params["toolName"] == "\\udc80"


def test_a_large_result_is_sent_as_its_digest(daemon: Any, connect: Connect):
    client = connect(frame_limit=10_000)
    for result in ("x" * 20_000, "x" * 20_000, "x" * 19_999 + "y"):
        assert client.after_call(SCOPE, "exec", {}, result=result).degraded is None
    first, second, third = (params["result"] for params in daemon.params("tool.after"))
    assert first == second != third
    assert first["bytes"] == 20_002


def test_a_lost_reply_is_asked_for_again_with_the_same_request_id(daemon: Any, connect: Connect):
    daemon.script = [hang_up, hang_up]
    assert connect().before_call(SCOPE, "exec", {"a": 1}) == Verdict("allow", seq=1)
    first, *others = daemon.requests
    assert len(others) == 2
    assert all(other == first for other in others)


def test_half_a_reply_is_no_reply(daemon: Any, connect: Connect):
    def half(peer: Any, request: Any) -> None:
        peer.send(b'{"jsonrpc": "2.0", "id": %d, "result": {"action": "bl' % request["id"])
        peer.close()

    daemon.script = [half]
    assert connect().before_call(SCOPE, "exec").seq == 1


def test_a_reply_in_pieces_is_one_reply(daemon: Any, connect: Connect):
    def pieces(peer: Any, request: Any) -> None:
        for byte in b'{"id": %d, "result": {"action": "warn"}}\r\n' % request["id"]:
            peer.send(bytes([byte]))

    daemon.script = [pieces]
    assert connect().before_call(SCOPE, "exec").action == "warn"


def test_an_idle_connection_that_broke_is_replaced(daemon: Any, connect: Connect):
    client = connect()
    for connections in (1, 2, 3):
        assert client.before_call(SCOPE, "exec").degraded is None
        assert daemon.connections == connections
        daemon.hang_up()


def test_a_restart_goes_unnoticed(daemon: Any, connect: Connect, caplog: pytest.LogCaptureFixture):
    def die(peer: Any, request: Any) -> None:
        del peer, request
        threading.Thread(target=restart).start()

    def restart() -> None:
        daemon.kill()
        restarted.wait(0.1)
        daemon.start()
        restarted.set()

    restarted = threading.Event()
    client = connect()
    client.before_call(SCOPE, "exec")
    daemon.script = [die]
    assert client.before_call(SCOPE, "exec").degraded is None
    assert restarted.wait(5)
    assert log_lines(caplog) == []


def test_a_daemon_that_is_down_costs_nothing_and_is_told_once(
    daemon: Any, connect: Connect, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(session_module, "SHORTEST_PAUSE", 60.0)
    client = connect()
    daemon.kill()
    verdict = client.before_call(SCOPE, "exec")
    assert verdict.allowed
    assert verdict.degraded == f"no guardd at {daemon.path}: start it with `guardd serve`"
    tries: list[str | None] = []
    for module in ("blocking_link", "aio_link"):
        monkeypatch.setattr(f"guardd.client.{module}.open_socket", tries.append)
    for name in ("before_call", "after_call", "before_call"):
        assert getattr(client, name)(SCOPE, "exec", object()).degraded == verdict.degraded
    assert client.end_run(SCOPE) is False
    assert client.start_run(SCOPE).degraded == client.record_compaction(SCOPE).degraded == verdict.degraded
    assert tries == []
    assert log_lines(caplog) == [f"{verdict.degraded}; calls go on unguarded"]


def test_it_finds_its_way_back(
    daemon: Any, connect: Connect, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(session_module, "SHORTEST_PAUSE", 0.01)
    daemon.kill()
    client = connect()
    assert client.before_call(SCOPE, "exec").degraded
    daemon.start()
    deadline = time.monotonic() + 5
    while client.before_call(SCOPE, "exec").degraded:
        assert time.monotonic() < deadline
    assert client.before_call(SCOPE, "exec").seq == 1
    assert len(log_lines(caplog)) == 2
    assert log_lines(caplog)[1].startswith("guardd answers again; it missed ")


def test_fail_closed_refuses_calls_but_never_loses_a_result(daemon: Any, connect: Connect):
    daemon.kill()
    client = connect(fail_closed=True)
    for _ in range(2):
        with pytest.raises(GuardUnavailable, match=r"no guardd at .*: start it with `guardd serve`"):
            client.before_call(SCOPE, "exec")
    assert client.after_call(SCOPE, "exec", result=1).degraded
    assert client.end_run(SCOPE) is False
    with pytest.raises(GuardUnavailable):
        client.request("server.status")


def test_a_daemon_that_hangs_costs_one_timeout(
    daemon: Any, connect: Connect, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(session_module, "SHORTEST_PAUSE", 3600.0)
    client = connect(timeout=0.2)
    daemon.script = [ignore] * 10
    for _ in range(10):
        assert client.before_call(SCOPE, "exec").degraded == "guardd did not answer in time"
    assert len(daemon.requests) == 1


def test_a_late_reply_is_never_taken_for_another_requests(
    daemon: Any, connect: Connect, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(session_module, "SHORTEST_PAUSE", 0.0)
    held: list[tuple[Any, Any]] = []

    def late_first(peer: Any, request: Any) -> None:
        for held_peer, held_request in held:
            held_peer.reply(held_request, {"action": "abort"})
            peer.reply(held_request, {"action": "abort"})
        peer.reply(request, {"action": "allow", "seq": 2})

    daemon.script = [lambda peer, request: held.append((peer, request)), late_first]
    client = connect(timeout=0.2)
    assert client.before_call(SCOPE, "exec").degraded
    assert client.before_call(SCOPE, "exec").seq == 2


@pytest.mark.parametrize("garbage", [b"HTTP/1.1 400 Bad Request\r\n\r\n", b"[]\n", b"\x80\n"])
def test_something_else_behind_the_socket_is_an_outage(daemon: Any, connect: Connect, garbage: bytes):
    daemon.script = [lambda peer, _: peer.send(garbage)]
    assert "not understood" in connect().before_call(SCOPE, "exec").degraded


@pytest.mark.parametrize("result", [None, {}, {"action": "pause"}, "allow"])
def test_an_answer_that_means_nothing_follows_the_policy(daemon: Any, connect: Connect, result: object):
    daemon.script = [lambda peer, request: peer.reply(request, result)] * 2
    assert "not understood" in connect().before_call(SCOPE, "exec").degraded
    with pytest.raises(GuardUnavailable, match="not understood"):
        connect(fail_closed=True).before_call(SCOPE, "exec")


def test_an_overloaded_daemon_is_not_pressed(daemon: Any, connect: Connect):
    daemon.script = [lambda peer, request: peer.refuse(request, -32004, "busy", kind="overloaded")] * 2
    client = connect()
    assert client.before_call(SCOPE, "exec").degraded == "busy"
    with pytest.raises(Overloaded):
        client.request("run.list")
    assert client.before_call(SCOPE, "exec").seq == 1
    assert daemon.connections == 1


def test_a_daemon_that_shuts_down_is_asked_again_after_its_restart(daemon: Any, connect: Connect):
    daemon.script = [lambda peer, request: peer.refuse(request, -32005, "bye", kind="shutting_down")] * 2
    assert connect().before_call(SCOPE, "exec").seq == 1
    assert len({params["requestId"] for params in daemon.params("tool.before")}) == 1


def test_a_refused_user_is_told(daemon: Any, connect: Connect, caplog: pytest.LogCaptureFixture):
    def refuse(peer: Any) -> None:
        peer.refuse(None, -32002, "user 5 is no gateway", kind="denied")
        peer.close()

    daemon.greeting = refuse
    client = connect()
    with pytest.raises(Denied, match="user 5"):
        client.request("run.list")
    assert "user 5 is no gateway" in client.before_call(SCOPE, "exec").degraded
    assert len(log_lines(caplog)) == 1


def test_errors_of_the_daemon_raise_from_request_only(
    daemon: Any, connect: Connect, caplog: pytest.LogCaptureFixture
):
    def unknown(peer: Any, request: Any) -> None:
        peer.refuse(request, -32601, "no such method")

    daemon.script = [unknown] * 4
    client = connect()
    with pytest.raises(MethodNotFound, match="no such method"):
        client.request("run.fly", {"run": "r1"})
    for _ in range(2):
        assert client.before_call(SCOPE, "exec").degraded == "no such method"
    assert [record.levelno for record in caplog.records if record.name == "guardd.client"] == [logging.ERROR]
    with pytest.raises(MethodNotFound):
        connect(fail_closed=True).before_call(SCOPE, "exec")


def test_mistakes_of_the_program_raise_with_and_without_a_daemon(daemon: Any, connect: Connect):
    for _ in range(2):
        client = connect()
        with pytest.raises(TypeError):
            client.before_call(SCOPE, 5)
        with pytest.raises(ValueError, match="active"):
            client.end_run(SCOPE, "active")
        daemon.kill()
    with pytest.raises(ValueError, match="timeout"):
        connect(timeout=0)
    daemon.start()


@pytest.mark.timeout(60)
def test_a_request_may_have_its_own_timeout(daemon: Any, connect: Connect):
    daemon.script = [ignore]
    with pytest.raises(GuardUnavailable, match="in time"):
        connect(timeout=3600).request("db.check", timeout=0.05)


def test_a_closed_client_opens_another_connection(daemon: Any, connect: Connect):
    client = connect()
    client.before_call(SCOPE, "exec")
    if hasattr(client, "runner"):
        client.runner.run(client.client.close())
    else:
        client.close()
    assert client.before_call(SCOPE, "exec").seq == 1
    assert daemon.connections == 2


def test_a_full_queue_of_connections_is_waited_for(
    daemon: Any, connect: Connect, monkeypatch: pytest.MonkeyPatch
):
    from guardd.client import connecting  # noqa: PLC0415 - the function before it is replaced

    attempts: list[str | None] = []

    def busy_at_first(path: str | None) -> object:
        attempts.append(path)
        if len(attempts) < 3:
            raise BlockingIOError
        return connecting.open_socket(path)

    for module in ("blocking_link", "aio_link"):
        monkeypatch.setattr(f"guardd.client.{module}.open_socket", busy_at_first)
    assert connect().before_call(SCOPE, "exec").seq == 1
    assert len(attempts) == 3
    assert daemon.connections == 1


def test_a_socket_that_keeps_the_user_out_degrades(
    daemon: Any, connect: Connect, monkeypatch: pytest.MonkeyPatch
):
    def keep_out(path: str | None) -> object:
        raise GuardDenied(f"the permissions of {path} keep you out")

    for module in ("blocking_link", "aio_link"):
        monkeypatch.setattr(f"guardd.client.{module}.open_socket", keep_out)
    client = connect()
    assert "keep you out" in client.before_call(SCOPE, "exec").degraded
    with pytest.raises(GuardDenied):
        client.request("run.list")
    assert daemon.connections == 0
