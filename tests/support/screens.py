"""A program on a real pseudo terminal, which an emulator reads, and what a daemon has to show there."""

import fcntl
import json
import os
import pty
import re
import struct
import subprocess
import termios
import threading
from typing import Any

import pyte
from support.daemon import Daemon, RawClient, eventually

ALTERNATE = 1049
CURSOR = 25
_PRIVATE = 5  # how pyte keeps the private modes apart from the others

LOW = {
    "tools": {
        "loopDetection": {
            "enabled": True,
            "warningThreshold": 2,
            "criticalThreshold": 9_000,
            "globalCircuitBreakerThreshold": 10_000,
        }
    }
}
"""A repeated call is warned of from its second time on."""

START = """
import fcntl, os, termios
os.setsid()
fcntl.ioctl(0, termios.TIOCSCTTY, 0)
"""
BOARD = f"{START}from guardd.cli.guardctl import main; main()"
"""Become the leader of a session on the terminal, and then guardctl."""

SHELL = f"{START}os.execvp('sh', ['sh', '-i'])"


class Screen:
    """A program on a terminal of its own, and what is to be seen there."""

    def __init__(self, command: list[str], environment: dict[str, str], columns: int, rows: int) -> None:
        self.written = b""
        self._screen = pyte.Screen(columns, rows)
        self._stream = pyte.ByteStream(self._screen)
        self._lock = threading.Lock()
        self._master, self.slave = pty.openpty()
        self._set_size(columns, rows)
        self.modes = termios.tcgetattr(self.slave)
        self.process = subprocess.Popen(
            command,
            stdin=self.slave,
            stdout=self.slave,
            stderr=self.slave,
            env={**os.environ, "TERM": "xterm-256color", **environment},
        )
        self._reader = threading.Thread(target=self._read)
        self._reader.start()

    def _read(self) -> None:
        while data := self._chunk():
            with self._lock:
                self.written += data
                self._stream.feed(data)

    def _chunk(self) -> bytes:
        try:
            return os.read(self._master, 65536)
        except OSError:  # nobody has the other side open any more
            return b""

    def close(self) -> None:
        self.process.kill()
        self.process.wait()
        os.close(self.slave)
        self._reader.join()
        os.close(self._master)

    def _set_size(self, columns: int, rows: int) -> None:
        fcntl.ioctl(self._master, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def resize(self, columns: int, rows: int) -> None:
        with self._lock:
            self._screen.resize(rows, columns)
            self._set_size(columns, rows)

    def press(self, keys: str) -> None:
        os.write(self._master, keys.encode())

    @property
    def lines(self) -> list[str]:
        with self._lock:
            return [line.rstrip() for line in self._screen.display]

    @property
    def text(self) -> str:
        return "\n".join(self.lines)

    def has_mode(self, mode: int) -> bool:
        with self._lock:
            return mode << _PRIVATE in self._screen.mode

    def until(self, pattern: str) -> "re.Match[str]":
        """Wait until the screen shows something; what a pattern found there."""
        try:
            found = eventually(lambda: re.search(pattern, self.text, re.MULTILINE))
        except AssertionError:
            raise AssertionError(f"{pattern!r} never stood on\n{self.text}") from None
        assert isinstance(found, re.Match)
        return found

    def is_as_it_was(self) -> bool:
        """Whether the terminal is again as it was before the program."""
        modes = termios.tcgetattr(self.slave)
        return modes == self.modes and self.has_mode(CURSOR) and not self.has_mode(ALTERNATE)


def repeat(client: RawClient, times: int, run: str = "r", tool: str = "exec", **fields: Any) -> None:
    """Ask about the same call, again and again, in batches."""
    params = {"runId": run, "agentId": "main", "toolName": tool, "args": {"command": "make"}, **fields}
    while times > 0:
        batch = [client.request("tool.before", **params) for _ in range(min(times, 50))]
        times -= len(batch)
        client.send(json.dumps(batch).encode() + b"\n")
        client.read_line()


def verdicts(daemon: Daemon) -> dict[str, int]:
    """How often the daemon itself says that it answered so."""
    text = daemon.ask("server.metrics")
    counts: dict[str, int] = {}
    for labels, count in re.findall(r"^guardd_verdicts_total\{(.*)\} (\d+)$", text, re.MULTILINE):
        action = re.search(r'action="(\w+)"', labels)
        assert action is not None
        counts[action[1]] = counts.get(action[1], 0) + int(count)
    return counts
