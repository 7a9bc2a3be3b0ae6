"""A real daemon in a process of its own, and a plain socket to talk to it."""

import contextlib
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from guardd.protocol.errors import from_wire

PATIENCE_SECONDS = 30.0
"""How long anything may take before it counts as never."""
_INHERITED = ("PATH", "LANG", "LC_ALL", "TZ")

Configuration = Mapping[str, Any] | str | None


class NotStartedError(Exception):
    """The daemon ended instead of answering.

    Attributes:
        code: its exit code.
        log: what it wrote.
    """

    def __init__(self, code: int, log: str) -> None:
        super().__init__(f"guardd ended with {code}:\n{log}")
        self.code = code
        self.log = log


def eventually(condition: Callable[[], Any], seconds: float = PATIENCE_SECONDS) -> Any:
    """Wait until a condition holds, and return what it gave."""
    deadline = time.monotonic() + seconds
    while not (value := condition()):
        assert time.monotonic() < deadline, "it never became true"
        time.sleep(0.005)
    return value


class RawClient:
    """A connection that sends what it is told to, right or wrong, and reads line by line.

    Args:
        path: the daemon's socket.
        timeout: seconds after which a read or a write that waits fails the test.
    """

    def __init__(self, path: Path, timeout: float = PATIENCE_SECONDS) -> None:
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(timeout)
        try:
            self.socket.connect(os.fspath(path))
        except OSError:
            self.socket.close()
            raise
        self._lines = self.socket.makefile("rb")
        self._ids = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_exception: object) -> None:
        self.close()

    def close(self) -> None:
        self._lines.close()
        self.socket.close()

    def send(self, data: bytes) -> None:
        """Write bytes as they are."""
        self.socket.sendall(data)

    def send_line(self, *messages: object) -> None:
        """Write messages, a line each, in one write; one of bytes is sent as it is."""
        self.send(b"".join(map(_line, messages)))

    def request(self, method: str, **params: Any) -> dict[str, Any]:
        """A request with a new id, not sent yet."""
        self._ids += 1
        return {"jsonrpc": "2.0", "id": self._ids, "method": method, "params": params}

    def read_bytes(self) -> bytes:
        """The next line, its end taken off; raises EOFError where there is none."""
        line = self._lines.readline()
        if not line.endswith(b"\n"):
            raise EOFError(line)
        return line[:-1]

    def read_line(self) -> Any:
        """The next message, decoded; raises EOFError where there is none."""
        return json.loads(self.read_bytes())

    def read_all(self) -> list[Any]:
        """Every message, decoded, until the daemon closes the connection."""
        messages = []
        with contextlib.suppress(ConnectionResetError):  # it closes with something unread
            for line in self._lines:
                assert line.endswith(b"\n"), line
                messages.append(json.loads(line))
        return messages

    def ends(self) -> bool:
        """Whether the daemon has closed the connection, with nothing more to read; waits for either."""
        try:
            return not self._lines.readline()
        except ConnectionResetError:
            return True

    def call(self, method: str, **params: Any) -> dict[str, Any]:
        """The whole reply to a request; nothing else may be under way."""
        request = self.request(method, **params)
        self.send_line(request)
        reply: dict[str, Any] = self.read_line()
        assert reply["id"] == request["id"], reply
        return reply

    def ask(self, method: str, **params: Any) -> Any:
        """The result of a request; raises the `RpcError` that it was answered with."""
        return result_of(self.call(method, **params))

    def pipeline(self, requests: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
        """Send requests in one write, however many, and read as many lines meanwhile."""
        requests = list(requests)
        sender = threading.Thread(target=self.send_line, args=requests)
        sender.start()
        replies = [self.read_line() for _ in requests]
        sender.join()
        return replies


def result_of(reply: Mapping[str, Any]) -> Any:
    """What a reply says, or the error that it is, raised."""
    if "error" in reply:
        raise from_wire(reply["error"])
    return reply["result"]


def _line(message: object) -> bytes:
    return message if isinstance(message, bytes) else json.dumps(message).encode() + b"\n"


class Daemon:
    """A daemon that can be started, killed and started again on the same files.

    As a context manager it is not started by entering; leaving kills it and removes its socket's directory.

    Args:
        directory: where its database, configuration and log are.
        config: the configuration as an object or as text; None for an empty one.
        arguments: further arguments of `guardd serve`.
        environment: further variables; of its own environment the test passes on next to nothing.
        wrapper: a command to start it through (`setpriv …`), which replaces itself by it.

    Attributes:
        socket: where it listens: in a short directory, since a path of pytest's may be too long for the kernel.
        database: its database.
        config_file: its configuration.
        process: the process started last.
    """

    process: subprocess.Popen[bytes]

    def __init__(
        self,
        directory: Path,
        config: Configuration = None,
        *,
        arguments: Sequence[str] = (),
        environment: Mapping[str, str] | None = None,
        wrapper: Sequence[str] = (),
    ) -> None:
        self.directory = directory
        self.arguments = list(arguments)
        self.environment = dict(environment or {})
        self.wrapper = list(wrapper)
        self._short = Path(tempfile.mkdtemp(prefix="guardd-"))
        self.socket = self._short / "guardd.sock"
        self.database = directory / "guardd.db"
        self.config_file = directory / "guardd.json5"
        self.log_file = directory / "guardd.log"
        self.log_file.touch()
        self._client: RawClient | None = None
        self._running = False
        self.configure(config)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        self.close()

    def configure(self, config: Configuration) -> None:
        """Write the configuration; a running daemon reads it only when told to."""
        text = config if isinstance(config, str) else json.dumps(config or {})
        self.config_file.write_text(text, encoding="utf-8")

    @property
    def command(self) -> list[str]:
        """The command that starts it."""
        program = Path(sys.executable).with_name("guardd")
        files = ["--socket", self.socket, "--db", self.database, "--config", self.config_file]
        return [*self.wrapper, *map(str, [program, "serve", *files]), *self.arguments]

    def launch(self, **options: Any) -> None:
        """Start it, and do not wait; `options` are those of `subprocess.Popen`."""
        assert not self._running
        inherited = {name: os.environ[name] for name in _INHERITED if name in os.environ}
        with self.log_file.open("ab") as log:
            self.process = subprocess.Popen(
                self.command,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                env={**inherited, "HOME": str(self.directory), **self.environment},
                **options,
            )
        self._running = True

    def start(self, **options: Any) -> Self:
        """Start it, and wait until it answers.

        Raises:
            NotStartedError: it ended instead.
        """
        self.launch(**options)
        eventually(self._answers)
        return self

    def _answers(self) -> bool:
        if self.process.poll() is not None:
            self._running = False
            raise NotStartedError(self.process.returncode, self.log())
        try:
            with self.connect() as client:
                client.ask("rpc.discover")
        except OSError:
            return False
        return True

    def kill(self) -> None:
        """End it as a crash would (SIGKILL)."""
        self._disconnect()
        if self._running:
            self.process.kill()
            self.wait()

    def stop(self) -> int:
        """Tell it to stop (SIGTERM); its exit code."""
        self.signal(signal.SIGTERM)
        return self.wait()

    def restart(self) -> Self:
        """Kill it and start it again on the same files."""
        self.kill()
        return self.start()

    def wait(self) -> int:
        """Wait until it has ended; its exit code."""
        code = self.process.wait(PATIENCE_SECONDS)
        self._running = False
        self._disconnect()
        return code

    def signal(self, number: int) -> None:
        self.process.send_signal(number)

    def close(self) -> None:
        """Kill it, if it runs, and remove its socket's directory; the other files stay."""
        self.kill()
        shutil.rmtree(self._short, ignore_errors=True)

    def connect(self, timeout: float = PATIENCE_SECONDS) -> RawClient:
        """A new connection."""
        return RawClient(self.socket, timeout)

    def ask(self, method: str, **params: Any) -> Any:
        """The result of a request, on a connection kept for this; raises the `RpcError` it was answered with."""
        if self._client is None:
            self._client = self.connect()
        return self._client.ask(method, **params)

    def log(self) -> str:
        """All that it has written to stderr, over all starts."""
        return self.log_file.read_text(encoding="utf-8")

    def wait_for_log(self, text: str, times: int = 1) -> None:
        """Wait until its log holds a text, so many times."""
        eventually(lambda: self.log().count(text) >= times)

    def _disconnect(self) -> None:
        if self._client is not None:
            with contextlib.suppress(OSError):
                self._client.close()
            self._client = None
