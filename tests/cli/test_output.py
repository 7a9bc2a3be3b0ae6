import errno
import os
from pathlib import Path

import pytest

from guardd.cli.errors import Failure
from guardd.cli.output import Kind, write

PAGE = '<!doctype html>\n<meta name="generator" content="guardd 1.0">\n'
KIND = Kind("report", b'<meta name="generator" content="guardd ')


def test_a_page_is_for_its_owner_alone(tmp_path: Path) -> None:
    file = tmp_path / "run.html"
    write([PAGE], file, KIND)
    assert file.read_text() == PAGE
    assert file.stat().st_mode & 0o777 == 0o600
    assert list(tmp_path.iterdir()) == [file]


def test_a_report_may_be_replaced_and_nothing_else(tmp_path: Path) -> None:
    file = tmp_path / "run.html"
    write([PAGE], file, KIND)
    write([f"{PAGE}again"], file, KIND)
    assert file.read_text() == f"{PAGE}again"
    file.write_text("<h1>my own page</h1>")
    with pytest.raises(Failure, match="is no report of guardd's"):
        write([PAGE], file, KIND)
    assert file.read_text() == "<h1>my own page</h1>"
    file.write_text("")
    write([PAGE], file, KIND)
    assert file.read_text() == PAGE


def test_a_directory_and_what_is_no_file_are_left_alone(tmp_path: Path) -> None:
    with pytest.raises(Failure, match="is a directory"):
        write([PAGE], tmp_path, KIND)
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with pytest.raises(Failure, match="is no regular file"):
        write([PAGE], pipe, KIND)


def test_a_write_that_fails_leaves_nothing_behind(tmp_path: Path) -> None:
    file = tmp_path / "run.html"
    write([PAGE], file, KIND)
    with pytest.raises(UnicodeEncodeError):
        write(["\ud800"], file, KIND)
    assert file.read_text() == PAGE
    assert list(tmp_path.iterdir()) == [file]


def test_a_missing_directory_is_named(tmp_path: Path) -> None:
    with pytest.raises(Failure) as failed:
        write([PAGE], tmp_path / "missing" / "run.html", KIND)
    assert failed.value.message == f"there is no directory {tmp_path}/missing"


@pytest.mark.parametrize("step", ["tempfile.mkstemp", "os.fsync", "pathlib.Path.replace"])
def test_what_else_goes_wrong_names_the_file_and_not_its_draft(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(errno.EACCES, "Permission denied", f"{tmp_path}/.run.html.x.tmp")

    monkeypatch.setattr(step, refuse)
    file = tmp_path / "run.html"
    with pytest.raises(Failure) as failed:
        write([PAGE], file, KIND)
    assert failed.value.message == f"{file} cannot be written: Permission denied"
    assert failed.value.advice == ("Name another place, or - for stdout",)
    assert list(tmp_path.iterdir()) == []
