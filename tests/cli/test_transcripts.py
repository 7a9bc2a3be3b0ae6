"""Files of transcripts as they are named on a command line."""

import gc
import io
from pathlib import Path
from types import SimpleNamespace

import click
import pytest

from guardd.cli.errors import Failure, Status
from guardd.cli.transcripts import check_named, opened, unknown_formats


def test_a_file_and_stdin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a").write_bytes(b"in the file")
    monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=io.BytesIO(b"on stdin")))
    check_named([str(tmp_path / "a"), "-"])
    with opened(str(tmp_path / "a")) as stream:
        assert stream.read() == b"in the file"
    with opened("-") as stream:
        assert stream.peek(2)[:2] == b"on"  # type: ignore[attr-defined] - it is buffered
        assert stream.read() == b"on stdin"


def test_stdin_stays_open_however_its_reading_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    buffer = io.BytesIO(b"on stdin")
    monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=buffer))
    with pytest.raises(ValueError, match="unreadable"), opened("-"):
        raise ValueError("unreadable")
    gc.collect()
    assert not buffer.closed


def test_what_cannot_be_read_is_refused_before_anything_is(tmp_path: Path) -> None:
    with pytest.raises(click.UsageError, match="only once"):
        check_named(["-", "-"])
    with pytest.raises(Failure, match="there is no file nowhere") as failed:
        check_named([str(Path(__file__)), "nowhere"])
    assert failed.value.status is Status.NOT_FOUND
    with pytest.raises(Failure, match="is a directory"):
        check_named([str(tmp_path)])


def test_files_of_something_else() -> None:
    failure = unknown_formats(["a\x1b", "b", "a\x1b"], "replay")
    assert failure.in_words("guardctl").splitlines() == [
        "guardctl: no transcript that guardd knows: a\\e, b",
        "  guardctl replay --help lists the formats",
    ]


def test_empty_files_are_called_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("nothing").touch()
    assert unknown_formats(["nothing"], "replay").in_words("guardctl") == "guardctl: nothing is empty"
    assert unknown_formats(["gone", "nothing"], "replay").in_words("guardctl").splitlines() == [
        "guardctl: no transcript that guardd knows: gone",
        "  nothing is empty",
        "  guardctl replay --help lists the formats",
    ]
    monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=io.BytesIO()))
    with pytest.raises(Failure, match="stdin is empty"), opened("-"):
        pass
