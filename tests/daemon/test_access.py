import errno
import grp
import os
import pwd
import socket
import struct
import subprocess
import sys
from pathlib import Path

import pytest

from guardd.config import ConfigError, parse
from guardd.daemon.access import (
    AccessError,
    Peer,
    Role,
    build_policy,
    group_id,
    peer_of,
    policy_of,
    unknown_names,
    user_id,
)

needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")

EVERYTHING = frozenset(Role)
CONNECT_AS = """
import os, socket, sys
path, uid, gid, groups = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4]
os.setgroups([int(group) for group in groups.split(",") if group])
os.setgid(gid)
os.setuid(uid)
with socket.socket(socket.AF_UNIX) as client:
    client.connect(path)
    client.recv(1)
"""


def peer(uid: int, *groups: int) -> Peer:
    return Peer(1, uid, groups[0] if groups else uid, frozenset(groups or [uid]))


def peer_connecting_as(directory: Path, uid: int, gid: int, groups: list[int]) -> Peer:
    directory.chmod(0o755)
    path = directory / "s"
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(path))
        path.chmod(0o666)
        listening.listen()
        arguments = [str(path), str(uid), str(gid), ",".join(map(str, groups))]
        with subprocess.Popen([sys.executable, "-c", CONNECT_AS, *arguments]) as process:
            connection, _ = listening.accept()
            with connection:
                found = peer_of(connection)
        assert process.returncode == 0
        assert found.pid == process.pid
    return found


def test_this_process_is_its_own_peer():
    one, other = socket.socketpair()
    with one, other:
        found = peer_of(one)
    assert found == (os.getpid(), os.geteuid(), os.getegid(), frozenset([os.getegid(), *os.getgroups()]))


@needs_root
def test_a_peer_of_another_user_has_its_user_and_all_its_groups(short_path: Path):
    found = peer_connecting_as(short_path, 12345, 54321, [777, 888])
    assert found[1:] == (12345, 54321, frozenset([54321, 777, 888]))
    assert build_policy([12345], ["@888"]).roles(found) == {Role.GATEWAY, Role.READER}
    assert build_policy([777], ["@12345"]).roles(found) == frozenset()


@needs_root
def test_more_groups_than_can_be_asked_for_are_looked_up(short_path: Path):
    daemon = pwd.getpwuid(1)
    found = peer_connecting_as(short_path, daemon.pw_uid, daemon.pw_gid, list(range(1000, 1400)))
    assert found.groups == frozenset(os.getgrouplist(daemon.pw_name, daemon.pw_gid))


class OldKernel:
    """A connection of a kernel that knows a peer's user and not its groups."""

    def __init__(self, uid: int, gid: int) -> None:
        self.answer = struct.pack("iII", 7, uid, gid)

    def getsockopt(self, _level: int, option: int, _length: int, /) -> bytes:
        if option == socket.SO_PEERCRED:
            return self.answer
        raise OSError(errno.ENOPROTOOPT, "Protocol not available")


def test_groups_come_from_the_user_database_when_the_kernel_has_none():
    root = pwd.getpwuid(0)
    found = peer_of(OldKernel(root.pw_uid, root.pw_gid))
    assert found == (7, 0, root.pw_gid, frozenset(os.getgrouplist("root", root.pw_gid)))


def test_an_unknown_user_of_an_old_kernel_has_one_group():
    assert peer_of(OldKernel(4_000_000_001, 4_000_000_002)).groups == {4_000_000_002}


def test_a_socket_without_a_peer_gets_nothing():
    with socket.socket(socket.AF_UNIX) as alone:
        assert build_policy([], []).roles(peer_of(alone)) == frozenset()


def test_root_and_the_daemons_own_user_may_do_everything():
    policy = build_policy([], [], own_user=1000)
    assert policy.roles(peer(0)) == EVERYTHING
    assert policy.roles(peer(1000)) == EVERYTHING
    assert policy.roles(peer(1001)) == frozenset()


def test_the_own_user_is_that_of_this_process():
    assert build_policy([], []).own_user == os.geteuid()


def test_the_group_of_root_is_nothing_special():
    assert build_policy([], [], own_user=1000).roles(peer(1001, 0)) == frozenset()


def test_users_and_groups_have_the_role_that_they_are_named_for():
    policy = build_policy([2000, "2001", "@3000"], ["@3001", "2001"], own_user=1000)
    assert policy.roles(peer(2000)) == {Role.GATEWAY}
    assert policy.roles(peer(2001)) == {Role.GATEWAY, Role.READER}
    assert policy.roles(peer(5000, 100, 3000)) == {Role.GATEWAY}
    assert policy.roles(peer(5000, 3001)) == {Role.READER}
    assert policy.roles(peer(3000, 2000)) == frozenset()


def test_names_are_looked_up():
    user = pwd.getpwall()[-1]
    group = grp.getgrall()[-1]
    policy = build_policy([user.pw_name], [f"@{group.gr_name}"], own_user=4_000_000_000)
    assert policy.gateways.users == {user.pw_uid}
    assert policy.readers.groups == {group.gr_gid}


@pytest.mark.parametrize(
    ("gateways", "readers", "text"),
    [
        (["nobody-by-this-name"], [], "socket.gateways: there is no user 'nobody-by-this-name'"),
        ([], ["@no-such-group"], "socket.readers: there is no group 'no-such-group'"),
        ([], ["@"], "socket.readers: there is no group ''"),
        ([""], [], "socket.gateways: there is no user ''"),
        (["a\0b"], [], "there is no user"),
        (["\ud800"], [], "there is no user"),
        ([-1], [], "-1 is not the id"),
        ([True], [], "True is not the id"),
        ([4294967295], [], "4294967295 is not the id"),
        (["@4294967295"], [], "4294967295 is not the id"),
        (["9" * 5000], [], "there is no user"),
        (["٣"], [], "there is no user"),
    ],
)
def test_what_names_nobody_is_an_error(gateways: list[str | int], readers: list[str | int], text: str):
    with pytest.raises(AccessError) as caught:
        build_policy(gateways, readers)
    assert text in str(caught.value)


def test_ids_need_not_exist():
    assert user_id("4000000000") == 4_000_000_000
    assert group_id(4_000_000_000) == 4_000_000_000


def test_every_name_that_nobody_has_is_told_with_its_place():
    config = parse(
        "{guardd: {socket: {gateways: ['root', 'nouser'], readers: ['@nogrp'], group: 'nogrp'}}}", "/x.json5"
    )
    assert [str(error) for error in unknown_names(config)] == [
        "/x.json5: guardd.socket.gateways: there is no user 'nouser' on this system (a group is written '@name')",
        "/x.json5: guardd.socket.readers: there is no group 'nogrp' on this system",
        "/x.json5: guardd.socket.group: there is no group 'nogrp' on this system",
    ]
    with pytest.raises(ConfigError) as caught:
        policy_of(config)
    assert [error.key for error in caught.value.errors] == ["guardd.socket.gateways", "guardd.socket.readers"]


def test_a_policy_is_what_the_configuration_says():
    policy = policy_of(parse("{guardd: {socket: {gateways: [2000], readers: ['@3000'], group: '0'}}}", "/x"))
    assert (policy.gateways.users, policy.readers.groups) == ({2000}, {3000})
