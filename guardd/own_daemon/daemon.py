"""The daemon: nothing of the user's reaches it, and nothing of it stays."""

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from types import FrameType, TracebackType
from typing import Any, NoReturn, Self

from guardd.client.exceptions import GuardUnavailable
from guardd.client.requester import Requester
from guardd.own_daemon import serving
from guardd.own_daemon.errors import Breakdown

START_SECONDS = 30.0
STOP_SECONDS = 10.0
_LOOK_SECONDS = 0.005
_LONGEST_SOCKET = 107  # bytes, by unix(7)

_FOREIGN = ("GUARDD_", "XDG_", "LISTEN_", "WATCHDOG_")
_FOREIGN_NAMES = frozenset(
    {"NOTIFY_SOCKET", "RUNTIME_DIRECTORY", "STATE_DIRECTORY", "CONFIGURATION_DIRECTORY"}
)
_ENDINGS = (signal.SIGTERM, signal.SIGHUP)
"""What ends a program at once, unless it is made to leave its blocks first, as Ctrl-C does."""


class OwnDaemon:
    """A daemon in a new folder that is only this user's; leaving the block stops it and removes the folder.

    SIGTERM and SIGHUP leave the block, too. After a SIGKILL the daemon itself does what is left to do.

    Args:
        whose: The command that it belongs to, for the folder's name and for messages.
        config: Its configuration.
        keep: Whether the folder stays.

    Raises:
        Breakdown: There is no place for the folder.
    """

    def __init__(self, whose: str, config: Mapping[str, Any], *, keep: bool = False) -> None:
        self.keep = keep
        self._whose = whose
        self._config = config
        self._heeded: list[signal.Signals] = []
        self.folder = _make_folder(whose)
        self.socket = self.folder / serving.SOCKET
        self.database = self.folder / serving.DATABASE
        self.log = self.folder / "guardd.log"
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Self:
        for number in _ENDINGS:
            if signal.getsignal(number) == signal.SIG_DFL:
                signal.signal(number, _end)
                self._heeded.append(number)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            self.stop()
        finally:
            for number in self._heeded:  # not those of another one, in whose block this one stands
                signal.signal(number, signal.SIG_DFL)
            if not self.keep:
                shutil.rmtree(self.folder, ignore_errors=True)

    def start(self) -> int:
        """Start it, wait until it answers, and return its process id.

        Raises:
            Breakdown: It does not.
        """
        (self.folder / serving.CONFIG).write_text(json.dumps(self._config), encoding="utf-8")
        command = [sys.executable, "-P", "-m", serving.__name__]
        with self.log.open("ab") as log:
            self._process = subprocess.Popen(  # noqa: S603 - our own program
                [*command, str(self.folder), "keep" if self.keep else "remove"],
                stdin=subprocess.PIPE,
                stdout=log,
                stderr=log,
                env=_environment(),
                start_new_session=True,  # Ctrl-C is for the command, which then stops it
            )
        self._wait_until_it_answers(self._process)
        return self.pid

    @property
    def pid(self) -> int:
        """Its process id; it must have been started."""
        assert self._process is not None
        return self._process.pid

    def kill(self) -> int:
        """End it as a crash would, and return the process id that it had."""
        process = self._process
        assert process is not None
        process.kill()
        self._reap(process)
        return process.pid

    def _wait_until_it_answers(self, process: subprocess.Popen[bytes]) -> None:
        deadline = time.monotonic() + START_SECONDS
        while process.poll() is None and time.monotonic() < deadline:
            with suppress(GuardUnavailable), Requester(self.socket, timeout=START_SECONDS) as client:
                client.request("server.status")
                return
            time.sleep(_LOOK_SECONDS)
        said = self.log.read_text(encoding="utf-8", errors="replace").splitlines()[-5:]
        raise Breakdown(f"the {self._whose}'s daemon does not start; it says:", *said)

    def stop(self) -> None:
        """Tell it to stop, and wait until it has; nothing is done where it does not run."""
        process = self._process
        if process is None:
            return
        process.terminate()
        try:
            with suppress(subprocess.TimeoutExpired):
                process.wait(STOP_SECONDS)
        finally:  # also where Ctrl-C came once more
            process.kill()
            self._reap(process)

    def _reap(self, process: subprocess.Popen[bytes]) -> None:
        process.wait()
        assert process.stdin is not None
        process.stdin.close()
        self._process = None


def _end(number: int, frame: FrameType | None) -> NoReturn:
    del frame
    raise SystemExit(128 + number)  # as a shell has it


def _make_folder(whose: str) -> Path:
    """Make the folder in the usual place, or in a shorter one if a socket's path there would be too long."""
    for place in dict.fromkeys((tempfile.gettempdir(), "/tmp", "/var/tmp")):  # noqa: S108 - mkdtemp makes it safe
        with suppress(OSError):
            folder = Path(tempfile.mkdtemp(prefix=f"guardd-{whose}-", dir=place))
            if len(os.fsencode(folder / serving.SOCKET)) <= _LONGEST_SOCKET:
                return folder
            folder.rmdir()
    raise Breakdown(
        f"there is no place for the {whose}'s files",
        f"Name a folder with a short path: TMPDIR=/tmp guardctl {whose}",
    )


def _environment() -> dict[str, str]:
    """The environment of the daemon: without what leads a guardd to the user's own files, or to a service manager."""
    return {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(_FOREIGN) and name not in _FOREIGN_NAMES
    }
