"""What others have laid in the daemon's way, and what it leaves for others to read: a real daemon in each place."""

import os
import socket
import stat
from collections.abc import Callable
from pathlib import Path

import pytest
from support.daemon import Daemon, NotStartedError

MakeDaemon = Callable[..., Daemon]
needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
STRANGER = 65534


def refusal(daemon: Daemon) -> str:
    with pytest.raises(NotStartedError) as caught:
        daemon.start()
    return caught.value.log


def mode(path: Path) -> int:
    return stat.S_IMODE(path.lstat().st_mode)


@pytest.fixture
def unused(make_daemon: MakeDaemon) -> Daemon:
    """A daemon that is not started yet."""
    return make_daemon()


def test_all_that_it_makes_is_its_own_alone(make_daemon: MakeDaemon, tmp_path: Path):
    directory = tmp_path / "data"
    directory.mkdir()
    daemon = make_daemon(directory=directory, is_first_start=True)
    daemon.socket = daemon.socket.parent / "run" / "guardd.sock"
    daemon.start(umask=0)
    daemon.ask("tool.before", runId="r", toolName="t")
    daemon.ask("db.backup", path=str(directory / "copy.db"))
    modes = {path.name: mode(path) for path in directory.glob("*.db*")}
    names = {"guardd.db", "guardd.db-wal", "guardd.db-shm", "guardd.db.lock", "copy.db"}
    assert modes == dict.fromkeys(names, 0o600)
    assert mode(daemon.socket) == 0o600
    assert mode(daemon.socket.parent) == 0o700


@pytest.mark.parametrize("target", ["real", "nowhere"])
def test_a_link_in_place_of_the_socket(unused: Daemon, target: str):
    real = unused.socket.with_name("real")
    real.write_text("precious", encoding="utf-8")
    unused.socket.symlink_to(target)
    assert "is a symbolic link" in refusal(unused)
    assert unused.socket.is_symlink()
    assert real.read_text(encoding="utf-8") == "precious"
    assert not unused.socket.with_name("nowhere").exists()


def test_a_file_with_two_names_in_place_of_the_socket(unused: Daemon):
    real = unused.socket.with_name("real")
    real.write_text("precious", encoding="utf-8")
    unused.socket.hardlink_to(real)
    assert "exists and is not a socket" in refusal(unused)
    assert real.read_text(encoding="utf-8") == "precious"


def test_a_link_put_in_place_of_the_socket_while_it_runs(daemon: Daemon):
    real = daemon.socket.with_name("real")
    real.write_text("precious", encoding="utf-8")
    daemon.socket.unlink()
    daemon.socket.symlink_to(real)
    assert daemon.stop() == 0
    assert daemon.socket.is_symlink()
    assert real.read_text(encoding="utf-8") == "precious"


def test_a_link_in_place_of_the_sockets_directory_where_anyone_can_make_one(unused: Daemon):
    place = unused.socket.parent
    (place / "trap").mkdir()
    (place / "guardd-1000").symlink_to("trap")
    place.chmod(0o1777)
    unused.socket = place / "guardd-1000" / "guardd.sock"
    assert "is a symbolic link, in a directory to which anyone may write" in refusal(unused)
    assert list((place / "trap").iterdir()) == []


@needs_root
def test_a_directory_that_another_user_made_first(unused: Daemon):
    place = unused.socket.parent
    squatted = place / "guardd-0"
    squatted.mkdir()
    os.chown(squatted, STRANGER, STRANGER)
    place.chmod(0o1777)
    unused.socket = squatted / "guardd.sock"
    assert "belongs to nobody, who could replace what is in it" in refusal(unused)
    assert list(squatted.iterdir()) == []


@needs_root
def test_a_socket_that_another_user_made_first(unused: Daemon):
    with socket.socket(socket.AF_UNIX) as theirs:
        theirs.bind(str(unused.socket))
        os.chown(unused.socket, STRANGER, STRANGER)
        assert "is a socket of user nobody" in refusal(unused)
    assert unused.socket.is_socket()


@pytest.mark.parametrize("name", ["guardd.db.lock", "guardd.db-wal", "guardd.db-shm", "guardd.db-journal"])
@pytest.mark.parametrize("target", ["real", "nowhere"])
def test_a_link_beside_the_database(unused: Daemon, name: str, target: str):
    (unused.directory / "real").write_text("precious", encoding="utf-8")
    (unused.directory / name).symlink_to(target)
    assert str(unused.database) in refusal(unused)
    assert (unused.directory / "real").read_text(encoding="utf-8") == "precious"
    assert not (unused.directory / "nowhere").exists()


def test_the_databases_own_link_is_followed_and_locked_where_it_leads(
    make_daemon: MakeDaemon, tmp_path: Path
):
    one = make_daemon().start()
    link = tmp_path / "link"
    link.mkdir()
    other = make_daemon(directory=link, is_first_start=True)
    other.database.symlink_to(one.database)
    assert "has the database" in refusal(other)
    assert one.ask("db.check")["ok"]


@needs_root
@pytest.mark.parametrize("name", ["guardd.db", "guardd.db.lock", "guardd.db-wal"])
def test_files_of_another_user_beside_the_database(unused: Daemon, name: str):
    path = unused.directory / name
    path.touch()
    os.chown(path, STRANGER, STRANGER)
    path.chmod(0o666)
    assert f"{name} belongs to user nobody" in refusal(unused)
