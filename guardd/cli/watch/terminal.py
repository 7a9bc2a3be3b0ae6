"""The terminal that the board has for itself while it is open, and gives back as it was."""

import os
import select
import termios
import time
from collections.abc import Sequence
from contextlib import suppress

from guardd.cli.watch.drawing import Size

ENTER = "\x1b[?1049h\x1b[?25l\x1b[?7l\x1b[H\x1b[2J"
"""The alternate screen, no cursor, no wrapping at the edge, empty."""

LEAVE = "\x1b[0m\x1b[?7h\x1b[?25h\x1b[?1049l"

BEGIN_FRAME = "\x1b[?2026h"
END_FRAME = "\x1b[?2026l"
"""Around a frame: a terminal that knows this shows all of it at once, another one ignores it."""

USUAL = Size(80, 24)
PATIENCE = 1.0
"""Seconds that a terminal which takes nothing is given before it is left as it is."""

_READ = 1024


class Terminal:
    """A screen of lines, of which only those that changed are written, and never more than the terminal takes.

    It is opened anew, so that not waiting for it is nobody else's concern, and neither is where stdin leads.

    Args:
        stdout: The terminal.
        encoding: How text is written to it; what it does not have becomes a question mark.
    """

    def __init__(self, stdout: int, encoding: str) -> None:
        self._encoding = encoding
        self._written: list[str] = []
        self._waiting = b""
        try:
            self.fd = os.open(os.ttyname(stdout), os.O_RDWR | os.O_NONBLOCK | os.O_NOCTTY)
        except OSError:  # a container may show a terminal that has no name in it
            self.fd = os.dup(stdout)
        self._modes = termios.tcgetattr(self.fd)

    def enter(self) -> None:
        """Take the screen, and the keys as they are pressed; or take them again after a stop."""
        modes = termios.tcgetattr(self.fd)
        modes[0] &= ~termios.IXON  # Ctrl-S would only freeze the board
        modes[3] &= ~(termios.ICANON | termios.ECHO)
        modes[6][termios.VMIN], modes[6][termios.VTIME] = 1, 0
        termios.tcsetattr(self.fd, termios.TCSADRAIN, modes)
        self._waiting += ENTER.encode()
        self.redraw()

    def leave(self) -> None:
        """Give everything back as it was. Does not raise: the terminal may be gone."""
        self._waiting += LEAVE.encode()
        deadline = time.monotonic() + PATIENCE
        with suppress(EOFError):
            while not self.flush() and (left := deadline - time.monotonic()) > 0:
                select.select([], [self.fd], [], left)
        with suppress(termios.error):
            termios.tcsetattr(self.fd, termios.TCSANOW, self._modes)

    def close(self) -> None:
        """Close it."""
        os.close(self.fd)

    def size(self) -> Size:
        """Its size now."""
        try:
            columns, rows = os.get_terminal_size(self.fd)
        except OSError:
            return USUAL
        return Size(columns or USUAL.columns, rows or USUAL.rows)

    def pressed(self) -> str:
        """What was pressed; nothing for keys that are none of the letters.

        Raises:
            EOFError: The terminal is gone.
        """
        try:
            pressed = os.read(self.fd, _READ)
        except BlockingIOError:
            return ""
        except OSError:
            raise EOFError from None
        if not pressed:
            raise EOFError
        return "" if pressed.startswith(b"\x1b") else pressed.decode("ascii", "replace")

    def redraw(self) -> None:
        """Write every line with the next `show`."""
        self._written = []

    def show(self, lines: Sequence[str]) -> None:
        """Put lines on the screen, from its top.

        Args:
            lines: One for each row, narrower than the screen, with their escape sequences.
        """
        before = self._written if len(self._written) == len(lines) else [None] * len(lines)
        changed = [
            f"\x1b[{number}H{line}\x1b[K"
            for number, (line, old) in enumerate(zip(lines, before, strict=True), 1)
            if line != old
        ]
        self._written = list(lines)
        if changed:
            frame = f"{BEGIN_FRAME}{''.join(changed)}{END_FRAME}"
            self._waiting += frame.encode(self._encoding, "replace")
        self.flush()

    @property
    def is_behind(self) -> bool:
        """Whether something that was shown has not been taken yet: wait until it can be written to."""
        return bool(self._waiting)

    def flush(self) -> bool:
        """Write what the terminal takes; whether that was all.

        Raises:
            EOFError: The terminal is gone.
        """
        while self._waiting:
            try:
                self._waiting = self._waiting[os.write(self.fd, self._waiting) :]
            except BlockingIOError:
                return False
            except OSError:
                raise EOFError from None
        return True
