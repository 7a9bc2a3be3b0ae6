import fcntl
import os
import signal
import stat
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from guardd.daemon.lock import DatabaseLock, LockError

needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")

STRANGER = 4_000_000_000
HOLD = """
import sys, time
from pathlib import Path
from guardd.daemon.lock import DatabaseLock
lock = DatabaseLock.acquire(Path(sys.argv[1]))
print("held", flush=True)
time.sleep(60)
"""


@contextmanager
def holder(database: Path) -> Iterator[subprocess.Popen[str]]:
    with subprocess.Popen(
        [sys.executable, "-c", HOLD, str(database)], stdout=subprocess.PIPE, text=True
    ) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == "held\n"
            yield process
        finally:
            process.kill()


def refusal(database: Path) -> str:
    with pytest.raises(LockError) as caught:
        DatabaseLock.acquire(database)
    return str(caught.value)


def test_the_directory_and_the_lock_file_are_for_this_user_only(short_path: Path):
    database = short_path / "state" / "guardd.db"
    with DatabaseLock.acquire(database) as lock:
        assert lock.database == database
        assert stat.S_IMODE(database.parent.stat().st_mode) == 0o700
        assert stat.S_IMODE(database.with_name("guardd.db.lock").stat().st_mode) == 0o600
        assert database.with_name("guardd.db.lock").read_text() == f"{os.getpid()}\n"
    assert not database.exists()


def test_a_second_daemon_is_refused_with_the_process_id_of_the_first(short_path: Path):
    with holder(short_path / "g.db") as process:
        text = refusal(short_path / "g.db")
        assert f"another guardd (process {process.pid}) has the database {short_path / 'g.db'} open" in text
        with DatabaseLock.acquire(short_path / "other.db"):
            pass


def test_the_kernel_releases_the_lock_of_a_killed_daemon(short_path: Path):
    with holder(short_path / "g.db") as process:
        process.send_signal(signal.SIGKILL)
        process.wait()
        with DatabaseLock.acquire(short_path / "g.db"):
            assert (short_path / "g.db.lock").read_text() == f"{os.getpid()}\n"


def test_a_released_lock_can_be_had_again_and_its_file_stays(short_path: Path):
    lock = DatabaseLock.acquire(short_path / "g.db")
    assert "has the database" in refusal(short_path / "g.db")
    lock.release()
    lock.release()
    assert (short_path / "g.db.lock").exists()
    with DatabaseLock.acquire(short_path / "g.db"):
        pass


def test_a_longer_number_of_an_earlier_holder_is_overwritten(short_path: Path):
    (short_path / "g.db.lock").write_text("9999999999\n")
    with DatabaseLock.acquire(short_path / "g.db"):
        assert (short_path / "g.db.lock").read_text() == f"{os.getpid()}\n"


@pytest.mark.parametrize("written", ["", "not a number\n", "x" * 5000])
def test_a_holder_that_wrote_no_number_is_refused_as_well(short_path: Path, written: str):
    path = short_path / "g.db.lock"
    path.write_text(written)
    with path.open() as other:
        fcntl.flock(other, fcntl.LOCK_EX)
        assert "another guardd has the database" in refusal(short_path / "g.db")


def test_the_lock_is_not_inherited(short_path: Path):
    lock = DatabaseLock.acquire(short_path / "g.db")
    with subprocess.Popen(
        ["/bin/cat"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0, close_fds=False
    ) as child:
        assert child.stdin is not None
        assert child.stdout is not None
        child.stdin.write(b"up\n")
        assert child.stdout.readline() == b"up\n"
        lock.release()
        with DatabaseLock.acquire(short_path / "g.db"):
            pass


def test_a_database_has_one_lock_under_all_its_names(short_path: Path):
    (short_path / "link.db").symlink_to("real.db")
    with DatabaseLock.acquire(short_path / "link.db") as lock:
        assert lock.database == short_path / "real.db"
        assert "has the database" in refusal(short_path / "real.db")


def test_a_link_in_place_of_the_lock_file_is_not_followed(short_path: Path):
    (short_path / "g.db.lock").symlink_to("precious")
    (short_path / "precious").write_text("kept")
    assert "it is a symbolic link; remove it" in refusal(short_path / "g.db")
    assert (short_path / "precious").read_text() == "kept"


def test_a_pipe_in_place_of_the_lock_file_is_refused(short_path: Path):
    os.mkfifo(short_path / "g.db.lock")
    assert "g.db.lock is not a regular file" in refusal(short_path / "g.db")


@pytest.mark.parametrize("name", ["g.db", "g.db-wal", "g.db-shm", "g.db-journal"])
def test_what_is_no_file_is_no_database(short_path: Path, name: str):
    (short_path / name).mkdir()
    assert f"{name} is not a regular file" in refusal(short_path / "g.db")


@needs_root
@pytest.mark.parametrize("name", ["g.db", "g.db-wal", "g.db-shm", "g.db-journal"])
def test_files_of_another_user_are_refused(short_path: Path, name: str):
    (short_path / name).touch()
    os.chown(short_path / name, STRANGER, STRANGER)
    assert f"{name} belongs to user {STRANGER}" in refusal(short_path / "g.db")


@needs_root
def test_a_link_of_another_user_is_no_database(short_path: Path):
    (short_path / "g.db").symlink_to("real.db")
    os.lchown(short_path / "g.db", STRANGER, STRANGER)
    assert f"g.db belongs to user {STRANGER}" in refusal(short_path / "g.db")


def test_a_link_beside_the_database_is_refused(short_path: Path):
    (short_path / "g.db-wal").symlink_to("elsewhere")
    assert "g.db-wal is not a regular file" in refusal(short_path / "g.db")


def test_a_directory_for_everyone_is_refused(short_path: Path):
    short_path.chmod(0o777)
    assert "anyone may write to the directory" in refusal(short_path / "g.db")


@pytest.mark.parametrize("name", ["", "a\0b", "\ud800", "x" * 300])
def test_a_name_that_no_database_can_have_is_refused(short_path: Path, name: str):
    assert refusal(short_path / name)


def test_a_circle_of_links_is_refused(short_path: Path):
    (short_path / "g.db").symlink_to("h.db")
    (short_path / "h.db").symlink_to("g.db")
    assert refusal(short_path / "g.db")


def test_a_lock_file_that_may_not_be_opened_is_told(short_path: Path, monkeypatch: pytest.MonkeyPatch):
    def deny(*_arguments: object) -> int:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "open", deny)
    assert "permission denied; does it, or its directory, belong to another user?" in refusal(
        short_path / "g.db"
    )


def test_a_file_system_without_locks_is_told(short_path: Path, monkeypatch: pytest.MonkeyPatch):
    def fail(*_arguments: object) -> None:
        raise OSError(37, "No locks available")

    monkeypatch.setattr(fcntl, "flock", fail)
    assert "No locks available; the database must be on a local file system" in refusal(short_path / "g.db")


def test_a_full_disk_does_not_weaken_the_lock(short_path: Path, monkeypatch: pytest.MonkeyPatch):
    def fail(*_arguments: object) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "pwrite", fail)
    with DatabaseLock.acquire(short_path / "g.db"):
        assert "another guardd has the database" in refusal(short_path / "g.db")
