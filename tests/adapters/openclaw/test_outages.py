import socket
import tempfile
import threading
from pathlib import Path

import pytest
from support.daemon import Daemon, eventually
from support.openclaw_plugin import Turn, text_result

TRUE = {"command": "true"}


@pytest.fixture
def stand_in(short_directory):
    """A daemon of which the test says what it answers."""
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(str(short_directory / "s"))
    listener.listen()
    with listener:
        yield listener


@pytest.fixture
def short_directory():
    with tempfile.TemporaryDirectory(prefix="guardd-") as directory:
        yield Path(directory)


def answering(listener, answer):
    """Answer every line of every connection with the same bytes, until the listener is closed."""

    def serve():
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            with connection, connection.makefile("rb") as lines:
                for _line in lines:
                    try:
                        connection.sendall(answer)
                    except OSError:
                        break

    threading.Thread(target=serve, daemon=True).start()


def listening(listener):
    """Take every line of every connection, and answer none, until the listener is closed; returns them."""
    heard = []

    def serve():
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            with connection, connection.makefile("rb") as lines:
                heard.extend(lines)

    threading.Thread(target=serve, daemon=True).start()
    return heard


def test_without_a_daemon_calls_go_on_and_the_log_says_so_once(gateway, short_directory):
    plugin = gateway()
    plugin.register(socketPath=str(short_directory / "none"))
    turn = Turn(plugin).start()
    assert [turn.before(TRUE, f"c{number}") for number in range(5)] == [None] * 5
    warnings = plugin.logs("warn")
    assert len(warnings) == 1
    assert "guardd cannot be reached at" in warnings[0]
    assert warnings[0].endswith("tool calls go on unguarded")


def test_the_log_says_when_it_is_back(gateway, daemon):
    plugin = gateway()
    plugin.register(socketPath=str(daemon.socket))
    daemon.kill()
    turn = Turn(plugin).start()
    assert turn.before(TRUE, "c1") is None
    daemon.start()
    eventually(lambda: turn.before({"command": "ls"}, "c2") is None and plugin.logs("info"))
    assert len(plugin.logs("warn")) == 1
    assert plugin.logs("info")[0].startswith("guardd answers again; it missed ")


def test_fail_closed_blocks_and_reports_nothing_of_it(gateway, daemon):
    plugin = gateway()
    daemon.kill()
    plugin.register(socketPath=str(daemon.socket), failClosed=True)
    turn = Turn(plugin).start()
    decision = turn.before(TRUE, "c1")
    assert decision["block"]
    assert "guardd could not be asked" in decision["blockReason"]
    assert plugin.logs("warn")[0].endswith("tool calls are blocked until it answers")
    daemon.start()
    blocked = {"content": [], "details": {"status": "blocked"}}
    turn.middleware(TRUE, "c1", blocked)
    turn.after(TRUE, "c1", result=blocked)
    eventually(lambda: turn.before({"command": "ls"}, "c2") is None)
    assert [call["preview"] for call in daemon.ask("run.history", run="run-1")["calls"]] == ["ls"]


def test_a_daemon_that_restarts_in_the_middle_of_a_run_goes_unnoticed(gateway, daemon, history):
    plugin = gateway()
    plugin.register(socketPath=str(daemon.socket), timeoutMs=10_000)
    turn = Turn(plugin).start()
    for number in range(4):
        turn.call(TRUE, f"c{number}")
    daemon.kill()
    waiting = turn.begin_before(TRUE, "c4")
    daemon.start()
    assert waiting.result(10) is None
    turn.middleware(TRUE, "c4", text_result("same"))
    assert turn.before(TRUE, "c5")["block"]
    assert len(history()) == 6
    assert plugin.logs("warn") == []


def test_what_was_under_way_when_the_daemon_died_counts_once(tmp_path, gateway, short_directory):
    """A relay loses the reply of a call that the daemon has committed."""
    with Daemon(tmp_path) as daemon:
        daemon.start()
        relay = socket.socket(socket.AF_UNIX)
        relay.bind(str(short_directory / "s"))
        relay.listen()
        lost = threading.Event()

        def serve():
            while True:
                try:
                    connection, _ = relay.accept()
                except OSError:
                    return
                with connection, connection.makefile("rb") as lines, daemon.connect() as client:
                    for line in lines:
                        client.send(line)
                        reply = client.read_bytes()
                        if b'"tool.before"' in line and not lost.is_set():
                            lost.set()
                            break
                        connection.sendall(reply + b"\n")

        threading.Thread(target=serve, daemon=True).start()
        plugin = gateway()
        plugin.register(socketPath=str(short_directory / "s"))
        turn = Turn(plugin).start()
        eventually(lambda: daemon.ask("run.list")["runs"])
        assert turn.before(TRUE, "c1") is None
        assert lost.is_set()
        assert len(daemon.ask("run.history", run="run-1")["calls"]) == 1
        assert plugin.logs("warn") == []
        relay.shutdown(socket.SHUT_RDWR)
        relay.close()


def test_a_daemon_that_hangs_costs_one_deadline(gateway, stand_in, short_directory):
    heard = listening(stand_in)
    plugin = gateway()
    plugin.register(socketPath=str(short_directory / "s"), timeoutMs=300)
    turn = Turn(plugin)
    assert [turn.before(TRUE, f"c{number}") for number in range(20)] == [None] * 20
    asked = [line for line in heard if b'"tool.before"' in line]
    assert 0 < len(asked) < 20  # on a machine that is busy it may be tried again in between
    assert plugin.logs("warn") == ["guardd did not answer in time; tool calls go on unguarded"]


@pytest.mark.parametrize(
    "answer",
    [
        pytest.param(b"\xff\xfe garbage\n", id="no JSON"),
        pytest.param(b"[]\n", id="no object"),
        pytest.param(b'{"jsonrpc":"2.0","id":1,"result":{"action":"dance"}}\n', id="an unknown action"),
        pytest.param(b'{"jsonrpc":"2.0","id":1,"result":null}\n', id="no verdict"),
        pytest.param(b'{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"broken"}}\n', id="an error"),
        pytest.param(b'{"jsonrpc":"2.0","id":null,"error":{"code":-32002,"message":"no"}}\n', id="refused"),
    ],
)
def test_what_is_no_verdict_never_blocks_by_accident(gateway, stand_in, short_directory, answer):
    answering(stand_in, answer)
    plugin = gateway()
    plugin.register(socketPath=str(short_directory / "s"), timeoutMs=500)
    turn = Turn(plugin)
    assert turn.before(TRUE, "c1") is None
    assert turn.middleware(TRUE, "c1", text_result("ok")) == text_result("ok")
    assert len(plugin.logs()) >= 1


def test_fail_closed_takes_no_unknown_action_for_leave(gateway, stand_in, short_directory):
    answering(stand_in, b'{"jsonrpc":"2.0","id":1,"result":{"action":"dance"}}\n')
    plugin = gateway()
    plugin.register(socketPath=str(short_directory / "s"), timeoutMs=500, failClosed=True)
    assert "its verdict was not understood" in Turn(plugin).before(TRUE, "c1")["blockReason"]
    assert plugin.logs("error") == ["guardd did not take tool.before: its verdict was not understood"]


def test_a_result_that_is_too_long_is_told_of_and_harms_nothing_else(plugin, history):
    turn = Turn(plugin).start()
    turn.before(TRUE, "c1")
    huge = text_result("x" * (17 << 20))
    turn.middleware(TRUE, "c1", huge)
    turn.call({"command": "ls"}, "c2")
    assert [call["state"] for call in history()] == ["pending", "ok"]
    assert any("longer than guardd takes" in line for line in plugin.logs("error"))


def test_an_idle_connection_does_not_keep_the_process(plugin):
    Turn(plugin).start().call(TRUE, "c1")
    assert plugin.close() == 0
