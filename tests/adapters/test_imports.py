"""What a hook imports, which is what it costs: every module beyond the interpreter's own is listed here."""

import json
import subprocess
import sys

import pytest
from support.agents import AGENTS

LIST = """
import os, sys
def leave(status):
    os.write(2, "\\n".join(sorted(sys.modules)).encode())
    os.kill(os.getpid(), 9)
os._exit = leave
from guardd.cli.entry import main
main()
"""

OWN = {
    "guardd",
    "guardd.adapters",
    "guardd.adapters.asking",
    "guardd.adapters.events",
    "guardd.adapters.hook",
    "guardd.cli",
    "guardd.cli.entry",
    "guardd.paths",
}
ASKED_FOR = ("json", "os", "select", "socket", "time", "importlib", "collections.abc", "sys")
"""Of the standard library; what these import themselves comes with them."""

HEAVY = {
    "asyncio",
    "click",
    "msgspec",
    "sqlalchemy",
    "alembic",
    "uvloop",
    "json5",
    "rich",
    "typing",
    "dataclasses",
    "pathlib",
    "contextlib",
    "subprocess",
    "threading",
    "hashlib",
    "inspect",
    "guardd.client",
    "guardd.protocol",
}


def modules_of(code, data=b"", *arguments, **environment):
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments],
        input=data,
        capture_output=True,
        check=False,
        env=environment,
    )
    return done.stdout, set(done.stderr.decode().split())


@pytest.mark.parametrize("kind", AGENTS, ids=lambda kind: kind.__name__)
def test_a_hook_imports_only_what_is_listed(kind, daemon):
    agent = kind()
    said, imported = modules_of(
        LIST,
        json.dumps(agent.before("toolu_1")).encode(),
        "hook",
        agent.name,
        GUARDD_SOCKET=str(daemon.socket),
    )
    assert said == b""
    assert imported & HEAVY == set()
    adapter = f"guardd.adapters.{agent.name.replace('-', '_')}"
    assert {name for name in imported if name.startswith("guardd")} == OWN | {adapter}
    bare = f"import os, sys, {', '.join(ASKED_FOR)}; os.write(2, ' '.join(sys.modules).encode())"
    _, standard = modules_of(bare)
    assert {name for name in imported if not name.startswith("guardd")} - standard == set()
