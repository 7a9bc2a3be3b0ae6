import json
import os
import subprocess
from pathlib import Path

import pytest
from support.node import need_node
from support.openclaw_plugin import PLUGIN

from guardd import paths

ASK = """
const { socketCandidates } = await import(process.argv[1]);
const [configured, environ, uid] = JSON.parse(process.argv[2]);
console.log(JSON.stringify(socketCandidates(configured ?? undefined, environ, uid)));
"""


def candidates(configured, environ, uid):
    module = (PLUGIN / "sockets.js").as_uri()
    asked = json.dumps([configured, environ, uid])
    command = [need_node(), "--input-type=module", "-e", ASK, module, asked]
    return json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


def test_the_configuration_goes_before_the_environment():
    assert candidates("~/g.sock", {"HOME": "/home/me", "GUARDD_SOCKET": "/other"}, 1) == ["/home/me/g.sock"]


@pytest.mark.parametrize(
    "environ",
    [
        {},
        {"GUARDD_SOCKET": "/named.sock", "XDG_RUNTIME_DIR": "/run/user/4711"},
        {"GUARDD_SOCKET": "~/named.sock", "HOME": "/home/me"},
        {"XDG_RUNTIME_DIR": "/run/user/4711"},
        {"XDG_RUNTIME_DIR": "relative", "RUNTIME_DIRECTORY": "/run/one:/run/two"},
    ],
)
def test_the_places_are_those_of_every_other_client(environ):
    uid = 47_110
    assert candidates(None, environ, uid) == [
        path for path, _ in paths.client_socket_candidates(environ, uid)
    ]


def test_a_place_of_somebody_else_is_left_out():
    stranger = os.geteuid() + 1
    directory = Path(f"/tmp/guardd-{stranger}")  # noqa: S108 - where one looks by itself
    place = str(directory / "guardd.sock")
    try:
        directory.mkdir()
    except FileExistsError:
        pytest.skip(f"{directory} is there already")
    try:
        assert (place in candidates(None, {}, stranger)) is (os.geteuid() == paths.ROOT)
    finally:
        directory.rmdir()
