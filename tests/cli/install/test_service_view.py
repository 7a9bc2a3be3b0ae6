"""What the service of the whole machine gets to see."""

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from guardd.cli.install import service_view
from guardd.cli.install.service_view import kept_from


@pytest.fixture
def place(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A directory for everybody, as `/opt` has them: pytest's own are closed."""
    path = Path(tempfile.mkdtemp(prefix="guardd-")).resolve()
    path.chmod(0o755)
    monkeypatch.setattr(service_view, "OWN_OR_EMPTY", (str(path / "home"),))
    yield path
    shutil.rmtree(path)


def test_what_everybody_may_read_is_seen(place: Path) -> None:
    file = place / "file"
    file.touch()
    file.chmod(0o644)
    assert kept_from(file) == ""
    assert kept_from(place) == ""


def test_what_is_not_there_is_kept_by_nothing(place: Path) -> None:
    assert kept_from(place / "nothing" / "at all") == ""


def test_a_closed_file_or_directory_keeps_it_out(place: Path) -> None:
    folder = place / "folder"
    folder.mkdir()
    file = folder / "file"
    file.touch()
    file.chmod(0o640)
    folder.chmod(0o711)
    assert kept_from(file) == f"{file} has mode 0640"
    file.chmod(0o644)
    assert kept_from(file) == "", "to pass through, a directory need not be listed"
    folder.chmod(0o750)
    assert kept_from(file) == f"{folder} has mode 0750"


@pytest.mark.parametrize(
    ("mode", "may_read", "may_run"),
    [(0o755, True, True), (0o754, True, False), (0o751, False, False), (0o750, False, False)],
)
def test_a_program_must_be_runnable_too(place: Path, mode: int, *, may_read: bool, may_run: bool) -> None:
    file = place / "program"
    file.touch()
    file.chmod(mode)
    link = place / "link"
    link.symlink_to(file)
    for path in (file, link):
        closed = f"{path} has mode {mode:04o}"
        assert kept_from(path) == ("" if may_read else closed)
        assert kept_from(path, program=True) == ("" if may_run else closed)


@pytest.mark.parametrize(("mode", "is_open"), [(0o755, True), (0o744, False), (0o711, False)])
def test_a_directory_must_be_listed_and_passed_through(place: Path, mode: int, *, is_open: bool) -> None:
    folder = place / "folder"
    folder.mkdir()
    folder.chmod(mode)
    assert kept_from(folder) == ("" if is_open else f"{folder} has mode {mode:04o}")


def test_homes_are_hidden_however_open_they_are(place: Path) -> None:
    home = place / "home"
    home.mkdir()
    (home / "file").touch(mode=0o644)
    assert kept_from(home / "file") == f"{home}/file is in {home}, of which the service sees nothing"
    link = place / "link"
    link.symlink_to(home / "file")
    assert kept_from(link) == f"{home}/file is in {home}, of which the service sees nothing"
    assert kept_from(place / "homely") == ""


def test_what_the_unit_hides_is_known() -> None:
    hidden = ("/home", "/root", "/run/user", "/tmp", "/var/tmp")  # noqa: S108
    assert hidden == service_view.OWN_OR_EMPTY
