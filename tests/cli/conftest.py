"""A scripted daemon on a real socket, and guardctl run against it."""

import json
import os
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from support.places import temporary_place

from guardd.cli.guardctl import program

Answer = Any


class Refusal(Exception):  # noqa: N818 - a JSON-RPC error to answer with
    def __init__(self, code: int, message: str, **data: object) -> None:
        super().__init__(message)
        self.wire = {"code": code, "message": message, **({"data": data} if data else {})}


class FakeDaemon:
    """Answers each method with a value, what a function makes of the parameters, or a `Refusal`."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.answers: dict[str, Answer] = {"event.list": {"events": []}}
        self.requests: list[tuple[str, dict[str, Any]]] = []
        self.after_reply: dict[str, list[dict[str, Any]]] = {}
        self.hang_up_after: str | None = None
        self.connections: list[socket.socket] = []
        self._stopping = False
        self.start()

    def start(self) -> None:
        self._stopping = False
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(str(self.path))
        self._listener.listen()
        self._thread = threading.Thread(target=self._accept)
        self._thread.start()

    def stop(self) -> None:
        if self._stopping:
            return
        self._stopping = True
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        for connection in self.connections:
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)
        self._thread.join()
        self.path.unlink()

    def params(self, method: str) -> list[dict[str, Any]]:
        """What a method was asked with, each time."""
        return [params for name, params in self.requests if name == method]

    def _accept(self) -> None:
        servers = []
        while not self._stopping:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                break
            self.connections.append(connection)
            servers.append(threading.Thread(target=self._serve, args=(connection,)))
            servers[-1].start()
        for server in servers:
            server.join()

    def _serve(self, connection: socket.socket) -> None:
        with connection, suppress(OSError), connection.makefile("rb") as lines:
            for line in lines:
                request = json.loads(line)
                connection.sendall(self._reply(request))
                for event in self.after_reply.get(request["method"], []):
                    message = {"jsonrpc": "2.0", "method": "event", "params": event}
                    connection.sendall(json.dumps(message).encode() + b"\n")
                if self.hang_up_after == request["method"]:
                    self.hang_up_after = None
                    return

    def _reply(self, request: dict[str, Any]) -> bytes:
        params = {name: value for name, value in request["params"].items() if name != "requestId"}
        self.requests.append((request["method"], params))
        answer = self.answers.get(request["method"], Refusal(-32601, "no such method"))
        reply: dict[str, Any] = {"jsonrpc": "2.0", "id": request["id"]}
        try:
            answer = answer(params) if callable(answer) else answer
        except Refusal as refusal:
            answer = refusal
        reply |= {"error": answer.wire} if isinstance(answer, Refusal) else {"result": answer}
        return json.dumps(reply).encode() + b"\n"


@pytest.fixture
def daemon(tmp_path: Path) -> Iterator[FakeDaemon]:
    fake = FakeDaemon(tmp_path / "guardd.sock")
    yield fake
    fake.stop()


@pytest.fixture(autouse=True)
def _plain_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("NO_COLOR", "GUARDD_CONFIG", "GUARDCTL_TRACEBACK", "RUNTIME_DIRECTORY", "STATE_DIRECTORY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("GUARDD_SOCKET", str(tmp_path / "guardd.sock"))
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("COLUMNS", "120")
    monkeypatch.setenv("TZ", "UTC")


Guardctl = Callable[..., Result]


@pytest.fixture
def guardctl() -> Guardctl:
    """Runs guardctl in this process; the result has stdout, stderr and the exit status."""

    def run(*arguments: str, **environment: str) -> Result:
        return CliRunner().invoke(program, arguments, env=environment)

    return run


Process = subprocess.Popen[str]


@pytest.fixture
def guardctl_process() -> Iterator[Callable[..., Process]]:
    """Starts guardctl as a user would; what is still running at the end is killed."""
    started: list[Process] = []

    def start(*arguments: str, python: tuple[str, ...] = (), **environment: str) -> Process:
        command = [sys.executable, *python, "-c", "from guardd.cli.guardctl import main; main()", *arguments]
        process = subprocess.Popen(
            command,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=os.environ | environment,
        )
        started.append(process)
        return process

    yield start
    for process in started:
        with process:
            process.kill()


@pytest.fixture
def place(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Where temporary folders are made."""
    with temporary_place(monkeypatch) as path:
        yield path


def run_object(name: str, **fields: object) -> dict[str, Any]:
    return {
        "run": name,
        "source": "default",
        "agentId": "main",
        "status": "active",
        "calls": 12,
        "verdict": "allow",
        "compactions": 0,
        "startedAt": "2026-03-01T10:00:00.000Z",
        "lastActivityAt": "2026-03-01T11:00:00.000Z",
    } | fields


def call_object(seq: int, **fields: object) -> dict[str, Any]:
    return {
        "seq": seq,
        "toolName": "exec",
        "toolCallId": f"call_{seq}",
        "state": "ok",
        "action": "allow",
        "detector": None,
        "count": None,
        "repeat": 1,
        "preview": '{"command": "ls"}',
        "at": f"2026-03-01T11:{seq // 60:02}:{seq % 60:02}.000Z",
        "durationMs": 120,
        "signature": "0f" * 16,
    } | fields


def event_object(seq: int | None, **fields: object) -> dict[str, Any]:
    return {
        "run": "3f2a9c71-0000-4000-8000-000000000001",
        "source": "default",
        "agentId": "main",
        "seq": seq,
        "action": "warn",
        "detector": "generic_repeat",
        "level": "warning",
        "count": 10,
        "threshold": 10,
        "toolName": "exec",
        "pairedToolName": None,
        "message": "You called exec 10 times with the same arguments.",
        "at": f"2026-03-01T11:00:{seq or 0:02}.000Z",
    } | fields


@pytest.fixture
def make_run() -> Callable[..., dict[str, Any]]:
    return run_object


@pytest.fixture
def make_call() -> Callable[..., dict[str, Any]]:
    return call_object


@pytest.fixture
def make_event() -> Callable[..., dict[str, Any]]:
    return event_object


@pytest.fixture
def refuse() -> type[Refusal]:
    return Refusal
