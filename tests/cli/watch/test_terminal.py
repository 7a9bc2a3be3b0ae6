import os
import pty
import termios
from collections.abc import Iterator

import pytest
from support.daemon import eventually

from guardd.cli.watch import terminal as module
from guardd.cli.watch.drawing import Size
from guardd.cli.watch.terminal import ENTER, LEAVE, Terminal


class Pair:
    """Both sides of a pseudo terminal."""

    def __init__(self) -> None:
        self.master, self.slave = pty.openpty()
        os.set_blocking(self.master, False)
        self.before = termios.tcgetattr(self.slave)
        self.terminal = Terminal(self.slave, "utf-8")

    def read(self) -> bytes:
        """All that was written."""
        data = b""
        while True:
            try:
                data += os.read(self.master, 65536)
            except BlockingIOError:
                return data

    def close(self) -> None:
        for descriptor in (self.master, self.slave):
            os.close(descriptor)
        self.terminal.close()


@pytest.fixture
def pair() -> Iterator[Pair]:
    made = Pair()
    yield made
    made.close()


def test_only_lines_that_changed_are_written_and_nothing_is_cleared(pair: Pair):
    pair.terminal.show(["one", "two", "three"])
    first = pair.read()
    assert first.count(b"\x1b[K") == 3
    pair.terminal.show(["one", "2", "three"])
    assert pair.read() == b"\x1b[?2026h\x1b[2H2\x1b[K\x1b[?2026l"
    pair.terminal.show(["one", "2", "three"])
    assert pair.read() == b""
    pair.terminal.redraw()
    pair.terminal.show(["one", "2", "three"])
    assert pair.read().count(b"\x1b[K") == 3
    pair.terminal.show(["one"])
    assert pair.read() == b"\x1b[?2026h\x1b[1Hone\x1b[K\x1b[?2026l"


def test_everything_is_given_back_as_it_was(pair: Pair):
    pair.terminal.enter()
    modes = termios.tcgetattr(pair.slave)
    assert not modes[3] & (termios.ECHO | termios.ICANON)
    assert modes[3] & termios.ISIG
    pair.terminal.leave()
    assert pair.read() == (ENTER + LEAVE).encode()
    assert termios.tcgetattr(pair.slave) == pair.before
    assert os.get_blocking(pair.slave)


def test_a_terminal_that_takes_nothing_holds_nobody_up(pair: Pair, monkeypatch: pytest.MonkeyPatch):
    lines = ["x" * 1000] * 100
    pair.terminal.show(lines)
    assert pair.terminal.is_behind
    assert not pair.terminal.flush()
    taken = pair.read()
    while not pair.terminal.flush():
        taken += pair.read()
    taken += pair.read()
    assert not pair.terminal.is_behind
    assert taken.count(b"x") == 100_000
    pair.terminal.redraw()
    pair.terminal.show(lines)
    monkeypatch.setattr(module, "PATIENCE", 0.01)
    pair.terminal.leave()
    assert termios.tcgetattr(pair.slave) == pair.before


def test_keys_come_as_they_are_pressed(pair: Pair):
    pair.terminal.enter()
    assert pair.terminal.pressed() == ""
    os.write(pair.master, b"pq")
    assert eventually(pair.terminal.pressed) == "pq"
    os.write(pair.master, b"\x1bOq")
    eventually(lambda: os.read(pair.terminal.fd, 0) == b"")
    assert pair.terminal.pressed() == ""
    os.write(pair.master, "ä".encode())
    assert set(eventually(pair.terminal.pressed)) == {"\ufffd"}


def test_a_terminal_that_is_gone_is_noticed_and_can_be_left(pair: Pair):
    pair.terminal.enter()
    os.close(pair.master)
    pair.master = os.open(os.devnull, os.O_RDONLY)
    with pytest.raises(EOFError):
        pair.terminal.pressed()
    with pytest.raises(EOFError):
        pair.terminal.show(["x"])
    pair.terminal.leave()


def test_its_size_is_asked_for_and_one_without_a_size_is_a_usual_one(pair: Pair):
    assert pair.terminal.size() == Size(80, 24)
    termios.tcsetwinsize(pair.slave, (50, 132))
    assert pair.terminal.size() == Size(132, 50)


def test_what_the_terminal_cannot_show_becomes_a_question_mark(pair: Pair):
    terminal = Terminal(pair.slave, "ascii")
    terminal.show(["a…"])
    assert b"a?" in pair.read()
    terminal.close()


def test_a_terminal_without_a_name_is_used_as_it_is(pair: Pair, monkeypatch: pytest.MonkeyPatch):
    def nameless(_descriptor: int) -> str:
        raise OSError

    monkeypatch.setattr(os, "ttyname", nameless)
    terminal = Terminal(pair.slave, "utf-8")
    terminal.show(["x"])
    assert b"x" in pair.read()
    terminal.close()
