"""Asking the daemon: where it is looked for, how long, and what is sent."""

import json
import socket
import threading
import time

import pytest

from guardd.adapters import asking
from guardd.adapters.asking import BUSY_PAUSE, LARGEST, NotAnsweredError, ask


def soon():
    return time.monotonic() + 30


@pytest.fixture
def environment(monkeypatch):
    """Only what the test sets."""
    for name in ("GUARDD_SOCKET", "RUNTIME_DIRECTORY", "XDG_RUNTIME_DIR"):
        monkeypatch.delenv(name, raising=False)
    return monkeypatch.setenv


def test_the_usual_places_are_tried_in_order(daemon, environment, tmp_path):
    (tmp_path / "guardd").mkdir()
    (tmp_path / "guardd" / "guardd.sock").symlink_to(daemon.socket)
    environment("RUNTIME_DIRECTORY", str(tmp_path / "none"))
    environment("XDG_RUNTIME_DIR", str(tmp_path))
    assert ask("run.start", {"runId": "usual"}, None, soon())["resumed"] is False


def test_a_socket_of_somebody_else_is_not_used(daemon, environment, tmp_path, monkeypatch):
    (tmp_path / "guardd.sock").symlink_to(daemon.socket)
    environment("RUNTIME_DIRECTORY", str(tmp_path))
    monkeypatch.setattr(asking.paths, "untrusted_reason", lambda path, _uid: f"{path} is theirs")
    with pytest.raises(NotAnsweredError, match=r"guardd\.sock is theirs"):
        ask("run.start", {"runId": "theirs"}, None, soon())
    environment("GUARDD_SOCKET", str(tmp_path / "guardd.sock"))
    assert ask("run.start", {"runId": "named"}, None, soon())["calls"] == 0


def test_each_place_is_named_when_nobody_is_there(tmp_path, monkeypatch):
    places = [(f"{tmp_path}/{name}", False) for name in ("a", "b/c")]
    monkeypatch.setattr(asking.paths, "client_socket_candidates", lambda _environ, _uid: places)
    missing = "(No such file or directory)"
    with pytest.raises(NotAnsweredError) as caught:
        ask("run.start", {"runId": "r"}, None, soon())
    assert str(caught.value) == f"no guardd at {tmp_path}/a {missing}, {tmp_path}/b/c {missing}"


def test_a_path_that_is_too_long(tmp_path):
    with pytest.raises(NotAnsweredError, match="too long"):
        ask("run.start", {}, str(tmp_path / ("x" * 200)), soon())


def test_a_busy_daemon_is_waited_for(tmp_path, monkeypatch):
    path = tmp_path / "busy.sock"
    monkeypatch.setattr(asking, "BUSY_PAUSE", BUSY_PAUSE / 10)
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(path))
        listener.listen(0)
        waiting = []
        while True:  # until the queue is full
            other = socket.socket(socket.AF_UNIX)
            other.setblocking(False)
            waiting.append(other)
            try:
                other.connect(str(path))
            except BlockingIOError:
                break
        with pytest.raises(NotAnsweredError, match="in time"):
            ask("run.start", {}, str(path), time.monotonic() + 0.05)

        def serve():
            while True:
                connection, _ = listener.accept()
                with connection:
                    if connection.recv(65_536):
                        connection.sendall(b'{"result":{"said":1}}\n')
                        return

        for other in waiting:
            other.close()
        server = threading.Thread(target=serve)
        server.start()
        assert ask("run.start", {}, str(path), soon()) == {"said": 1}
        server.join()


def test_no_time_left_is_no_answer(daemon):
    with pytest.raises(NotAnsweredError, match="in time"):
        ask("run.start", {"runId": "late"}, str(daemon.socket), time.monotonic())


def test_a_daemon_that_refuses_says_why(daemon):
    with pytest.raises(NotAnsweredError, match="toolName"):
        ask("tool.before", {"runId": "r"}, str(daemon.socket), soon())


@pytest.mark.parametrize("value", ["x" * LARGEST, {"b": "x" * LARGEST, "a": 1}])
def test_a_value_that_is_too_large_is_sent_as_its_digest(value, monkeypatch):
    sent = []
    monkeypatch.setattr(asking, "_connect", lambda _named, _deadline: Recording(sent))
    ask("tool.before", {"args": value, "toolName": "t"}, None, soon())
    ask(
        "tool.before",
        {"args": dict(reversed(value.items())) if isinstance(value, dict) else value},
        None,
        soon(),
    )
    first, second = (json.loads(message)["params"]["args"] for message in sent)
    assert first == second
    assert len(first.pop("guardd:sha256")) == 64
    assert first["bytes"] > LARGEST


class Recording:
    """A connection to somebody who is content with everything."""

    def __init__(self, sent):
        self._sent = sent

    def settimeout(self, _seconds):
        pass

    def sendall(self, data):
        self._sent.append(data)

    def recv(self, _size):
        return b'{"result":{}}\n'

    def close(self):
        pass
