"""Files are replaced whole or not at all, and never over somebody else's change."""

import os
import tempfile
from pathlib import Path
from typing import Any

import pytest

from guardd.cli.errors import Failure, Status
from guardd.cli.install import files


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "settings.json"
    path.write_text("before")
    path.chmod(0o604)
    return path


def left(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir() if path.is_file())


def test_a_file_keeps_its_mode_and_owner(file: Path, mode: Any) -> None:
    if os.geteuid() == 0:
        os.chown(file, 12345, 54321)
    owner = (file.stat().st_uid, file.stat().st_gid)
    backup = files.write(files.find(file), b"after", 0o600)
    assert backup
    assert (file.read_text(), backup.read_text()) == ("after", "before")
    for path in (file, backup):
        assert mode(path) == 0o604
        assert (path.stat().st_uid, path.stat().st_gid) == owner
    assert len(left(file.parent)) == 2


def test_copies_are_told_apart_and_the_newest_comes_first(file: Path) -> None:
    made = [files.write(files.find(file), f"{number}".encode(), 0o600) for number in range(3)]
    assert len(set(made)) == 3
    found = files.find(file)
    assert {path.read_text() for path in files.backups(found)} == {"before", "0", "1"}
    times = [path.stat().st_mtime_ns for path in files.backups(found)]
    assert times == sorted(times, reverse=True)


@pytest.mark.parametrize("change", ["content", "replaced", "gone", "touched", "link"])
@pytest.mark.parametrize("deleting", [False, True])
def test_a_file_that_changed_meanwhile_is_not_touched(file: Path, change: str, deleting: bool) -> None:  # noqa: FBT001
    found = files.find(file)
    if change == "content":
        file.write_text("theirs")
    elif change == "replaced":
        other = file.with_name("other")
        other.write_text("before")
        other.replace(file)
    elif change == "touched":
        os.utime(file, ns=(1, 1))
    else:
        file.unlink()
        if change == "link":
            file.symlink_to("elsewhere")
    before = left(file.parent)
    with pytest.raises(Failure, match="somebody else changed"):
        files.delete(found, copy=True) if deleting else files.write(found, b"after", 0o600)
    assert left(file.parent) == before
    if change in ("content", "replaced", "touched"):
        assert file.read_text() == ("theirs" if change == "content" else "before")


def test_a_file_that_appeared_meanwhile_is_not_touched(file: Path) -> None:
    file.unlink()
    found = files.find(file)
    file.write_text("theirs")
    with pytest.raises(Failure, match="somebody else changed"):
        files.write(found, b"after", 0o600)
    assert (file.read_text(), left(file.parent)) == ("theirs", [file.name])


def test_a_new_file_gets_its_mode_and_its_folders(tmp_path: Path, mode: Any) -> None:
    path = tmp_path / "a" / "b" / "new"
    assert files.write(files.find(path), b"x", 0o644) is None
    assert (path.read_bytes(), mode(path), mode(path.parent)) == (b"x", 0o644, 0o700)
    assert left(path.parent) == ["new"]


def test_a_full_disk_leaves_everything(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(Failure, match=r"cannot write .*: No space left on device"):
        files.write(files.find(file), b"after", 0o600)
    assert (file.read_text(), left(file.parent)) == ("before", [file.name])


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")
def test_permissions_are_told() -> None:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "settings.json")
        file.touch(0o600)
        file.parent.chmod(0o755)
        os.seteuid(65534)
        try:
            with pytest.raises(Failure, match="cannot read") as unreadable:
                files.find(file)
            with pytest.raises(Failure, match="cannot write") as unwritable:
                files.write(files.find(file.with_name("new")), b"", 0o600)
        finally:
            os.seteuid(0)
    assert (unreadable.value.status, unwritable.value.status) == (Status.DENIED, Status.DENIED)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")
def test_a_folder_that_is_read_only_is_told_before_anybody_is_asked() -> None:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "settings.json")
        file.touch(0o666)
        file.chmod(0o666)
        file.parent.chmod(0o755)
        found = files.find(file)
        os.setegid(65534)
        os.seteuid(65534)
        try:
            with pytest.raises(Failure, match="cannot be replaced"):
                files.check_writable(found)
        finally:
            os.seteuid(0)
            os.setegid(0)
