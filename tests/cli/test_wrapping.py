import io
import os
import sys
import termios

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guardd.cli import wrapping
from guardd.cli.wrapping import for_terminal, prose_width, wrap


@pytest.mark.parametrize(
    ("text", "width", "lines"),
    [
        ("", 10, [""]),
        ("one two three", 20, ["one two three"]),
        ("one two three", 8, ["one two", "three"]),
        ("one\n\ntwo", 8, ["one", "", "two"]),
        ("see /a/long/path/of/mine that goes", 16, ["see /a/long/", "path/of/mine", "that goes"]),
        ("/etc/guardd/guardd.json5: tools", 14, ["/etc/guardd/", "guardd.json5:", "tools"]),
        ("agents.list[id=safe-runner]", 16, ["agents.list[id=", "safe-runner]"]),
        ("globalCircuitBreakerThreshold", 17, ["globalCircuit", "BreakerThreshold"]),
        ("known_poll_no_progress", 12, ["known_poll_", "no_progress"]),
        ("xxxxxxxxxx", 4, ["xxxx", "xxxx", "xx"]),
        ("日本日本", 5, ["日本", "日本"]),
    ],
)
def test_lines_end_where_they_read_best(text: str, width: int, lines: list[str]) -> None:
    assert wrap(text, width) == lines


@given(st.text(max_size=80), st.integers(4, 40))
def test_no_line_is_too_wide_and_nothing_but_blanks_is_lost(text: str, width: int) -> None:
    lines = wrap(text, width)
    assert all(prose_width(line) <= width for line in lines)
    assert "".join("".join(lines).split()) == "".join(text.split())


def test_only_a_terminal_gets_lines_that_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    words = "a word " * 9
    assert for_terminal(words, io.StringIO()) == words
    with open(os.devnull) as nowhere:  # noqa: PTH123 - a device
        assert for_terminal(words, nowhere) == words
    monkeypatch.setattr(wrapping, "terminal_width", lambda _stream: 40)
    assert for_terminal(f"head\n  {words}", sys.stderr, "    ").splitlines() == [
        "head",
        "  a word a word a word a word a word",
        "    a word a word a word a word",
    ]


def test_a_terminal_says_how_wide_it_is_unless_somebody_else_does(monkeypatch: pytest.MonkeyPatch) -> None:
    master, terminal = os.openpty()
    with os.fdopen(master), os.fdopen(terminal, "w") as stream:
        termios.tcsetwinsize(terminal, (24, 90))
        for named, width in {"": 90, "0": 90, "wide": 90, "9" * 5000: 90, "50": 50, "7": 40}.items():
            monkeypatch.setenv("COLUMNS", named)
            assert wrapping.terminal_width(stream) == width
        monkeypatch.delenv("COLUMNS")
        termios.tcsetwinsize(terminal, (0, 0))
        assert wrapping.terminal_width(stream) == 40  # one of no width at all counts as narrow
    monkeypatch.setenv("COLUMNS", "50")
    assert wrapping.terminal_width(io.StringIO()) is None, "what is no terminal gets its lines whole"
