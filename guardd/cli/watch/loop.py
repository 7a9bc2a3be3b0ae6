"""The board at work: waits for the daemon, for keys and for signals, and draws at most ten times a second."""

import os
import select
import signal
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from guardd.cli.watch import pieces
from guardd.cli.watch.drawing import Drawing, Size
from guardd.cli.watch.feed import Feed
from guardd.cli.watch.model import Model
from guardd.cli.watch.terminal import Terminal

FRAME = 0.1
"""Seconds between two frames at least."""

TICK = 1.0
"""Seconds between two frames at most: what is shown grows older."""

_ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_OTHERS = (signal.SIGWINCH, signal.SIGTSTP, signal.SIGCONT)
_MOST_SIGNALS = 64


class Quit(Exception):  # noqa: N818 - what the person wants
    """The board is to be closed.

    Args:
        number: The signal that asked for it; None: a key did.
    """

    def __init__(self, number: int | None = None) -> None:
        super().__init__()
        self.number = number


class Board:
    """The loop.

    Args:
        model: What is known.
        feed: What keeps it up to date.
        drawing: How it looks.
        terminal: Where it is shown.
        colored: Whether to use colours.
    """

    def __init__(
        self, model: Model, feed: Feed, drawing: Drawing, terminal: Terminal, *, colored: bool
    ) -> None:
        self._model = model
        self._feed = feed
        self._drawing = drawing
        self._terminal = terminal
        self._colored = colored
        self._size = Size(0, 0)
        self._drawn_at = 0.0
        self._has_news = True

    def run(self) -> None:
        """Show the board until it is quit, and leave the terminal as it was however that happens.

        Raises:
            KeyboardInterrupt: Ctrl-C quits it.
        """
        number = None
        with noticed() as wakeup:
            try:
                self._terminal.enter()
                self._loop(wakeup)
            except Quit as quitting:
                number = quitting.number
            except EOFError:
                number = signal.SIGHUP
            finally:
                self._terminal.leave()
                self._feed.close()
        if number == signal.SIGINT:
            raise KeyboardInterrupt
        if number is not None:
            signal.signal(number, signal.SIG_DFL)
            os.kill(os.getpid(), number)  # ends as whoever sent this signal expects

    def _loop(self, wakeup: socket.socket) -> None:
        while True:
            now = time.monotonic()
            self._has_news |= self._feed.tick(now)
            self._draw(now)
            readable = self._wait(wakeup, now)
            if wakeup in readable:
                self._signals(wakeup)
            if self._terminal.fd in readable:
                self._keys()
            self._has_news |= self._feed.read(time.monotonic())

    @property
    def _draw_due(self) -> float:
        return self._drawn_at + (FRAME if self._has_news else TICK)

    def _draw(self, now: float) -> None:
        if now < self._draw_due or self._terminal.is_behind:
            return
        size = self._terminal.size()
        if size != self._size:
            self._terminal.redraw()
        self._size, self._feed.limit = size, size.rows
        lines = self._drawing.lines(self._model, size, now)
        self._terminal.show([pieces.painted(line, colored=self._colored) for line in lines])
        self._has_news, self._drawn_at = False, now

    def _wait(self, wakeup: socket.socket, now: float) -> list[socket.socket | int]:
        sources: list[socket.socket | int] = [wakeup, self._terminal.fd, *self._feed.sockets(now)]
        if self._terminal.is_behind:
            behind, due = [self._terminal.fd], self._feed.due(now)
        else:
            behind, due = [], min(self._feed.due(now), self._draw_due)
        readable, writable, _ = select.select(sources, behind, [], max(0.0, due - now))
        if writable:
            self._terminal.flush()
        return readable

    def _keys(self) -> None:
        for key in self._terminal.pressed():
            if key == "q":
                raise Quit
            if key == "p":
                self._model.pause()
                self._has_news = True

    def _signals(self, wakeup: socket.socket) -> None:
        for number in wakeup.recv(_MOST_SIGNALS):
            if number in _ENDING:
                raise Quit(number)
            if number == signal.SIGTSTP:
                self._suspend()
            elif number == signal.SIGCONT:  # stopped in a way that nobody was told of
                self._terminal.enter()
            self._has_news = True

    def _suspend(self) -> None:
        """Stop as Ctrl-Z asks for, with the terminal as it was; goes on here when the shell continues it."""
        self._terminal.leave()
        noticing = signal.signal(signal.SIGTSTP, signal.SIG_DFL)
        os.kill(os.getpid(), signal.SIGTSTP)
        signal.signal(signal.SIGTSTP, noticing)
        self._terminal.enter()


@contextmanager
def noticed() -> Iterator[socket.socket]:
    """Signals as bytes to read, each its number, in place of what they do otherwise."""
    reading, writing = socket.socketpair()
    with reading, writing:
        writing.setblocking(False)
        before = {number: signal.signal(number, _notice) for number in (*_ENDING, *_OTHERS)}
        wakeup = signal.set_wakeup_fd(writing.fileno(), warn_on_full_buffer=False)
        try:
            yield reading
        finally:
            signal.set_wakeup_fd(wakeup)
            for number, handler in before.items():
                signal.signal(number, handler)


def _notice(_number: int, _frame: FrameType | None) -> None:
    """Let Python write the signal's number to the socket."""
