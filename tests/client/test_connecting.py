import contextlib
import os
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from guardd import paths
from guardd.client.connecting import open_socket
from guardd.client.exceptions import GuardDenied, GuardUnavailable


@pytest.fixture
def listener(tmp_path: Path) -> Iterator[socket.socket]:
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(tmp_path / "guardd.sock"))
        listening.listen(0)
        yield listening


@pytest.fixture
def places(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, bool]]:
    """The places that clients try."""
    found: list[tuple[str, bool]] = []
    monkeypatch.setattr(paths, "client_socket_candidates", lambda _environ, _uid: found)
    return found


def test_a_named_socket_is_used(listener: socket.socket):
    with open_socket(listener.getsockname()) as connection:
        assert connection.getblocking() is False
        assert connection.getpeername() == listener.getsockname()


def test_the_environment_names_a_socket(
    listener: socket.socket, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    (tmp_path / "guardd").mkdir(mode=0o700)
    with socket.socket(socket.AF_UNIX) as usual:
        usual.bind(str(tmp_path / "guardd" / "guardd.sock"))
        usual.listen()
        monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
        monkeypatch.delenv("GUARDD_SOCKET", raising=False)
        with open_socket(None) as connection:
            assert connection.getpeername() == usual.getsockname()
        monkeypatch.setenv("GUARDD_SOCKET", listener.getsockname())
        with open_socket(None) as connection:
            assert connection.getpeername() == listener.getsockname()


def test_nobody_at_a_named_socket(tmp_path: Path):
    with pytest.raises(GuardUnavailable) as caught:
        open_socket(str(tmp_path / "none.sock"))
    assert str(caught.value) == f"no guardd at {tmp_path}/none.sock: start it with `guardd serve`"


def test_the_first_place_with_a_listener_is_used(
    listener: socket.socket, tmp_path: Path, places: list[tuple[str, bool]]
):
    dead = tmp_path / "dead.sock"
    with socket.socket(socket.AF_UNIX) as left_behind:
        left_behind.bind(str(dead))
    places += [
        (str(tmp_path / "none.sock"), False),
        (str(dead), False),
        (str(tmp_path / "guardd.sock"), False),
    ]
    with open_socket(None) as connection:
        assert connection.getpeername() == listener.getsockname()


def test_nobody_anywhere_names_all_places(tmp_path: Path, places: list[tuple[str, bool]]):
    places += [(str(tmp_path / "a"), False), (str(tmp_path / "b"), False)]
    with pytest.raises(GuardUnavailable, match=f"no guardd at {tmp_path}/a, {tmp_path}/b: start it"):
        open_socket(None)


def test_a_socket_of_somebody_else_is_not_used(
    listener: socket.socket,
    tmp_path: Path,
    places: list[tuple[str, bool]],
    monkeypatch: pytest.MonkeyPatch,
):
    del listener
    monkeypatch.setattr(paths, "untrusted_reason", lambda path, _uid: f"{path} belongs to user 666")
    places.append((str(tmp_path / "guardd.sock"), False))
    with pytest.raises(
        GuardUnavailable, match=r"not used, since .* belongs to user 666: set \$GUARDD_SOCKET"
    ):
        open_socket(None)
    places[:] = [(str(tmp_path / "guardd.sock"), True)]
    open_socket(None).close()


def test_permissions_that_keep_the_user_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    def refuse(_path: str) -> socket.socket:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("guardd.client.connecting._connect", refuse)
    with pytest.raises(GuardDenied, match=rf"keep user {os.geteuid()} out: .*guardd\.socket\.group"):
        open_socket(str(tmp_path / "guardd.sock"))


@pytest.mark.parametrize("kind", ["long", "file", "nul"])
def test_what_cannot_be_a_socket_is_said(kind: str, tmp_path: Path):
    (tmp_path / "file").write_text("x")
    path = {"long": "/" + "x" * 200, "file": str(tmp_path / "file" / "x"), "nul": "a\0b"}[kind]
    with pytest.raises(GuardUnavailable, match="guardd at"):
        open_socket(path)


def test_a_full_queue_is_told_apart(listener: socket.socket, tmp_path: Path):
    del listener
    with contextlib.ExitStack() as waiting, pytest.raises(BlockingIOError):
        fill(waiting, tmp_path / "guardd.sock")


def fill(waiting: contextlib.ExitStack, path: Path) -> None:
    while True:
        waiting.enter_context(open_socket(str(path)))


@pytest.mark.parametrize("name", ["file", "."])
def test_what_is_no_socket_is_called_so(name: str, tmp_path: Path):
    (tmp_path / "file").write_text("x")
    with pytest.raises(GuardUnavailable) as caught:
        open_socket(str(tmp_path / name))
    assert str(caught.value) == f"no guardd at {tmp_path / name}: that is not a socket"
