"""guardctl asked in this process, at a certain time, by a daemon of which only a story's database is real."""

import functools
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec
import pytest
from click.testing import CliRunner
from support import story
from syrupy.assertion import SnapshotAssertion
from syrupy.extensions.single_file import SingleFileSnapshotExtension, WriteMode

from guardd.cli import wrapping
from guardd.cli.database import DatabaseFile
from guardd.cli.guardctl import program
from guardd.config import parse
from guardd.daemon import reads
from guardd.protocol import jsonrpc
from guardd.protocol.methods import METHODS, decode_params
from guardd.store.connecting import reading_engine

CONFIG_FILE = "/etc/guardd/guardd.json5"
CONFIG = """{
  tools: { loopDetection: { enabled: true, warningThreshold: 3, criticalThreshold: 6,
                            unknownToolThreshold: 4, globalCircuitBreakerThreshold: 9 } },
  agents: { list: [{ id: "safe-runner", tools: { loopDetection: { criticalThreshold: 5 } } }] },
  guardd: { socket: { readers: ["@adm"] } },
}"""

STATUS = {
    "version": "1.4.0",
    "pid": 4711,
    "uptimeSeconds": 93_784.2,
    "database": {
        "path": "/var/lib/guardd/guardd.db",
        "bytes": 18_432_000,
        "walBytes": 412_032,
        "schema": "0002",
        "journalMode": "wal",
        "freeBytes": 210_000_000_000,
        "diskBytes": 500_000_000_000,
    },
    "sqliteVersion": "3.51.3",
    "connections": 3,
    "runs": 1204,
    "calls": 81_337,
    "mode": "enforce",
    "time": "2026-03-01T12:00:00.000Z",
    "lastActivityAt": "2026-03-01T11:55:24.000Z",
    "configPath": CONFIG_FILE,
    "waitsForRestart": [],
    "socket": "/run/guardd/guardd.sock",
}

Answers = Mapping[str, Callable[[Mapping[str, Any]], Any]]
Tell = Callable[[Path], None]


@functools.cache
def played(tell: Tell) -> bytes:
    """A database with a story in it, played once in a process."""
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory) / "story.db"
        tell(path)
        return path.read_bytes()


def answers(path: Path) -> dict[str, Any]:
    """What a daemon with this database would answer."""
    config = parse(CONFIG, CONFIG_FILE)

    def read(method: str, params: Mapping[str, Any]) -> Any:
        file = DatabaseFile(path)
        try:
            return file.request(method, params)
        finally:
            file.close()

    def explain(params: Mapping[str, Any]) -> Any:
        decoded = decode_params(METHODS["run.explain"], jsonrpc.encode(params))
        engine = reading_engine(path, immutable=True)
        try:
            with engine.connect() as connection:
                return msgspec.to_builtins(reads.explain(connection, decoded, config))
        finally:
            engine.dispose()

    return {
        **{method: functools.partial(read, method) for method in reads.READS},
        "run.explain": explain,
        "config.get": lambda params: config.describe(params.get("agentId")),
        "server.status": lambda _params: STATUS,
    }


class Text(SingleFileSnapshotExtension):
    """A screen in a file of its own, as it was printed."""

    _write_mode = WriteMode.TEXT
    file_extension = "txt"


class Colours(Text):
    """A screen with its escapes: `cat` shows it as a terminal would."""

    file_extension = "ansi"


@pytest.fixture
def plain(snapshot: SnapshotAssertion) -> SnapshotAssertion:
    return snapshot.use_extension(Text)


@pytest.fixture
def coloured(snapshot: SnapshotAssertion) -> SnapshotAssertion:
    return snapshot.use_extension(Colours)


@pytest.fixture(autouse=True)
def _at_a_certain_time_and_place(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr("guardd.cli.times.now", lambda: story.NOW)
    time.tzset()  # TZ is UTC here, by tests/cli/conftest.py
    yield
    monkeypatch.undo()
    time.tzset()


class Screens:
    """Runs guardctl on a terminal of a certain width, against a story."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, directory: Path) -> None:
        self._monkeypatch = monkeypatch
        self._directory = directory
        self.answers: dict[str, Any] = {}

    def tell(self, tell: Tell) -> None:
        """The story that the daemon knows."""
        path = self._directory / "story.db"
        path.write_bytes(played(tell))
        self.answers = answers(path)

    def see(self, command: str, width: int, *, color: bool = False) -> str:
        """What a command prints, on stdout and stderr."""
        table = self.answers

        class StoryDaemon:
            def __init__(self, _socket: str | None, _patience: float) -> None:
                pass

            def request(self, method: str, params: Mapping[str, Any]) -> Any:
                answer = table[method]
                return answer(params) if callable(answer) else answer

            def close(self) -> None:
                pass

        self._monkeypatch.setattr("guardd.cli.connect.Daemon", StoryDaemon)
        self._monkeypatch.setattr(wrapping, "terminal_width", lambda _stream: width)
        arguments = [*command.split(), "--color", "always" if color else "never"]
        result = CliRunner().invoke(program, arguments, env={"COLUMNS": str(width)})
        assert not isinstance(result.exception, Exception), result.exception
        return result.output


@pytest.fixture
def screens(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Screens:
    """guardctl, and the story with a run of each kind."""
    screens = Screens(monkeypatch, tmp_path)
    screens.tell(story.tell)
    return screens
