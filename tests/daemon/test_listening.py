import asyncio
import errno
import fcntl
import os
import signal
import socket
import stat
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace

import pytest
import uvloop

from guardd.daemon import listening
from guardd.daemon.listening import Listener, ListenError, bind, passed_by_systemd

needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")

STRANGER = 4_000_000_000


def mode(path: Path) -> int:
    return stat.S_IMODE(path.lstat().st_mode)


def refusal(path: Path, group: str | int | None = None) -> str:
    with pytest.raises(ListenError) as caught:
        bind(path, group)
    return str(caught.value)


def answers(path: Path) -> bool:
    with socket.socket(socket.AF_UNIX) as client:
        try:
            client.connect(str(path))
        except OSError:
            return False
    return True


def leave_dead(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as gone:
        gone.bind(str(path))
        gone.listen()


@contextmanager
def bound(path: Path, group: str | int | None = None) -> Iterator[Listener]:
    listener = bind(path, group)
    try:
        yield listener
    finally:
        listener.close()


def test_a_bound_socket_is_for_this_user_only_and_takes_connections(short_path: Path):
    path = short_path / "run" / "guardd.sock"
    with bound(path) as listener:
        assert (mode(path.parent), mode(path)) == (0o700, 0o600)
        assert listener.path == path
        assert not listener.socket.getblocking()
        assert answers(path)
    assert not path.exists()
    listener.close()


def test_the_mode_does_not_depend_on_the_umask(short_path: Path):
    before = os.umask(0)
    try:
        with bound(short_path / "s"):
            assert mode(short_path / "s") == 0o600
        assert os.umask(0) == 0
    finally:
        os.umask(before)


def test_nobody_else_can_connect_at_any_moment(short_path: Path, monkeypatch: pytest.MonkeyPatch):
    seen = []

    def note(call: Callable[..., None]) -> Callable[..., None]:
        def noted(*arguments: object, **options: object) -> None:
            seen.append((mode(short_path / "s"), answers(short_path / "s")))
            call(*arguments, **options)

        return noted

    monkeypatch.setattr(os, "chown", note(os.chown))
    monkeypatch.setattr(Path, "chmod", note(Path.chmod))
    with bound(short_path / "s", os.getegid()):
        assert mode(short_path / "s") == 0o660
    assert seen == [(0o600, False), (0o600, False)]


@needs_root
def test_a_group_reaches_the_socket_through_the_directories_that_we_made(
    short_path: Path, caplog: pytest.LogCaptureFixture
):
    short_path.chmod(0o755)
    path = short_path / "a" / "b" / "s"
    with bound(path, str(STRANGER)):
        for place, bits in [(path, 0o660), (path.parent, 0o710), (path.parent.parent, 0o710)]:
            assert (place.stat().st_gid, mode(place)) == (STRANGER, bits)
    assert not caplog.records


@needs_root
def test_a_directory_that_keeps_the_group_out_is_told_of(short_path: Path, caplog: pytest.LogCaptureFixture):
    with bound(short_path / "s", STRANGER):
        assert mode(short_path) == 0o700
    assert [record.__dict__["fields"] for record in caplog.records] == [
        {"group": str(STRANGER), "directory": short_path}
    ]


def test_an_unknown_group_is_told(short_path: Path):
    assert "socket.group: there is no group 'no-such-group'" in refusal(short_path / "s", "no-such-group")


def test_a_group_of_others_is_told(short_path: Path, monkeypatch: pytest.MonkeyPatch):
    def deny(*_arguments: object, **_options: object) -> None:
        raise PermissionError(errno.EPERM, "Operation not permitted")

    monkeypatch.setattr(os, "chown", deny)
    assert f"s cannot be given to the group {STRANGER}" in refusal(short_path / "s", STRANGER)
    assert not (short_path / "s").exists()


def test_a_live_socket_is_refused_and_goes_on(short_path: Path):
    with bound(short_path / "s"):
        text = refusal(short_path / "s")
        assert f"another guardd is running at {short_path / 's'} (process {os.getpid()})" in text
        assert "--socket" in text
        assert answers(short_path / "s")


def test_a_busy_socket_is_live(short_path: Path):
    path = short_path / "s"
    with socket.socket(socket.AF_UNIX) as busy, socket.socket(socket.AF_UNIX) as waiting:
        busy.bind(str(path))
        busy.listen(0)
        waiting.connect(str(path))
        assert "another guardd is running" in refusal(path)


def test_a_dead_socket_is_replaced(short_path: Path):
    leave_dead(short_path / "s")
    with bound(short_path / "s"):
        assert answers(short_path / "s")


def test_the_socket_of_a_killed_daemon_is_replaced(short_path: Path):
    code = "import sys, time; from pathlib import Path; from guardd.daemon.listening import bind\n"
    code += "kept = bind(Path(sys.argv[1])); print('bound', flush=True); time.sleep(60)"
    path = short_path / "s"
    command = [sys.executable, "-c", code, str(path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"bound\n"
        assert f"(process {process.pid})" in refusal(path)
        process.send_signal(signal.SIGKILL)
        process.wait()
    assert path.is_socket()
    with bound(path):
        assert answers(path)


def test_of_many_daemons_that_start_at_once_one_gets_the_socket(short_path: Path):
    leave_dead(short_path / "s")
    made: list[Listener] = []
    refused: list[str] = []
    together = threading.Barrier(8)

    def start() -> None:
        together.wait()
        try:
            made.append(bind(short_path / "s"))
        except ListenError as error:
            refused.append(str(error))

    threads = [threading.Thread(target=start) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (len(made), len(refused)) == (1, 7)
    assert all("another guardd is running" in text for text in refused)
    assert answers(short_path / "s")
    made[0].close()


def test_a_directory_that_stays_locked_is_told(short_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(listening, "_LOCK_SECONDS", 0.05)
    descriptor = os.open(short_path, os.O_RDONLY)
    fcntl.flock(descriptor, fcntl.LOCK_EX)
    assert f"another process keeps the directory {short_path} locked" in refusal(short_path / "s")
    os.close(descriptor)


def test_a_socket_of_another_kind_is_refused(short_path: Path):
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as other:
        other.bind(str(short_path / "s"))
        assert "in use, and not by guardd" in refusal(short_path / "s")


@needs_root
def test_a_dead_socket_of_another_user_is_refused(short_path: Path):
    leave_dead(short_path / "s")
    os.chown(short_path / "s", STRANGER, STRANGER)
    assert f"s is a socket of user {STRANGER}" in refusal(short_path / "s")


def test_a_file_is_refused_and_kept(short_path: Path):
    (short_path / "s").write_text("precious")
    assert "exists and is not a socket" in refusal(short_path / "s")
    assert (short_path / "s").read_text() == "precious"


def test_a_directory_is_refused(short_path: Path):
    (short_path / "s").mkdir()
    assert "exists and is not a socket" in refusal(short_path / "s")


@pytest.mark.parametrize("target", ["real", "nowhere"])
def test_a_link_is_refused_and_not_followed(short_path: Path, target: str):
    leave_dead(short_path / "real")
    (short_path / "s").symlink_to(target)
    assert f"s is a symbolic link (to {target}), not a socket" in refusal(short_path / "s")
    assert sorted(path.name for path in short_path.iterdir()) == ["real", "s"]


def test_a_directory_for_everyone_is_refused(short_path: Path):
    short_path.chmod(0o777)
    assert f"anyone may write to the directory {short_path}" in refusal(short_path / "s")


def test_a_link_in_place_of_the_directory_in_tmp_is_refused(short_path: Path):
    (short_path / "trap").mkdir()
    (short_path / "guardd-1000").symlink_to("trap")
    short_path.chmod(0o1777)
    assert "is a symbolic link, in a directory to which anyone" in refusal(short_path / "guardd-1000" / "s")


@needs_root
def test_a_directory_of_another_user_in_tmp_is_refused(short_path: Path):
    (short_path / "guardd-1000").mkdir()
    os.chown(short_path / "guardd-1000", STRANGER, STRANGER)
    short_path.chmod(0o1777)
    assert f"belongs to {STRANGER}" in refusal(short_path / "guardd-1000" / "s")


def test_the_longest_path_and_one_byte_more(short_path: Path):
    longest = short_path / ("s" * (107 - len(os.fsencode(short_path)) - 1))
    with bound(longest):
        assert answers(longest)
    assert "has 108 bytes, and the kernel takes 107" in refusal(Path(f"{longest}s"))


@pytest.mark.parametrize("name", ["a\0b", "\ud800"])
def test_a_name_that_no_socket_can_have_is_refused(short_path: Path, name: str):
    assert "cannot be the path of a socket" in refusal(short_path / name)


@pytest.mark.parametrize("path", ["/", "/tmp/.."])  # noqa: S108 - nothing is made there
def test_a_path_without_a_name_is_refused(path: str):
    assert "is a directory, not the path of a socket" in refusal(Path(path))


@pytest.mark.parametrize(
    ("error", "text"),
    [
        (PermissionError(errno.EACCES, "Permission denied"), "may not write to the directory"),
        (OSError(errno.EROFS, "Read-only file system"), "Read-only file system"),
    ],
)
def test_a_directory_that_cannot_be_written_is_told(
    short_path: Path, monkeypatch: pytest.MonkeyPatch, error: OSError, text: str
):
    def fail(_mask: int) -> int:
        raise error

    monkeypatch.setattr(os, "umask", fail)
    assert text in refusal(short_path / "s")


def test_a_directory_that_does_not_take_sockets_is_told():
    assert "cannot listen at /proc/self/s" in refusal(Path("/proc/self/s"))


def test_a_socket_that_came_after_ours_stays(short_path: Path):
    path = short_path / "s"
    first = bind(path)
    path.unlink()
    second = bind(path)
    first.close()
    assert answers(path)
    second.close()
    assert not path.exists()


def test_what_is_gone_already_is_not_missed(short_path: Path):
    listener = bind(short_path / "run" / "s")
    (short_path / "run" / "s").unlink()
    (short_path / "run").rmdir()
    listener.close()


@pytest.mark.parametrize("run", [asyncio.run, uvloop.run])
def test_an_event_loop_can_serve_it(short_path: Path, run: Callable[..., None]):
    async def serve() -> None:
        listener = bind(short_path / "s")
        loop = asyncio.get_running_loop()
        server = await loop.create_unix_server(asyncio.Protocol, sock=listener.socket)
        _, writer = await asyncio.open_unix_connection(short_path / "s")
        writer.close()
        await writer.wait_closed()
        server.close()
        await server.wait_closed()
        listener.close()
        assert not (short_path / "s").exists()

    run(serve())


# What systemd does before it runs a service: the sockets are at 3 and up, and the variables name the process.
ACTIVATE = """
import fcntl, os, sys
passed = [int(number) for number in sys.argv[1].split(",") if number]
safe = [fcntl.fcntl(number, fcntl.F_DUPFD, 50) for number in passed]
for place, number in enumerate(safe):
    os.dup2(number, 3 + place)
os.environ["LISTEN_PID"] = str(os.getpid() + int(sys.argv[2]))
os.environ.update(LISTEN_FDS=str(len(passed)), LISTEN_FDNAMES="guardd:b")
os.execv(sys.executable, [sys.executable, "-c", sys.argv[3]])
"""
REPORT = """
import os
from guardd.daemon.listening import ListenError, passed_by_systemd
try:
    for listener in passed_by_systemd():
        assert os.get_inheritable(listener.socket.fileno()) is False
        assert listener.socket.getblocking() is False
        print(listener.socket.fileno(), listener.path)
        listener.close()
except ListenError as error:
    print(error)
print(sorted(name for name in os.environ if name.startswith("LISTEN_")))
"""


def activate(*sockets: int, pid_offset: int = 0, code: str = REPORT) -> list[str]:
    done = subprocess.run(
        [sys.executable, "-c", ACTIVATE, ",".join(map(str, sockets)), str(pid_offset), code],
        pass_fds=sockets,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


@contextmanager
def listening_at(path: str) -> Iterator[socket.socket]:
    with socket.socket(socket.AF_UNIX) as made:
        made.bind(path)
        made.listen()
        yield made


def test_sockets_of_systemd_are_taken_over_and_left_in_place(short_path: Path):
    with listening_at(f"{short_path}/a") as one, listening_at(f"{short_path}/b") as two:
        assert activate(one.fileno(), two.fileno()) == [f"3 {short_path}/a", f"4 {short_path}/b", "[]"]
    assert (short_path / "a").is_socket()


def test_a_taken_over_socket_serves(short_path: Path):
    code = """
from guardd.daemon.listening import passed_by_systemd
(listener,) = passed_by_systemd()
connection, _ = listener.socket.accept()
connection.sendall(b"served")
connection.close()
"""
    with listening_at(f"{short_path}/a") as passed, socket.socket(socket.AF_UNIX) as client:
        client.connect(f"{short_path}/a")  # waits in the queue, as the client does that starts the service
        activate(passed.fileno(), code=code)
        assert client.recv(100) == b"served"


def test_an_abstract_socket_has_no_path():
    with listening_at("") as passed:
        assert activate(passed.fileno()) == ["3 None", "[]"]


def test_sockets_for_another_process_are_not_ours(short_path: Path):
    with listening_at(f"{short_path}/a") as passed:
        assert activate(passed.fileno(), pid_offset=1) == ["[]"]


def test_a_file_is_no_socket(short_path: Path):
    with (short_path / "f").open("w") as file:
        assert activate(file.fileno())[0] == (
            "the descriptor 3 (guardd) that systemd passed is not a socket: Socket operation on non-socket"
        )


@pytest.mark.parametrize("number", [1, 2, 3])
def test_a_socket_of_the_wrong_kind_is_refused(short_path: Path, number: int):
    makers = {
        1: lambda: socket.socket(socket.AF_UNIX, socket.SOCK_STREAM),
        2: lambda: socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM),
        3: lambda: socket.create_server(("127.0.0.1", 0)),
    }
    with listening_at(f"{short_path}/a") as good, makers[number]() as bad:
        lines = activate(good.fileno(), bad.fileno())
    assert "the descriptor 4 (b) that systemd passed is not a listening Unix stream socket" in lines[-2]


def test_without_systemd_nothing_is_passed():
    environ: dict[str, str] = {"LISTEN_PIDFDID": "1"}
    assert passed_by_systemd(environ) == []
    assert environ == {}


def test_a_count_that_is_no_number_is_told():
    with pytest.raises(ListenError, match="LISTEN_FDS is not a number: 'many'"):
        passed_by_systemd({"LISTEN_PID": str(os.getpid()), "LISTEN_FDS": "many"})


def test_what_was_taken_over_is_given_back_when_the_rest_cannot_be(monkeypatch: pytest.MonkeyPatch):
    closed = []

    def take_over(descriptor: int, _name: str) -> SimpleNamespace:
        if descriptor > 3:
            raise ListenError("no")
        return SimpleNamespace(close=lambda: closed.append(descriptor))

    monkeypatch.setattr(listening, "_take_over", take_over)
    with pytest.raises(ListenError):
        passed_by_systemd({"LISTEN_PID": str(os.getpid()), "LISTEN_FDS": "2"})
    assert closed == [3]
