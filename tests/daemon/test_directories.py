import os
import stat
from pathlib import Path
from typing import NamedTuple

import pytest

from guardd.daemon import directories
from guardd.daemon.directories import DirectoryError, check_directory, group_name, secure_directory, user_name

needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")

STRANGER = 4_000_000_000


def mode(path: Path) -> int:
    return stat.S_IMODE(path.lstat().st_mode)


def refusal(path: Path) -> str:
    with pytest.raises(DirectoryError) as caught:
        secure_directory(path)
    return str(caught.value)


def test_missing_directories_are_created_for_this_user_only(short_path: Path):
    assert secure_directory(short_path / "a" / "b") == (short_path / "a", short_path / "a" / "b")
    assert mode(short_path / "a") == mode(short_path / "a" / "b") == 0o700
    assert secure_directory(short_path / "a" / "b") == ()


def test_a_directory_that_has_to_exist_is_not_made(short_path: Path):
    check_directory(short_path)
    with pytest.raises(DirectoryError, match="No such file or directory"):
        check_directory(short_path / "a" / "b")
    assert list(short_path.iterdir()) == []
    short_path.chmod(0o777)
    with pytest.raises(DirectoryError, match="anyone may write"):
        check_directory(short_path)


def test_an_existing_directory_is_left_as_it_is(short_path: Path):
    short_path.chmod(0o755)
    assert secure_directory(short_path) == ()
    assert mode(short_path) == 0o755


def test_a_relative_path_and_dots(short_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(short_path)
    assert secure_directory(Path("a/../b")) == (short_path / "a", short_path / "b")


@pytest.mark.parametrize("bits", [0o777, 0o707])
def test_a_directory_for_everyone_is_refused(short_path: Path, bits: int):
    short_path.chmod(bits)
    assert f"anyone may write to the directory {short_path}:" in refusal(short_path / "a" / "b")
    assert not (short_path / "a").exists()


def test_a_sticky_directory_for_everyone_is_accepted(short_path: Path):
    short_path.chmod(0o1777)
    assert secure_directory(short_path / "a") == (short_path / "a",)


@needs_root
def test_a_directory_for_another_group_is_refused(short_path: Path):
    os.chown(short_path, -1, STRANGER)
    short_path.chmod(0o770)
    assert f"the group {STRANGER} may write" in refusal(short_path)


class User(NamedTuple):
    pw_name: str
    pw_gid: int


class Group(NamedTuple):
    gr_name: str
    gr_gid: int
    gr_mem: list[str]


@pytest.mark.parametrize(
    ("user", "group", "accepted"),
    [
        (User("ann", 5), Group("ann", 5, []), True),
        (User("ann", 5), Group("ann", 5, ["ann"]), True),
        (User("ann", 5), Group("ann", 5, ["ann", "bob"]), False),
        (User("ann", 5), Group("users", 5, []), False),
        (User("ann", 5), Group("ann", 6, []), False),
    ],
)
def test_the_private_group_of_a_user_is_that_user(
    short_path: Path, monkeypatch: pytest.MonkeyPatch, user: User, group: Group, *, accepted: bool
):
    short_path.chmod(0o770)
    monkeypatch.setattr(directories.pwd, "getpwuid", lambda _: user)
    monkeypatch.setattr(directories.grp, "getgrgid", lambda _: group)
    if accepted:
        assert secure_directory(short_path) == ()
    else:
        assert f"the group {group.gr_name} may write" in refusal(short_path)


@needs_root
def test_a_directory_of_another_user_is_refused_wherever_it_is_on_the_path(short_path: Path):
    (short_path / "a" / "b").mkdir(parents=True)
    os.chown(short_path / "a", STRANGER, STRANGER)
    assert f"the directory {short_path / 'a'} belongs to {STRANGER}" in refusal(short_path / "a" / "b")


def test_a_file_is_no_directory(short_path: Path):
    (short_path / "f").touch()
    assert "f is not a directory" in refusal(short_path / "f" / "a")


def test_a_link_of_this_user_is_followed(short_path: Path):
    (short_path / "real").mkdir()
    (short_path / "absolute").symlink_to(short_path / "real")
    (short_path / "relative").symlink_to("real/../absolute")
    assert secure_directory(short_path / "relative" / "a") == (short_path / "real" / "a",)


def test_what_a_link_leads_to_is_looked_at(short_path: Path):
    (short_path / "open" / "real").mkdir(parents=True)
    (short_path / "open").chmod(0o777)
    (short_path / "link").symlink_to("open/real")
    assert "anyone may write" in refusal(short_path / "link")


@needs_root
def test_a_link_of_another_user_is_refused(short_path: Path):
    (short_path / "real").mkdir()
    (short_path / "link").symlink_to("real")
    os.lchown(short_path / "link", STRANGER, STRANGER)
    assert f"belongs to user {STRANGER}" in refusal(short_path / "link")


def test_a_link_where_everyone_can_make_one_is_refused(short_path: Path):
    (short_path / "real").mkdir()
    (short_path / "link").symlink_to("real")
    short_path.chmod(0o1777)
    assert "is a symbolic link, in a directory to which anyone may write" in refusal(short_path / "link")


def test_nothing_is_created_behind_a_dangling_link(short_path: Path):
    (short_path / "link").symlink_to("nowhere")
    assert "nowhere, which does not exist" in refusal(short_path / "link")
    assert not (short_path / "nowhere").exists()


def test_links_in_a_circle_are_refused(short_path: Path):
    (short_path / "one").symlink_to("two")
    (short_path / "two").symlink_to("one")
    assert str(short_path / "one") in refusal(short_path / "one")


def test_another_process_may_be_faster(short_path: Path, monkeypatch: pytest.MonkeyPatch):
    make = Path.mkdir

    def make_twice(path: Path, mode: int) -> None:
        make(path, mode)
        make(path, mode)

    monkeypatch.setattr(Path, "mkdir", make_twice)
    assert secure_directory(short_path / "a") == ()
    assert (short_path / "a").is_dir()


@pytest.mark.parametrize("name", ["a\0b", "\ud800", "x" * 300])
def test_a_name_that_no_directory_can_have_is_refused(short_path: Path, name: str):
    assert "directory" in refusal(short_path / name)


def test_what_the_system_refuses_is_told():
    assert "/proc/guardd" in refusal(Path("/proc/guardd/a"))


def test_names_for_people():
    assert user_name(0) == group_name(0) == "root"
    assert user_name(STRANGER) == group_name(STRANGER) == str(STRANGER)
