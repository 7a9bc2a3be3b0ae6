"""Progress bars, where stderr is a terminal and where it is none."""

import io
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from guardd.cli.progress import LONG, MANY, over_files, over_items


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    terminal = Terminal()
    # Not sys.stderr: pytest puts its own there before each phase of a test.
    monkeypatch.setattr("guardd.cli.progress.sys", SimpleNamespace(stderr=terminal))
    return terminal


def file_of(directory: Path, size: int, name: str = "long") -> str:
    (directory / name).write_bytes(b"x" * size)
    return str(directory / name)


def read_all(*files: str) -> None:
    with over_files(files, "reading") as progress:
        for file in files:
            with Path(file).open("rb") as stream:
                while stream.read(LONG // 4):
                    progress.at(stream)
            progress.next()


def test_long_files_have_a_bar_that_gets_to_its_end(terminal: Terminal, tmp_path: Path) -> None:
    read_all(file_of(tmp_path, LONG), file_of(tmp_path, LONG // 2, "other"))
    assert "reading" in terminal.getvalue()
    assert "100%" in terminal.getvalue()


def test_short_files_have_none(terminal: Terminal, tmp_path: Path) -> None:
    read_all(file_of(tmp_path, LONG - 1))
    assert terminal.getvalue() == ""


@pytest.mark.parametrize("other", ["-", "/dev/null", "."])
def test_nor_has_what_has_no_length(terminal: Terminal, tmp_path: Path, other: str) -> None:
    with over_files([file_of(tmp_path, LONG), other], "reading") as progress:
        progress.next()
    assert terminal.getvalue() == ""


@pytest.mark.parametrize(("count", "drawn"), [(MANY - 1, False), (MANY, True)])
def test_items(terminal: Terminal, count: int, drawn: bool) -> None:  # noqa: FBT001
    with over_items(range(count), "judging") as items:
        assert list(items) == list(range(count))
    assert ("judging" in terminal.getvalue()) is drawn


def test_where_stderr_is_no_terminal(capsys: Any, tmp_path: Path) -> None:
    read_all(file_of(tmp_path, LONG))
    with over_items(range(MANY), "judging") as items:
        assert len(list(items)) == MANY
    assert capsys.readouterr().err == ""
