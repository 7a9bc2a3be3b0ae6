# ruff: noqa: S108 - /tmp is what half of this is about
import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from unittest import mock

import pytest

from guardd import paths

USER = 1000
SOMEBODY_ELSE = 4242

HOME = {"HOME": "/home/u"}
RUNTIME = {"RUNTIME_DIRECTORY": "/run/guardd"}
XDG_RUNTIME = {"XDG_RUNTIME_DIR": "/run/user/1000"}

SOCKETS = [
    pytest.param({}, USER, "/tmp/guardd-1000/guardd.sock", id="nothing"),
    pytest.param({}, 0, "/run/guardd/guardd.sock", id="root"),
    pytest.param(XDG_RUNTIME, USER, "/run/user/1000/guardd/guardd.sock", id="xdg"),
    pytest.param(XDG_RUNTIME, 0, "/run/user/1000/guardd/guardd.sock", id="xdg as root"),
    pytest.param(RUNTIME | XDG_RUNTIME, USER, "/run/guardd/guardd.sock", id="systemd before xdg"),
    pytest.param(
        {"RUNTIME_DIRECTORY": "/run/a:/run/b"}, USER, "/run/a/guardd.sock", id="several of systemd's"
    ),
    pytest.param(
        {"RUNTIME_DIRECTORY": "", "XDG_RUNTIME_DIR": ""}, USER, "/tmp/guardd-1000/guardd.sock", id="empty"
    ),
    pytest.param({"XDG_RUNTIME_DIR": "run"}, USER, "/tmp/guardd-1000/guardd.sock", id="relative xdg"),
]

DATABASES = [
    pytest.param(HOME, USER, "/home/u/.local/state/guardd/guardd.db", id="home"),
    pytest.param(HOME, 0, "/var/lib/guardd/guardd.db", id="root"),
    pytest.param(HOME | {"XDG_STATE_HOME": "/s"}, USER, "/s/guardd/guardd.db", id="xdg"),
    pytest.param(HOME | {"XDG_STATE_HOME": "/s"}, 0, "/s/guardd/guardd.db", id="xdg as root"),
    pytest.param(
        HOME | {"XDG_STATE_HOME": "s"}, USER, "/home/u/.local/state/guardd/guardd.db", id="relative xdg"
    ),
    pytest.param(
        {"STATE_DIRECTORY": "/var/lib/g", "XDG_STATE_HOME": "/s"}, USER, "/var/lib/g/guardd.db", id="systemd"
    ),
    pytest.param({"STATE_DIRECTORY": "/a:/b"}, USER, "/a/guardd.db", id="several of systemd's"),
]

CONFIGS = [
    pytest.param(HOME, ["/home/u/.config/guardd/guardd.json5", "/etc/guardd/guardd.json5"], id="home"),
    pytest.param(
        HOME | {"XDG_CONFIG_HOME": "/c"}, ["/c/guardd/guardd.json5", "/etc/guardd/guardd.json5"], id="xdg"
    ),
    pytest.param(
        HOME | {"XDG_CONFIG_HOME": "./c"},
        ["/home/u/.config/guardd/guardd.json5", "/etc/guardd/guardd.json5"],
        id="relative xdg",
    ),
]


@pytest.mark.parametrize(("environ", "uid", "expected"), SOCKETS)
def test_the_default_socket(environ: dict[str, str], uid: int, expected: str):
    assert paths.default_socket_path(environ, uid) == expected
    assert paths.server_socket_path(None, environ, uid) == expected


@pytest.mark.parametrize(("environ", "uid", "expected"), SOCKETS)
def test_a_client_finds_a_daemon_at_its_default(environ: dict[str, str], uid: int, expected: str):
    assert (expected, False) in paths.client_socket_candidates(environ, uid)


@pytest.mark.parametrize(("environ", "uid", "expected"), DATABASES)
def test_the_default_database(environ: dict[str, str], uid: int, expected: str):
    assert paths.default_database_path(environ, uid) == expected


@pytest.mark.parametrize(("environ", "expected"), CONFIGS)
def test_the_places_of_the_configuration(environ: dict[str, str], expected: list[str]):
    assert paths.config_candidates(environ, USER) == expected


def test_an_environment_socket_comes_before_the_configured_one():
    environ = RUNTIME | {"GUARDD_SOCKET": "/named.sock"}
    assert paths.server_socket_path("/configured.sock", environ, USER) == "/named.sock"
    assert paths.server_socket_path("/configured.sock", RUNTIME, USER) == "/configured.sock"


def test_a_client_tries_every_place_in_order():
    environ = XDG_RUNTIME | {"RUNTIME_DIRECTORY": "/run/other"}
    assert paths.client_socket_candidates(environ, USER) == [
        ("/run/other/guardd.sock", False),
        ("/run/user/1000/guardd/guardd.sock", False),
        ("/run/guardd/guardd.sock", False),
        ("/tmp/guardd-1000/guardd.sock", False),
    ]


def test_a_client_tries_the_system_place_before_the_one_under_tmp():
    assert paths.client_socket_candidates({}, USER) == [
        ("/run/guardd/guardd.sock", False),
        ("/tmp/guardd-1000/guardd.sock", False),
    ]


def test_a_client_tries_no_place_twice():
    places = [place for place, _ in paths.client_socket_candidates(RUNTIME, 0)]
    assert places == ["/run/guardd/guardd.sock", "/tmp/guardd-0/guardd.sock"]


def test_a_named_socket_is_the_only_one():
    environ = HOME | RUNTIME | {"GUARDD_SOCKET": "~/g.sock"}
    assert paths.client_socket_candidates(environ, USER) == [("/home/u/g.sock", True)]
    assert paths.named_socket(environ, USER) == "/home/u/g.sock"


def test_an_empty_name_names_nothing():
    environ = HOME | {"GUARDD_SOCKET": "", "GUARDD_CONFIG": ""}
    assert paths.named_socket(environ, USER) is None
    assert paths.named_config(environ, USER) is None


def test_a_named_configuration():
    assert paths.named_config(HOME | {"GUARDD_CONFIG": "~/g.json5"}, USER) == "/home/u/g.json5"
    assert paths.named_config({"GUARDD_CONFIG": "g.json5"}, USER) == "g.json5"


@pytest.mark.parametrize(
    ("path", "expected"),
    [("~", "/home/u"), ("~/a", "/home/u/a"), ("~other/a", "~other/a"), ("/a/~", "/a/~"), ("", "")],
)
def test_expanding_the_home_directory(path: str, expected: str):
    assert paths.expand_home(path, HOME, USER) == expected


def test_the_home_directory_without_the_variable():
    assert paths.home_directory({}, 0) == "/root"
    assert paths.home_directory({"HOME": ""}, 0) == "/root"
    assert paths.home_directory({}, 3_999_999_999) == "/"


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A directory under /tmp, as the rule about directories applies only there."""
    if not str(tmp_path).startswith("/tmp/"):
        pytest.skip("needs its files under /tmp")
    directory = tmp_path / "guardd"
    directory.mkdir()
    return directory


@pytest.fixture
def listening(place: Path) -> Iterator[Path]:
    with socket.socket(socket.AF_UNIX) as listener:
        # Bound by a short name: the limit is 107 bytes.
        descriptor = os.open(place, os.O_RDONLY)
        listener.bind(f"/proc/self/fd/{descriptor}/s")
        os.close(descriptor)
        yield place / "s"


def give_away(path: Path) -> int:
    """Make a file somebody else's if we may; return a user that it belongs to neither way."""
    if os.geteuid() == 0:
        os.chown(path, SOMEBODY_ELSE, -1, follow_symlinks=False)
    return os.geteuid() + USER


def test_ones_own_socket_is_trusted(listening: Path):
    assert paths.untrusted_reason(str(listening), os.geteuid()) is None


def test_what_is_not_there_is_not_distrusted(place: Path):
    assert paths.untrusted_reason(str(place / "none" / "s"), os.geteuid()) is None
    assert paths.untrusted_reason("/run/nothing-of-this-name/s", USER) is None


def test_what_belongs_to_root_is_trusted():
    assert paths.untrusted_reason("/dev/null", USER) is None


@pytest.mark.skipif(os.geteuid() != 0, reason="gives files away")
@pytest.mark.parametrize("which", ["socket", "directory"])
def test_what_belongs_to_somebody_else_is_refused(listening: Path, which: str):
    path = {"socket": listening, "directory": listening.parent}[which]
    give_away(path)
    assert paths.untrusted_reason(str(listening), 0) == (
        f"{path} belongs to user {SOMEBODY_ELSE}, neither to root nor to user 0"
    )
    assert "neither to root nor to user 77" in (paths.untrusted_reason(str(listening), 77) or "")


def test_another_users_socket_is_refused(listening: Path):
    stranger = give_away(listening)
    assert f"neither to root nor to user {stranger}" in (
        paths.untrusted_reason(str(listening), stranger) or ""
    )


@pytest.mark.skipif(os.geteuid() != 0, reason="gives files away")
def test_an_owner_is_trusted_with_their_own(listening: Path):
    give_away(listening)
    give_away(listening.parent)
    assert paths.untrusted_reason(str(listening), SOMEBODY_ELSE) is None


@pytest.mark.skipif(os.geteuid() != 0, reason="gives files away")
def test_a_directory_is_refused_even_without_a_socket(place: Path):
    give_away(place)
    assert str(place) in (paths.untrusted_reason(str(place / "s"), 0) or "")


@pytest.mark.skipif(os.geteuid() != 0, reason="gives files away")
@pytest.mark.parametrize("which", ["link", "target"])
def test_both_a_link_and_what_it_leads_to_count(listening: Path, tmp_path: Path, which: str):
    link = tmp_path / "link"
    link.symlink_to(listening)
    give_away({"link": link, "target": listening}[which])
    assert str(link) in (paths.untrusted_reason(str(link), 0) or "")


@pytest.mark.parametrize(
    ("path", "looked_at"),
    [
        ("/tmp/a/b/s", {"/tmp/a", "/tmp/a/b", "/tmp/a/b/s"}),
        ("/tmp/s", {"/tmp/s"}),
        ("/run/tmp/a/s", {"/run/tmp/a/s"}),
        ("/tmpfile/a/s", {"/tmpfile/a/s"}),
    ],
)
def test_only_directories_under_tmp_are_looked_at(path: str, looked_at: set[str]):
    with mock.patch.object(paths.os, "lstat", side_effect=FileNotFoundError) as lstat:
        assert paths.untrusted_reason(path, USER) is None
    assert {call.args[0] for call in lstat.call_args_list} == looked_at


def test_importing_is_cheap():
    code = "import sys, guardd.paths; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not {"pathlib", "typing", "pwd", "dataclasses", "enum", "re", "json5"} & set(done.stdout.split())
