"""One connection: what it may ask of the daemon, and that no other suffers for it."""

import asyncio
import contextlib
import json
import signal
import socket
import threading
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from support.daemon import Daemon, RawClient, eventually

from guardd.daemon.connection import (
    BYTES_LIKE_A_CALL,
    MOST_IN_A_TURN,
    MOST_IN_FLIGHT,
    MOST_UNTAKEN_EVENTS_BYTES,
    WRITE_BUFFER_BYTES,
    Connection,
)
from guardd.protocol import jsonrpc
from guardd.protocol.errors import Denied, RpcError
from guardd.protocol.jsonrpc import MAX_BATCH

MakeDaemon = Callable[..., Daemon]
MEBIBYTE = 1024 * 1024
BEFORE = b'{"jsonrpc":"2.0","id":%d,"method":"tool.before","params":{"runId":"r","toolName":"t"}}\n'


# By itself, before a server and a transport that do as they are told


class Transport:
    def __init__(self) -> None:
        self.written: list[bytes] = []
        self.closed: str | None = None
        self.reading = True
        self.untaken = 0

    def write(self, data: bytes) -> None:
        assert self.closed is None
        self.written.append(data)

    def close(self) -> None:
        self.closed = self.closed or "closed"

    def abort(self) -> None:
        self.closed = "aborted"

    def pause_reading(self) -> None:
        assert self.reading
        self.reading = False

    def resume_reading(self) -> None:
        assert not self.reading
        self.reading = True

    def get_write_buffer_size(self) -> int:
        return self.untaken

    def set_write_buffer_limits(self, high: int) -> None:
        assert high == WRITE_BUFFER_BYTES


class Server:
    """Keeps what it is given until it is told to answer."""

    def __init__(self) -> None:
        self.refusal: RpcError | None = None
        self.told: list[RpcError] = []
        self.waiting: list[tuple[jsonrpc.Message, Callable[[bytes], None]]] = []
        self.buffered = 0
        self.room = 1000
        self.open = 0
        self.at_once = False

    def opened(self, _connection: Connection) -> RpcError | None:
        self.open += 1
        return self.refusal

    def closed(self, _connection: Connection) -> None:
        self.open -= 1

    def refused(self, error: RpcError) -> None:
        self.told.append(error)

    def has_room(self, grown: int) -> bool:
        self.buffered += grown
        return self.buffered <= self.room

    def received(
        self, _connection: Connection, message: jsonrpc.Message, send: Callable[[bytes], None]
    ) -> None:
        if self.at_once:
            send(b"reply\n")
        else:
            self.waiting.append((message, send))

    def answer(self, reply: bytes = b"reply\n") -> None:
        _message, send = self.waiting.pop(0)
        send(reply)


class Loop:
    """A clock that stands, and what is to be done in the next turn."""

    def __init__(self) -> None:
        self.now = 0.0
        self.soon: list[Callable[[], None]] = []

    def time(self) -> float:
        return self.now

    def call_soon(self, callback: Callable[[], None]) -> None:
        self.soon.append(callback)

    def turn(self) -> None:
        callbacks, self.soon = self.soon, []
        for callback in callbacks:
            callback()


class Pair:
    """A connection between a transport and a server."""

    def __init__(self, *, frame_limit: int = 10 * MEBIBYTE, refusal: RpcError | None = None) -> None:
        self.server = Server()
        self.server.refusal = refusal
        self.transport = Transport()
        self.loop = Loop()
        self.connection = Connection(self.server, frame_limit, self.loop)
        self.connection.connection_made(self.transport)

    def receive(self, data: bytes) -> None:
        assert self.transport.reading
        assert self.transport.closed is None
        self.connection.data_received(data)

    def work_off(self) -> int:
        """Answer everything, turn by turn; how many turns that took."""
        turns = 0
        while self.server.waiting or self.loop.soon:
            while self.server.waiting:
                self.server.answer()
            self.loop.turn()
            turns += 1
        return turns

    @property
    def error(self) -> Any:
        return json.loads(self.transport.written[-1])["error"]


def requests(count: int) -> bytes:
    return b"".join(BEFORE % number for number in range(count))


def test_a_peer_that_is_refused_is_told_why_and_closed():
    pair = Pair(refusal=Denied("not you"))
    assert (pair.error["message"], pair.transport.closed) == ("not you", "closed")


def test_no_more_is_taken_than_may_be_in_flight():
    pair = Pair()
    pair.receive(requests(MOST_IN_FLIGHT + 3))
    pair.loop.turn()
    assert len(pair.server.waiting) == MOST_IN_FLIGHT
    assert not pair.transport.reading
    pair.server.answer()
    assert len(pair.server.waiting) == MOST_IN_FLIGHT
    for _ in range(3):
        pair.server.answer()
    assert pair.transport.reading
    assert pair.server.buffered == 0


def test_the_calls_of_a_batch_are_in_flight_each():
    pair = Pair()
    batch = b"[" + b",".join([BEFORE.strip() % 1] * (MOST_IN_FLIGHT + 1)) + b"]\n"
    pair.receive(batch + BEFORE % 2)
    pair.loop.turn()
    assert len(pair.server.waiting) == 1
    assert not pair.transport.reading
    pair.server.answer()
    assert len(pair.server.waiting) == 1
    assert pair.transport.reading


def test_large_messages_are_in_flight_few_at_a_time():
    pair = Pair()
    large = b'{"jsonrpc":"2.0","id":1,"method":"m","params":["%b"]}\n' % (b"x" * BYTES_LIKE_A_CALL * 8)
    pair.server.room = len(large) * 40
    pair.receive(large * 40)
    pair.loop.turn()
    assert len(pair.server.waiting) * len(large) <= 18 * MEBIBYTE
    pair.work_off()
    assert pair.transport.reading


def test_what_is_answered_at_once_is_taken_a_few_at_a_time():
    """So that a flood of it, as of messages that are wrong, leaves the others their turns; and no deep stack."""
    pair = Pair()
    pair.server.room = MEBIBYTE
    pair.server.at_once = True
    turns = 200
    pair.receive(requests(MOST_IN_A_TURN * turns))
    assert len(pair.transport.written) == MOST_IN_A_TURN
    assert not pair.transport.reading
    assert pair.work_off() == turns
    assert len(pair.transport.written) == MOST_IN_A_TURN * turns
    assert pair.transport.reading


def test_a_turn_that_comes_after_the_end_does_nothing():
    pair = Pair()
    pair.receive(requests(MOST_IN_FLIGHT + 2))
    pair.connection.connection_lost(None)
    pair.loop.turn()
    assert (len(pair.server.waiting), pair.server.buffered) == (MOST_IN_FLIGHT, 0)


def test_nothing_is_taken_while_the_peer_takes_no_replies():
    pair = Pair()
    pair.receive(BEFORE % 1)
    pair.connection.pause_writing()
    pair.server.answer()
    pair.receive(BEFORE % 2)
    assert not pair.server.waiting
    assert not pair.transport.reading
    pair.connection.resume_writing()
    assert len(pair.server.waiting) == 1
    assert pair.transport.reading


def test_a_frame_too_large_waits_for_the_replies_before_it():
    pair = Pair(frame_limit=200)
    pair.receive(BEFORE % 1 + b"x" * 201)
    assert not pair.transport.written
    assert not pair.transport.reading
    pair.server.answer(b"first\n")
    assert pair.transport.written[0] == b"first\n"
    assert (pair.error["code"], pair.transport.closed) == (-32001, "closed")


def test_more_unread_bytes_than_there_is_room_for_are_refused():
    pair = Pair()
    pair.receive(b"x" * 1000)
    pair.receive(b"x")
    assert pair.error["data"] == {"kind": "overloaded"}
    assert pair.transport.closed == "closed"
    pair.connection.connection_lost(None)
    assert pair.server.buffered == 0


def test_a_peer_that_vanishes_holds_no_room():
    """Although what it has asked for is answered only later."""
    pair = Pair()
    pair.receive(requests(MOST_IN_FLIGHT + 2))
    assert pair.server.buffered > 0
    pair.connection.connection_lost(ConnectionResetError())
    assert pair.server.buffered == 0
    while pair.server.waiting:
        pair.server.answer()
    assert (pair.server.buffered, pair.server.open) == (0, 0)
    assert not pair.transport.written


def test_a_peer_that_has_sent_its_last_is_answered_before_the_connection_closes():
    pair = Pair()
    pair.receive(requests(MOST_IN_FLIGHT + 1) + b'{"half of')
    assert pair.connection.eof_received()
    for _ in range(MOST_IN_FLIGHT):
        pair.server.answer()
    pair.loop.turn()
    assert pair.transport.closed is None
    pair.server.answer()
    assert pair.transport.closed == "closed"
    assert len(pair.transport.written) == MOST_IN_FLIGHT + 1


def test_a_peer_that_asked_for_nothing_and_sends_its_last_is_closed():
    pair = Pair()
    pair.connection.eof_received()
    assert pair.transport.closed == "closed"


def test_activity_is_whatever_passes_in_either_direction():
    pair = Pair()
    for step in (
        lambda: pair.receive(BEFORE % 1),
        pair.server.answer,
        lambda: (pair.connection.pause_writing(), pair.connection.resume_writing()),
    ):
        pair.loop.now += 1
        step()
        assert pair.connection.last_active == pair.loop.now


def test_awaiting_an_answer():
    pair = Pair()
    assert not pair.connection.awaits_answer
    pair.receive(BEFORE % 1)
    assert pair.connection.awaits_answer
    pair.server.answer()
    assert not pair.connection.awaits_answer


def test_a_watcher_that_takes_no_events_is_closed():
    pair = Pair()
    assert pair.connection.send_event(b"event\n")
    pair.transport.untaken = MOST_UNTAKEN_EVENTS_BYTES + 1
    assert not pair.connection.send_event(b"event\n")
    assert pair.transport.closed == "aborted"
    assert not pair.connection.send_event(b"event\n")
    assert pair.transport.written == [b"event\n"]


async def test_drained_waits_until_the_peer_takes_what_was_written():
    pair = Pair()
    await pair.connection.drained()
    pair.connection.pause_writing()
    waiting = asyncio.ensure_future(pair.connection.drained())
    await asyncio.sleep(0)
    assert not waiting.done()
    pair.connection.resume_writing()
    await waiting
    pair.connection.pause_writing()
    waiting = asyncio.ensure_future(pair.connection.drained())
    pair.connection.connection_lost(None)
    await waiting


# To a real daemon: frames


@pytest.fixture(scope="module")
def strict(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """A daemon with the least limits that there are."""
    limits = {"frameMB": 1, "bufferMB": 1, "connections": 4}
    with Daemon(tmp_path_factory.mktemp("strict"), {"guardd": {"limits": limits}}) as daemon:
        yield daemon.start()


def send_in_vain(client: RawClient, text: bytes) -> None:
    """Send what the daemon may refuse before it has read it all."""
    with contextlib.suppress(BrokenPipeError, ConnectionResetError):
        client.send(text)


@pytest.mark.parametrize("ending", [b"\n", b""])
@pytest.mark.parametrize("pieces", [1, 7])
def test_after_a_frame_too_large_nothing_is_read(strict: Daemon, ending: bytes, pieces: int, run_id: str):
    run = run_id.encode()
    with strict.connect() as client:
        client.send((BEFORE % 1).replace(b'"r"', b'"%b"' % run))
        too_large = b'{"jsonrpc":"2.0","id":2,"method":"%b"}' % (b"x" * MEBIBYTE)
        after = (BEFORE % 3).replace(b'"r"', b'"%b"' % run)
        step = len(too_large) // pieces + 1
        for start in range(0, len(too_large), step):
            send_in_vain(client, too_large[start : start + step])
        send_in_vain(client, ending + after)
        assert client.read_line()["result"]["seq"] == 1
        error = client.read_line()
        assert (error["id"], error["error"]["code"]) == (None, -32001)
        assert error["error"]["data"] == {"kind": "frame_too_large"}
        assert client.ends()
    assert strict.ask("run.get", run=run_id)["calls"] == 1


def test_a_frame_as_large_as_the_limit_is_taken(strict: Daemon):
    frame = b'{"jsonrpc":"2.0","id":1,"method":"server.metrics","params":{"x":"%b"}}'
    with strict.connect() as client:
        client.send(frame % (b"x" * (MEBIBYTE - len(frame) + 2)) + b"\n")
        assert "result" in client.read_line()


@pytest.mark.parametrize(
    "frame",
    [
        b"\xff",
        b'{"jsonrpc":"2.0","id":1,"method":"tool.before","params":{"toolName":"t","args":"\xc3("}}',
        b'{"jsonrpc":"2.0","id":1,"method":"tool.before","params":{"toolName":"t","args":NaN}}',
        b'{"jsonrpc":"2.0","id":1,"method":"tool.before","params":{"toolName":"t","args":[}}',
        b"nonsense",
        b'"' + b"\\ud800" * 10,
    ],
)
def test_what_is_no_json_is_an_error_and_the_connection_goes_on(client: RawClient, frame: bytes):
    client.send(frame + b"\n")
    reply = client.read_line()
    assert (reply["id"], reply["error"]["code"]) == (None, -32700)
    assert client.ask("server.metrics")


DEEP = b"[" * 5000 + b"]" * 5000
SURROGATE = b'"\\ud83d alone"'


@pytest.mark.parametrize("value", [DEEP, b'{"a":%b}' % DEEP, SURROGATE, b'{"a":[%b]}' % SURROGATE])
def test_values_that_a_decoder_refuses_are_judged_like_any_other(
    client: RawClient, run_id: str, value: bytes
):
    def report(method: bytes, more: bytes = b"") -> Any:
        client.send(
            b'{"jsonrpc":"2.0","id":1,"method":"%b","params":{"runId":%b,"toolName":"t","args":%b%b}}\n'
            % (method, json.dumps(run_id).encode(), value, more)
        )
        return client.read_line()["result"]

    actions = []
    for _ in range(6):
        actions.append(report(b"tool.before")["action"])
        report(b"tool.after", b',"result":%b' % value)
    assert actions == ["allow"] * 3 + ["warn"] * 2 + ["block"]


def test_a_tools_name_may_hold_a_lone_surrogate(client: RawClient, run_id: str):
    line = (BEFORE % 1).replace(b'"r"', json.dumps(run_id).encode()).replace(b'"t"', SURROGATE)
    client.send(line * 4)
    assert [client.read_line()["result"]["action"] for _ in range(4)] == ["allow"] * 3 + ["warn"]
    names = [call["toolName"] for call in client.ask("run.history", run=run_id)["calls"]]
    assert names == ["\\ud83d alone"] * 4


def test_a_large_result_is_taken(client: RawClient, run_id: str):
    client.ask("tool.before", runId=run_id, toolName="read")
    result = {"content": [{"type": "text", "text": "x" * 10 * MEBIBYTE}]}
    assert client.ask("tool.after", runId=run_id, toolName="read", result=result)["seq"] == 1
    assert client.ask("run.history", run=run_id)["calls"][0]["state"] == "ok"


def test_bytes_may_come_one_at_a_time(client: RawClient):
    for byte in BEFORE % 77 + b"\r\n":
        client.send(bytes([byte]))
    assert client.read_line()["id"] == 77


def test_a_peer_may_close_its_side_and_read_on(shared: Daemon):
    with shared.connect() as client:
        client.send(requests(500))
        client.socket.shutdown(socket.SHUT_WR)
        assert [client.read_line()["id"] for _ in range(500)] == list(range(500))
        assert client.ends()


# To a real daemon: limits


def gauge(daemon: Daemon, name: str) -> float:
    lines = daemon.ask("server.metrics").splitlines()
    return next(float(line.split()[1]) for line in lines if line.startswith(f"{name} "))


def test_one_connection_too_many_is_told_so_and_the_others_go_on(strict: Daemon):
    strict.ask("server.status")
    eventually(lambda: strict.ask("server.status")["connections"] == 1)
    with strict.connect() as one, strict.connect() as two, strict.connect() as three:
        for client in (one, two, three):
            client.ask("server.metrics")
        for _ in range(3):
            with strict.connect() as refused:
                error = refused.read_line()
                assert (error["id"], error["error"]["code"]) == (None, -32004)
                assert error["error"]["data"] == {"kind": "overloaded"}
                assert refused.ends()
        for client in (one, two, three):
            client.ask("server.metrics")
    eventually(lambda: strict.ask("server.status")["connections"] == 1)
    with strict.connect() as again:
        again.ask("server.metrics")


def test_unread_input_of_all_connections_together_is_bounded(strict: Daemon):
    half = b'{"jsonrpc":"2.0","id":1,"method":"server.metrics","params":{"x":"' + b"x" * (MEBIBYTE * 5 // 8)
    with strict.connect() as one, strict.connect() as other:
        one.send(half)
        eventually(lambda: gauge(strict, "guardd_buffered_bytes") >= len(half))
        send_in_vain(other, half)
        assert other.read_line()["error"]["data"] == {"kind": "overloaded"}
        assert other.ends()
        one.send(b'"}}\n')
        assert "result" in one.read_line()
    eventually(lambda: gauge(strict, "guardd_buffered_bytes") == 0)


def test_peers_that_vanish_leave_nothing_behind(make_daemon: MakeDaemon):
    daemon = make_daemon({"guardd": {"limits": {"bufferMB": 1}}}).start()
    for _ in range(20):
        with daemon.connect() as client:
            client.send(requests(1500))
    eventually(lambda: daemon.ask("server.status")["connections"] == 1)
    assert gauge(daemon, "guardd_buffered_bytes") == 0


def test_silent_connections_are_closed_but_not_those_that_watch_or_wait(make_daemon: MakeDaemon):
    daemon = make_daemon({"guardd": {"limits": {"idleSeconds": 1}}}).start()
    with daemon.connect() as silent, daemon.connect() as watching, daemon.connect() as untaking:
        watching.ask("event.watch")
        untaking.send_line(*(untaking.request("rpc.discover") for _ in range(60)))
        silent.ask("server.metrics")
        assert silent.ends()
        eventually(lambda: daemon.ask("server.status")["connections"] == 2)
        daemon.ask("tool.before", runId="r", toolName="t")
        daemon.ask("run.abort", run="r", reason="enough")
        assert watching.read_line()["method"] == "event"


def memory(daemon: Daemon) -> int:
    """What the daemon has in memory, in bytes."""
    status = Path(f"/proc/{daemon.process.pid}/status").read_text(encoding="ascii")
    return next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmRSS:")) * 1024


def send_until_full(client: RawClient, request: bytes) -> int:
    """Send a request again and again until nothing more is taken; how many bytes were."""
    sent = 0
    try:
        while True:
            sent += client.socket.send(request * 100)
    except TimeoutError:
        return sent


def test_a_peer_that_never_reads_is_not_read_from_either(make_daemon: MakeDaemon):
    daemon = make_daemon().start()
    daemon.ask("rpc.discover")
    before = memory(daemon)
    with daemon.connect(timeout=0.5) as client:
        request = b'{"jsonrpc":"2.0","id":1,"method":"rpc.discover"}\n'
        sent = send_until_full(client, request)
        assert daemon.ask("tool.before", runId="r", toolName="t")["seq"] == 1
        assert memory(daemon) - before < 64 * MEBIBYTE
        client.socket.settimeout(30)
        for _ in range(sent // len(request)):
            assert client.read_line()["id"] == 1
    assert daemon.ask("tool.before", runId="r", toolName="t")["seq"] == 2


def test_a_long_pipeline_is_answered_in_order_and_others_are_served_meanwhile(shared: Daemon):
    count = 50_000
    lines = [BEFORE % number if number % 5 == 0 else b'{"id":%d}\n' % number for number in range(count)]
    with shared.connect() as busy, shared.connect() as other:
        sender = threading.Thread(target=partial(busy.send, b"".join(lines)))
        sender.start()
        replies: list[Any] = []
        reader = threading.Thread(target=lambda: replies.extend(busy.read_line() for _ in range(count)))
        reader.start()
        served = 0
        while reader.is_alive():
            other.ask("tool.before", runId="other", toolName="t")
            other.ask("run.get", run="other")
            served += 1
        sender.join()
    assert sorted(reply["id"] for reply in replies) == list(range(count))
    seqs = [reply["result"]["seq"] for reply in replies if "result" in reply]
    assert len(seqs) == count / 5
    assert seqs == list(range(seqs[0], seqs[0] + len(seqs)))
    assert served > 20


JUNK = b"1\n"
UNKNOWN = b'{"jsonrpc":"2.0","id":1,"method":"no.such"}\n'


@pytest.mark.parametrize("line", [BEFORE % 1, JUNK, UNKNOWN], ids=["calls", "junk", "unknown"])
def test_a_flood_does_not_keep_others_waiting(shared: Daemon, run_id: str, line: bytes):
    """A call waits for at most twice as many of another connection as may be in flight."""
    count = 500
    call, flooding = (one.replace(b'"r"', json.dumps(run_id).encode()) for one in (BEFORE % 1, line))
    with shared.connect() as flood, shared.connect() as other:
        for client in (flood, other):
            client.ask("server.metrics")
        shared.signal(signal.SIGSTOP)  # so that it finds both, the flood first
        try:
            flood.send(flooding * count + call)
            other.send(call)
        finally:
            shared.signal(signal.SIGCONT)
        others = other.read_line()["result"]["seq"]
        floods = [flood.read_line() for _ in range(count + 1)][-1]["result"]["seq"]
    assert others < floods
    assert others <= 2 * MOST_IN_FLIGHT + 1


def test_batches_do_not_keep_others_waiting(shared: Daemon):
    """A connection's batches wait for one another, not the other connections for all of them."""
    with shared.connect() as busy, shared.connect() as other:
        batch = b"[" + b",".join([BEFORE.strip() % 1] * MAX_BATCH) + b"]\n"
        sender = threading.Thread(target=partial(busy.send, batch * 100))
        reader = threading.Thread(target=lambda: [busy.read_bytes() for _ in range(100)])
        sender.start()
        reader.start()
        served = 0
        while reader.is_alive():
            other.ask("tool.before", runId="other", toolName="t")
            served += 1
        sender.join()
    assert served >= 5
