"""From a message to its replies, on a real daemon: routing, order, batches."""

import asyncio
import contextlib
import itertools
import json
import socket
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import msgspec
import pytest
import sqlalchemy
from support.daemon import Daemon, RawClient
from support.databases import open_new
from support.guarding import config

from guardd.daemon import immediate
from guardd.daemon.access import build_policy
from guardd.daemon.changes import GATEWAY_CHANGES, OPERATOR_CHANGES
from guardd.daemon.clock import LAST_MOMENT
from guardd.daemon.connection import Connection
from guardd.daemon.immediate import HANDLERS
from guardd.daemon.readers import THREADS
from guardd.daemon.reads import READS
from guardd.daemon.server import Server
from guardd.daemon.watching import catch_up
from guardd.protocol.errors import InvalidParams, MethodNotFound
from guardd.protocol.methods import METHODS
from guardd.store.reading.events import EventFilter

MakeDaemon = Callable[..., Daemon]
TABLES = (GATEWAY_CHANGES, OPERATOR_CHANGES, READS, HANDLERS)


def calls(client: RawClient, run_id: str, count: int, **params: Any) -> list[dict[str, Any]]:
    return [
        client.request("tool.before", runId=run_id, toolName="read", args={"n": number}, **params)
        for number in range(count)
    ]


# Every method has a handler, and answers what it says


def test_every_method_has_one_handler():
    names = [name for table in TABLES for name in table]
    assert sorted(names) == sorted(METHODS)


def test_what_changes_a_run_goes_through_the_writer():
    changing = {name for name, method in METHODS.items() if method.changes}
    assert {*GATEWAY_CHANGES, *OPERATOR_CHANGES} | {"db.prune"} == changing


SESSION: tuple[tuple[str, dict[str, Any]], ...] = (
    ("run.start", {"runId": "r", "agentId": "a", "metadata": {"model": "m"}}),
    *(("tool.before", {"runId": "r", "toolName": "read", "toolCallId": "c", "args": {}}),) * 5,
    ("tool.before", {"runId": "r", "toolName": "wait"}),
    ("compaction.record", {"runId": "r", "reason": "overflow", "tokensBefore": 9, "tokensAfter": 4}),
    ("tool.after", {"runId": "r", "toolName": "wait", "result": {"text": ""}, "durationMs": 1.5}),
    ("run.end", {"runId": "r", "status": "completed", "reason": "done"}),
    ("tool.before", {"sessionKey": "s", "toolName": "read"}),
    ("tool.after", {"source": "x", "toolName": "read", "error": "no"}),
    ("run.abort", {"run": "session:s", "reason": "enough"}),
    ("tool.before", {"sessionKey": "s", "toolName": "read"}),
    ("run.list", {}),
    ("run.list", {"limit": 1, "looping": True}),
    ("run.get", {"run": "r"}),
    ("run.history", {"run": "r"}),
    ("run.history", {"run": "r", "limit": 2}),
    ("run.history", {"run": "session:s"}),
    ("run.explain", {"run": "r"}),
    ("run.explain", {"run": "r", "seq": 1}),
    ("run.explain", {"run": "session:s"}),
    ("event.list", {}),
    ("event.list", {"limit": 1}),
    ("run.reset", {"run": "r", "reason": "another chance"}),
    ("event.watch", {}),
    ("config.get", {}),
    ("config.get", {"agentId": "a"}),
    ("config.reload", {}),
    ("server.status", {}),
    ("server.metrics", {}),
    ("db.check", {}),
    ("db.prune", {"dryRun": True}),
    ("db.prune", {}),
    ("rpc.discover", {}),
)


@pytest.mark.parametrize("mode", ["enforce", "observe"])
def test_results_are_what_their_methods_declare(make_daemon: MakeDaemon, tmp_path: Path, mode: str):
    loops = {"enabled": True, "warningThreshold": 2, "criticalThreshold": 4}
    daemon = make_daemon({"tools": {"loopDetection": loops}, "guardd": {"mode": mode}}).start()
    session = [*SESSION, ("db.backup", {"path": str(tmp_path / "copy.db")})]
    assert {name for name, _ in session} == set(METHODS)
    for name, params in session:
        answer = daemon.ask(name, **params)
        result = msgspec.convert(answer, METHODS[name].result, strict=True)
        assert json.loads(msgspec.json.encode(result)) == answer, f"{name} answers more than it declares"


# What is wrong is said, and changes nothing


def test_an_unknown_method(client: RawClient):
    with pytest.raises(MethodNotFound, match=r"there is no method 'tool\.during'"):
        client.ask("tool.during", runId="r")


@pytest.mark.parametrize(
    ("params", "field", "why"),
    [
        ({}, "toolName", "toolName is required"),
        ({"toolName": 5}, "toolName", "toolName must be a string, not a number"),
        ({"toolName": None}, "toolName", "toolName is required"),
        ({"toolName": "read", "runId": []}, "runId", "runId must be a string, not an array"),
        ({"toolName": "read", "source": {}}, "source", "source must be a string, not an object"),
    ],
)
def test_wrong_parameters_name_the_field(client: RawClient, params: Any, field: str, why: str):
    before = client.ask("server.status")["calls"]
    with pytest.raises(InvalidParams) as caught:
        client.ask("tool.before", **params)
    assert (caught.value.field, caught.value.message) == (field, why)
    assert client.ask("server.status")["calls"] == before


@pytest.mark.parametrize("params", [["read"], [], [{"toolName": "read"}]])
def test_positional_parameters_are_refused(client: RawClient, params: list[Any]):
    client.send_line({"jsonrpc": "2.0", "id": 1, "method": "tool.before", "params": params})
    error = client.read_line()["error"]
    assert error == {"code": -32602, "message": "the parameters must be given by name, in an object"}


def test_unknown_parameters_are_ignored(client: RawClient, run_id: str):
    assert client.ask("tool.before", runId=run_id, toolName="read", newer={"than": "us"})["seq"] == 1


@pytest.mark.parametrize(
    "call_id",
    [
        b"1",
        b"-0",
        b"1.0",
        b"1e400",
        b"123456789012345678901234567890",
        b'""',
        b'"\\u0041\\u0000"',
        b'"\\ud800"',
        '"\N{SNOWMAN}"'.encode(),
        b"null",
    ],
)
@pytest.mark.parametrize("method", ["tool.before", "run.list", "config.get", "no.such"])
def test_ids_come_back_as_they_were_written(client: RawClient, call_id: bytes, method: str):
    params = b'{"toolName":"read","runId":"ids"}' if method == "tool.before" else b"{}"
    client.send(
        b'{"params":%b,"id" : %b ,"method":"%b","jsonrpc":"2.0"}\n' % (params, call_id, method.encode())
    )
    assert client.read_bytes().startswith(b'{"jsonrpc":"2.0","id":%b,' % call_id)


# Batches and notifications


def test_a_batch_is_answered_in_one_array_and_in_order(client: RawClient, run_id: str):
    before, after = (client.request("tool.before", runId=run_id, toolName="read") for _ in range(2))
    history = client.request("run.history", run=run_id)
    batch = [
        history,
        before,
        {"jsonrpc": "2.0", "method": "tool.before", "params": {"runId": run_id, "toolName": "unanswered"}},
        client.request("no.such"),
        5,
        {"jsonrpc": "2.0", "method": "no.such"},
        client.request("tool.before", runId=run_id),
        client.request("server.status"),
        after,
    ]
    client.send_line(client.request("run.start", runId=run_id))
    client.send_line(batch)
    client.read_line()
    replies = client.read_line()
    answered = [call for call in batch if call == 5 or "id" in call]
    assert [reply["id"] for reply in replies] == [None if call == 5 else call["id"] for call in answered]
    results = [reply.get("result", reply.get("error")) for reply in replies]
    assert [result.get("code") for result in results] == [None, None, -32601, -32600, -32602, None, None]
    assert (results[1]["seq"], results[-1]["seq"]) == (1, 3)
    assert results[5]["calls"] >= 0


def test_a_batch_of_one_is_answered_in_an_array(client: RawClient):
    client.send_line([client.request("server.metrics")])
    assert len(client.read_line()) == 1


@pytest.mark.parametrize(
    ("frame", "code"), [(b"[]\n", -32600), (b"[1,\n", -32700), (b"[" + b"1," * 1000 + b"1]\n", -32600)]
)
def test_a_bad_batch_is_answered_with_one_error(client: RawClient, frame: bytes, code: int):
    client.send(frame)
    reply = client.read_line()
    assert (reply["id"], reply["error"]["code"]) == (None, code)


def test_notifications_are_carried_out_and_never_answered(client: RawClient, run_id: str):
    report = {"jsonrpc": "2.0", "method": "tool.before", "params": {"runId": run_id, "toolName": "read"}}
    client.send_line(
        report,
        [report, report],
        {"jsonrpc": "2.0", "method": "tool.before", "params": {}},
        {"jsonrpc": "2.0", "method": "no.such"},
        {"jsonrpc": "2.0", "method": "run.list"},
        {"jsonrpc": "2.0", "method": "server.status"},
    )
    assert client.call("tool.before", runId=run_id, toolName="read")["result"]["seq"] == 4


# Order


def test_the_calls_of_a_run_take_effect_in_the_order_sent(client: RawClient, run_id: str):
    requests = calls(client, run_id, 1000)
    replies = {reply["id"]: reply["result"]["seq"] for reply in client.pipeline(requests)}
    assert [replies[request["id"]] for request in requests] == list(range(1, 1001))


def test_batches_keep_the_order_too(client: RawClient, run_id: str):
    requests = calls(client, run_id, 900)
    client.send_line(*(requests[start : start + 30] for start in range(0, 900, 30)))
    replies = {reply["id"]: reply["result"]["seq"] for _ in range(30) for reply in client.read_line()}
    assert [replies[request["id"]] for request in requests] == list(range(1, 901))


def test_two_connections_may_work_on_one_run(shared: Daemon, run_id: str):
    with shared.connect() as one, shared.connect() as other:
        for client in (one, other):
            client.send_line(*calls(client, run_id, 200))
        seqs = [[client.read_line()["result"]["seq"] for _ in range(200)] for client in (one, other)]
    assert sorted(itertools.chain(*seqs)) == list(range(1, 401))
    assert all(numbers == sorted(numbers) for numbers in seqs)


def test_a_read_sees_the_writes_that_were_sent_before_it(client: RawClient, run_id: str):
    for round_ in range(1, 21):
        requests = calls(client, run_id, 20)
        history = client.request("run.get", run=run_id)
        replies = {reply["id"]: reply for reply in client.pipeline([*requests, history])}
        assert replies[history["id"]]["result"]["calls"] >= 20 * round_


def test_an_operators_reset_takes_its_turn(client: RawClient, run_id: str):
    reset = client.request("run.reset", run=run_id)
    requests = [
        *(client.request("tool.before", runId=run_id, toolName="read") for _ in range(4)),
        reset,
        client.request("tool.before", runId=run_id, toolName="read"),
    ]
    replies = {reply["id"]: reply["result"] for reply in client.pipeline(requests)}
    actions = [replies[request["id"]].get("action") for request in requests]
    assert actions == ["allow", "allow", "allow", "warn", None, "allow"]


def test_what_was_answered_is_committed(make_daemon: MakeDaemon):
    """Whatever moment the daemon is killed at."""
    daemon = make_daemon().start()
    acknowledged = 0
    for round_ in range(6):
        client = daemon.connect()
        client.send_line(*calls(client, "r", 300))
        for _ in range(1 + 37 * round_):
            acknowledged = client.read_line()["result"]["seq"]
        daemon.restart()
        client.close()
        kept = daemon.ask("run.get", run="r")["calls"]
        assert kept >= acknowledged
        acknowledged = kept
        seqs = [call["seq"] for call in daemon.ask("run.history", run="r", limit=1000)["calls"]]
        assert seqs == list(range(kept - len(seqs) + 1, kept + 1))
    assert daemon.ask("db.check") == {"ok": True, "problems": []}


# The server by itself


@pytest.fixture
async def server(tmp_path: Path) -> AsyncIterator[Server]:
    with open_new(tmp_path / "guardd.db") as database:
        loop = asyncio.get_running_loop()
        server = Server(loop, config(), database, build_policy([], []), load_config=config)
        yield server
        await server.stop(patience=0.1)


async def test_what_takes_long_leaves_a_reader_for_the_rest(server: Server):
    async with server.readers.taking_long:
        checks = [asyncio.ensure_future(HANDLERS["db.check"](server, None, None)) for _ in range(THREADS)]
        status = await HANDLERS["server.status"](server, None, None)
        assert isinstance(status, METHODS["server.status"].result)
        assert not any(check.done() for check in checks)
    assert all(check.ok for check in await asyncio.gather(*checks))


class Transport:
    """Of a peer that is of our own user."""

    def __init__(self, ours: socket.socket) -> None:
        self.ours = ours
        self.written: list[bytes] = []

    def get_extra_info(self, _name: str) -> socket.socket:
        return self.ours

    def set_write_buffer_limits(self, high: int) -> None:
        pass

    def write(self, data: bytes) -> None:
        self.written.append(data)

    def get_write_buffer_size(self) -> int:
        return 0

    def abort(self) -> None:
        pass

    close = abort


@pytest.fixture
def connect(server: Server) -> Iterator[Callable[[], Connection]]:
    """Makes connections that are admitted."""
    with contextlib.ExitStack() as stack:

        def make() -> Connection:
            ours, _theirs = map(stack.enter_context, socket.socketpair())
            connection = server.make_connection()
            connection.connection_made(Transport(ours))
            stack.callback(connection.connection_lost, None)
            return connection

        yield make


def request(method: str, **params: object) -> bytes:
    return json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).encode() + b"\n"


async def test_clients_that_go_away_leave_the_readers_to_others(
    server: Server, connect: Callable[[], Connection], monkeypatch: pytest.MonkeyPatch
):
    """Two Ctrl-C'd `guardctl db check` of a large database once made every read wait until they were through."""
    begun = threading.Event()

    def endless(connection: sqlalchemy.Connection) -> object:
        begun.set()
        return connection.exec_driver_sql(
            "with recursive n(x) as (select 1 union all select x + 1 from n) select count(*) from n"
        ).fetchall()

    with monkeypatch.context() as patched:
        patched.setattr(immediate, "db_check", endless)
        for _ in range(THREADS):
            begun.clear()
            client = connect()
            client.data_received(request("db.check"))
            (asked,) = client.tasks
            await asyncio.to_thread(begun.wait)
            client.connection_lost(None)
            await asyncio.wait([asked])
    assert (await HANDLERS["db.check"](server, None, None)).ok
    assert not server.readers.taking_long.locked()


async def test_what_a_client_that_goes_away_has_asked_to_change_is_changed(
    server: Server, connect: Callable[[], Connection]
):
    client = connect()
    client.data_received(request("tool.before", runId="r", toolName="t"))
    client.connection_lost(None)
    await server.writer.run(lambda _now: None)
    status = await HANDLERS["server.status"](server, None, None)
    assert (status.runs, status.calls) == (1, 1)


async def test_what_happens_while_a_watcher_catches_up_is_no_older_event(
    server: Server, connect: Callable[[], Connection]
):
    """`since` is about those, and a clock that was wrong may have put it into the future."""
    gateway, watching = connect(), connect()

    def abort(run: str) -> None:
        gateway.data_received(request("run.start", runId=run) + request("run.abort", run=run, reason="x"))
        server.writer.flush()

    abort("before")
    watcher = server.watchers.add(watching, EventFilter(since=LAST_MOMENT))
    catching_up = asyncio.ensure_future(catch_up(server, watcher, 0))
    await asyncio.sleep(0)  # it has asked for the older ones
    abort("meanwhile")
    await catching_up
    abort("after")
    sent = [json.loads(line)["params"]["run"] for line in watching.transport.written]
    assert sent == ["meanwhile", "after"]


async def test_a_stop_without_work_is_over_at_once(server: Server):
    await asyncio.wait_for(server.stop(patience=60), 5)
    assert server.stopping


async def test_room_for_unread_bytes_is_for_all_connections_together(server: Server):
    limit = server.config.settings.limits.buffer_mb * 1024 * 1024
    assert server.has_room(limit)
    assert not server.has_room(1)
    assert server.has_room(-1)
    assert server.buffered == limit
    assert server.has_room(-limit)


async def test_a_peer_whose_credentials_cannot_be_had_is_refused(server: Server):
    class Unknown:
        def getsockopt(self, *_arguments: object) -> bytes:
            raise OSError

    connection = server.make_connection()
    connection.transport = SimpleNamespace(get_extra_info=lambda _name: Unknown())
    refusal = server.opened(connection)
    assert refusal is not None
    assert refusal.message == "who you are could not be found out"
    server.reload()
    server.closed(connection)
