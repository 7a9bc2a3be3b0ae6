"""What is the blocking client's own: threads, forks, the interpreter's end, watching, and a cheap import."""

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from guardd.client import GuardClient, GuardUnavailable, Scope
from guardd.client import session as session_module
from guardd.protocol.errors import Denied

SCOPE = Scope(run_id="r1")


def run_python(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True, timeout=60)


def echo_number(peer: Any, request: Any) -> None:
    peer.reply(request, {"action": "allow", "seq": request["params"]["args"]["number"]})


def test_threads_get_their_own_answers(daemon: Any):
    daemon.script = [echo_number] * 400
    wrong: list[tuple[int, int | None]] = []

    def work(start: int) -> None:
        for number in range(start, start + 50):
            seq = client.before_call(SCOPE, "exec", {"number": number}).seq
            if seq != number:
                wrong.append((number, seq))

    with GuardClient(daemon.path, timeout=30) as client:
        threads = [threading.Thread(target=work, args=(1000 * index,)) for index in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert wrong == []
    assert len(daemon.requests) == 400
    assert daemon.connections == 1


@contextmanager
def busy(daemon: Any, client: GuardClient) -> Iterator[threading.Thread]:
    """A thread's request is under way, until the block ends."""
    release = threading.Event()
    daemon.script = [lambda peer, request: (release.wait(30), peer.reply(request, {}))]
    slow = threading.Thread(target=client.request, args=("db.check",))
    slow.start()
    daemon.wait(lambda: bool(daemon.requests))
    try:
        yield slow
    finally:
        release.set()
        slow.join()


def test_waiting_for_another_thread_counts_towards_the_timeout(daemon: Any):
    with GuardClient(daemon.path, timeout=30) as client:
        with busy(daemon, client), pytest.raises(GuardUnavailable, match="another thread"):
            client.request("run.list", timeout=0.05)
        assert client.before_call(SCOPE, "exec").seq == 1
    assert daemon.connections == 1


def test_a_forked_child_connects_for_itself(daemon: Any):
    with GuardClient(daemon.path, timeout=5) as client:
        client.before_call(SCOPE, "exec")
        code = 1
        child = os.fork()
        if child == 0:  # pragma: no cover - another process
            try:
                code = 0 if client.before_call(SCOPE, "in the child").seq == 1 else 2
                client.close()
            finally:
                os._exit(code)
        assert os.waitpid(child, 0)[1] == 0
        assert client.before_call(SCOPE, "exec").seq == 1
    assert daemon.connections == 2
    assert [params["toolName"] for params in daemon.params("tool.before")] == ["exec", "in the child", "exec"]


def test_a_child_forked_during_another_threads_request_is_not_held_up(daemon: Any):
    with GuardClient(daemon.path, timeout=30) as client, busy(daemon, client) as slow:
        child = os.fork()
        if child == 0:  # pragma: no cover - another process
            code = 1
            try:
                code = 0 if client.before_call(SCOPE, "in the child").seq == 1 else 2
            finally:
                os._exit(code)
        assert os.waitpid(child, 0)[1] == 0
        assert slow.is_alive()


def test_an_interrupt_leaves_no_reply_behind(daemon: Any):
    held: list[tuple[Any, Any]] = []

    def interrupt(peer: Any, request: Any) -> None:
        held.append((peer, request))
        os.kill(os.getpid(), signal.SIGINT)

    daemon.script = [interrupt]
    with GuardClient(daemon.path, timeout=5) as client:
        with pytest.raises(KeyboardInterrupt):
            client.before_call(SCOPE, "exec")
        [(peer, request)] = held
        peer.reply(request, {"action": "abort"})
        assert client.before_call(SCOPE, "exec").action == "allow"
    assert daemon.connections == 2


def test_a_daemon_that_does_not_read_costs_one_timeout(daemon: Any, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(session_module, "SHORTEST_PAUSE", 3600.0)
    block = threading.Event()
    daemon.greeting = lambda _peer: block.wait(10)
    with GuardClient(daemon.path, timeout=0.2) as client:
        for _ in range(3):
            assert client.after_call(SCOPE, "exec", result="x" * 5_000_000).degraded
        block.set()
    assert daemon.connections == 1


def test_it_works_while_the_interpreter_ends(daemon: Any):
    program = (
        "import atexit, sys; from guardd.client import GuardClient, Scope\n"
        "client = GuardClient(sys.argv[1], timeout=5)\n"
        "atexit.register(lambda: print(client.before_call(Scope('r1'), 'exec')))\n"
        "client.start_run(Scope('r1'))\n"
    )
    done = run_python(program, str(daemon.path))
    assert "action='allow', seq=1" in done.stdout
    assert done.stderr == ""


def test_events_are_watched_on_a_connection_of_their_own(daemon: Any):
    def subscribe(peer: Any, request: Any) -> None:
        peer.reply(request, {})
        for number in range(3):
            peer.send(
                json.dumps({"jsonrpc": "2.0", "method": "event", "params": {"seq": number}}).encode() + b"\n"
            )
        peer.close()

    daemon.script = [subscribe]
    with GuardClient(daemon.path, timeout=5) as client, client.watch(params={"level": "critical"}) as events:
        assert [next(events) for _ in range(3)] == [{"seq": 0}, {"seq": 1}, {"seq": 2}]
        assert client.before_call(SCOPE, "exec").seq == 1
        with pytest.raises(GuardUnavailable, match=r"closed|ended"):
            next(iter(events))
    assert daemon.connections == 2
    assert daemon.params("event.watch")[0]["level"] == "critical"


def test_a_watch_that_is_refused_raises(daemon: Any):
    daemon.script = [lambda peer, request: peer.refuse(request, -32002, "no reader", kind="denied")]
    with GuardClient(daemon.path, timeout=5) as client, pytest.raises(Denied, match="no reader"):
        client.watch()


def imported_by(statement: str) -> set[str]:
    """The modules that a statement imports, the interpreter's own ones left out."""
    done = run_python(
        f"import sys; before = set(sys.modules); {statement}; print(*sorted(set(sys.modules) - before))"
    )
    return set(done.stdout.split())


def test_importing_the_package_imports_none_of_its_modules():
    assert imported_by("import guardd.client") <= {
        *("guardd", "guardd.client"),
        *("importlib", "importlib._bootstrap", "importlib._bootstrap_external", "warnings", "typing"),
        *imported_by("import importlib, typing"),
    }


REQUESTING = {
    *("guardd", "guardd.paths", "guardd.protocol", "guardd.protocol.errors", "guardd.protocol.framer"),
    "guardd.client",
    *(
        f"guardd.client.{name}"
        for name in (
            *("requester", "settings", "exceptions", "encoding"),
            *("session", "connecting", "blocking_link", "blocking_watch"),
        )
    ),
}
CALLING = REQUESTING | {
    "guardd.vocabulary",
    *(
        f"guardd.client.{name}"
        for name in ("blocking", "blocking_run", "calls", "operations", "policy", "verdict")
    ),
}


@pytest.mark.parametrize(
    ("statement", "expected"),
    [
        ("from guardd.client.requester import Requester", REQUESTING),
        ("from guardd.client import GuardClient", CALLING),
    ],
)
def test_importing_a_client_is_cheap(statement: str, expected: set[str]):
    imported = imported_by(statement)
    assert {name for name in imported if name.split(".")[0] == "guardd"} == expected
    top_level = {name.partition(".")[0] for name in imported}
    assert top_level - {"guardd"} <= sys.stdlib_module_names
    heavy = {"asyncio", "logging", "uuid", "random", "hashlib", "ssl", "concurrent", "subprocess"}
    assert top_level & (heavy | {"dataclasses", "inspect", "tempfile", "pathlib"}) == set()


def test_the_asyncio_client_is_there_when_asked_for():
    program = (
        "import sys, guardd.client; assert 'asyncio' not in sys.modules; "
        "from guardd.client import AsyncGuardClient, AsyncRun, AsyncCall; assert 'asyncio' in sys.modules"
    )
    run_python(program)


def test_all_that_it_offers_is_there():
    import guardd.client  # noqa: PLC0415 - the module is what is asked

    for name in guardd.client.__all__:
        assert getattr(guardd.client, name) is not None
    assert set(guardd.client.__all__) <= set(dir(guardd.client))


def test_unknown_names_are_no_attributes():
    import guardd.client  # noqa: PLC0415 - the module is what is asked

    with pytest.raises(AttributeError, match="Nothing"):
        guardd.client.Nothing  # noqa: B018 - looking is the point
