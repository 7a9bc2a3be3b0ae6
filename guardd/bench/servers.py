"""The servers that are measured, each a process of its own, in temporary folders: guardd as it is, and the floor."""

import json
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from guardd.bench import floor, load
from guardd.bench.load import Counted, Link
from guardd.own_daemon.daemon import OwnDaemon
from guardd.own_daemon.errors import Breakdown

DETECTING: dict[str, Any] = {"tools": {"loopDetection": {"enabled": True}}}
"""The settings of the daemon: the detectors switched on, and all else as it is by default."""

START_SECONDS = 30.0
STOP_SECONDS = 10.0
_LOOK_SECONDS = 0.01


def detecting(**settings: Any) -> dict[str, Any]:  # noqa: ANN401 - as in a file
    """The same with sections of guardd's own settings."""
    return DETECTING | {"guardd": settings}


def own_daemon(config: dict[str, Any] | None = None) -> OwnDaemon:
    """A daemon of the benchmark's own; it is not started yet."""
    return OwnDaemon("bench", config or DETECTING)


class Floor:
    """The floor; leaving the block ends it.

    Args:
        folder: Where its files go; whoever made it removes it.
        program: Python's arguments that run it, where it is not the floor itself but another built on it.
    """

    def __init__(self, folder: Path, program: Sequence[str] = ("-m", floor.__name__)) -> None:
        self.socket = folder / "floor.sock"
        self._log = folder / "floor.log"
        self._command = [
            *(sys.executable, "-P", *program),
            *(str(self.socket), str(folder / "floor.db")),
        ]

    def __enter__(self) -> Self:
        """Start it, and wait until it listens.

        Raises:
            Breakdown: It does not.
        """
        with self._log.open("wb") as log:
            self._process = subprocess.Popen(  # noqa: S603 - our own program
                self._command, stdin=subprocess.PIPE, stdout=log, stderr=log, start_new_session=True
            )
        try:
            self._wait()
        except BaseException:
            self._end()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._end()

    @property
    def pid(self) -> int:
        """Its process id."""
        return self._process.pid

    def _wait(self) -> None:
        deadline = time.monotonic() + START_SECONDS
        while self._process.poll() is None and time.monotonic() < deadline:
            with suppress(OSError), Link(self.socket):
                return
            time.sleep(_LOOK_SECONDS)
        said = self._log.read_text(encoding="utf-8", errors="replace").splitlines()
        raise Breakdown("the floor does not start; it says:", *said[-5:])

    def _end(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        try:
            with suppress(subprocess.TimeoutExpired):
                self._process.wait(STOP_SECONDS)
        finally:
            self._process.kill()
            self._process.wait()


@contextmanager
def floor_and_guardd(config: dict[str, Any] | None = None) -> Iterator[tuple[Floor, OwnDaemon]]:
    """Both, started, in one folder."""
    with own_daemon(config) as daemon, Floor(daemon.folder) as bottom:
        daemon.start()
        yield bottom, daemon


def drive(path: Path, connections: int, seconds: float, name: str, calls: int | None = None) -> Counted:
    """Send pairs on many connections, from a process of its own; see `guardd.bench.load`.

    Raises:
        Breakdown: The server did not stand it.
    """
    words = [str(path), str(connections), str(seconds), name, *([str(calls)] if calls else [])]
    process = subprocess.Popen(  # noqa: S603 - our own program
        [sys.executable, "-P", "-m", load.__name__, *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    try:
        out, err = process.communicate()
    finally:
        process.kill()
        process.wait()
    if process.returncode:
        raise Breakdown("the load could not be driven", *err.decode(errors="replace").splitlines()[-1:])
    return Counted(**json.loads(out))


def resident_bytes(pid: int) -> int:
    """The memory that a process occupies, as `VmRSS` of proc(5)."""
    lines = Path(f"/proc/{pid}/status").read_text(encoding="ascii").splitlines()
    [kilobytes] = [int(line.split()[1]) for line in lines if line.startswith("VmRSS")]
    return kilobytes * 1024
