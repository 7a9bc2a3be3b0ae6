"""Nothing that goes wrong with a hook becomes a denial: exit status 0, nothing on stdout, a line on stderr."""

import contextlib
import json
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from support.agents import ClaudeCode, Copilot, Cursor

from guardd.adapters import hook
from guardd.adapters.asking import LARGEST
from guardd.adapters.events import NotUnderstoodError

NAMES = list(hook.AGENTS)
NOWHERE = "/nonexistent/guardd.sock"
GOES_THROUGH = "; the call goes through\n"


def complaint(done):
    """The one line of a hook that let a call through."""
    assert (done.returncode, done.stdout) == (0, b"")
    text = done.stderr.decode()
    assert text.startswith("guardctl hook: ")
    assert text.endswith(GOES_THROUGH)
    assert text.count("\n") == 1
    return text.removeprefix("guardctl hook: ").removesuffix(GOES_THROUGH)


def encoded(event):
    return json.dumps(event).encode()


def other_shape(event, **changes):
    return encoded({name: value for name, value in {**event, **changes}.items() if value is not ...})


BEFORE = ClaudeCode().before("toolu_1")
STRANGE = {
    "nothing": b"",
    "a blank": b"\n",
    "text": b"hello",
    "half": b'{"hook_event_name": "PreToolUse", ',
    "not UTF-8": b'{"hook_event_name": "\xff\xfe"}',
    "NUL": bytes(100),
    "a list": b"[]",
    "null": b"null",
    "a number": b"1",
    "a string": b'"PreToolUse"',
    "an empty object": b"{}",
    "deep": b'{"tool_input":' + b"[" * 100_000 + b"]" * 100_000 + b"}",
    "a huge number": b'{"tool_input":' + b"9" * 10_000 + b"}",
    "an unknown event": other_shape(BEFORE, hook_event_name="BrandNewEvent"),
    "an event that is no string": other_shape(BEFORE, hook_event_name=7),
    "no session": other_shape(BEFORE, session_id=..., prompt_id=...),
    "a session that is no string": other_shape(BEFORE, session_id=["s"], prompt_id=None),
}


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("data", STRANGE.values(), ids=STRANGE)
def test_what_is_not_understood_goes_through(name, data, daemon):
    with pytest.raises(NotUnderstoodError):
        hook.respond(name, data, str(daemon.socket), time.monotonic() + 30)


@pytest.mark.parametrize("name", NAMES)
def test_no_tool_goes_through(name, agent):
    if agent.name == name:
        event = agent.before("toolu_1")
        for key in ("tool_name", "toolName"):
            if key in event:
                event[key] = ""
        with pytest.raises(NotUnderstoodError):
            hook.respond(name, encoded(event), NOWHERE, time.monotonic() + 30)


def test_unknown_fields_are_of_no_account(agent, answer, daemon):
    event = agent.before(agent.new_call()) | {"brand_new": {"x": [1, None]}, "agentVersion": "9"}
    assert answer(agent, event) is None
    assert daemon.ask("run.get", run=agent.run)["calls"] == 1


def test_fields_of_other_kinds_do_not_hurt(agent, answer):
    for wrong in (None, 0, [], {}, True):
        event = agent.after(agent.new_call())
        for key in ("tool_response", "tool_output", "toolResult", "tool_result", "duration_ms", "duration"):
            if key in event:
                event[key] = wrong
        for key in ("tool_input", "toolArgs", "tool_use_id", "agent_type"):
            event[key] = wrong
        assert answer(agent, event) is None


# Whole processes


@pytest.mark.parametrize("name", NAMES)
def test_junk_on_stdin(name, process):
    assert complaint(process(name, b"\xff not json")) == "stdin is not the JSON of an event"


def test_no_daemon(agent, process):
    done = process(agent.name, encoded(agent.before("toolu_1")), socket=NOWHERE)
    assert complaint(done) == f"no guardd at {NOWHERE} (No such file or directory)"


def test_a_dead_socket(process, tmp_path):
    path = tmp_path / "dead.sock"
    with socket.socket(socket.AF_UNIX) as dead:
        dead.bind(str(path))
    assert "Connection refused" in complaint(process("codex", encoded(BEFORE), socket=path))


@pytest.mark.parametrize("name", ["nonsense", "", "claude"])
def test_an_agent_that_does_not_exist_denies_nothing(name, process):
    assert complaint(process(name, encoded(BEFORE))).startswith("there is no agent ")


def test_options_that_do_not_exist_deny_nothing(process, daemon):
    agent = ClaudeCode()
    done = process("claude-code", encoded(agent.before("toolu_1")), "--bogus", "more")
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert daemon.ask("run.get", run=agent.run)["calls"] == 1


@pytest.mark.parametrize("form", [["--socket", "{}"], ["--socket={}"]])
def test_the_socket_may_be_named(form, process, daemon):
    agent = ClaudeCode()
    options = [part.format(daemon.socket) for part in form]
    done = process("claude-code", encoded(agent.before("toolu_1")), *options, socket=NOWHERE)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def test_a_closed_stdin(tmp_path):
    done = subprocess.run(
        [
            "/bin/sh",
            "-c",
            'exec "$0" -c "from guardd.cli.entry import main; main()" hook copilot <&-',
            sys.executable,
        ],
        capture_output=True,
        check=False,
        env={"HOME": str(tmp_path)},
        cwd=Path(hook.__file__).parents[2],
    )
    assert "Bad file descriptor" in complaint(done)


def test_a_closed_stdout_and_stderr(daemon, tmp_path):
    agent = ClaudeCode()
    entry = 'exec "$0" -c "from guardd.cli.entry import main; main()" hook claude-code >&- 2>&-'
    for number in range(7):
        done = subprocess.run(
            ["/bin/sh", "-c", entry, sys.executable],
            input=encoded(agent.before(f"toolu_{number}")),
            check=False,
            env={"HOME": str(tmp_path), "GUARDD_SOCKET": str(daemon.socket)},
            cwd=Path(hook.__file__).parents[2],
        )
        assert done.returncode == 0
    assert daemon.ask("run.get", run=agent.run)["calls"] == 7


def test_a_stdin_that_is_not_closed(tmp_path):
    with subprocess.Popen(
        [sys.executable, "-c", "from guardd.cli.entry import main; main()", "hook", "codex"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={"HOME": str(tmp_path)},
        cwd=Path(hook.__file__).parents[2],
    ) as running:
        running.stdin.write(encoded(BEFORE))
        running.stdin.flush()
        assert running.stdout.read() == b""
        assert b"stdin was not closed in time" in running.stderr.read()
        assert running.wait() == 0


class SlowDaemon(threading.Thread):
    """Accepts one connection and does with it what it is told to."""

    def __init__(self, path, behave):
        super().__init__(daemon=True)
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(str(path))
        self._listener.listen()
        self._behave = behave

    def run(self):
        connection, _ = self._listener.accept()
        with self._listener, connection:
            self._behave(connection)


def dribble(connection):
    """Say a little, again and again, for as long as somebody listens."""
    with contextlib.suppress(OSError):
        while True:
            connection.sendall(b" ")
            time.sleep(0.1)


def never_answer(connection):
    while connection.recv(65_536):
        pass


def saying(*replies):
    def behave(connection):
        connection.recv(65_536)
        # On a busy machine the hook may have given up; what it says is asserted.
        with contextlib.suppress(OSError):
            for reply in replies:
                connection.sendall(reply)

    return behave


@pytest.mark.parametrize("behave", [dribble, never_answer])
def test_a_slow_daemon_costs_a_second(behave, process, tmp_path):
    path = tmp_path / "slow.sock"
    SlowDaemon(path, behave).start()
    done = process("copilot", encoded(Copilot().before("")), socket=path)
    assert complaint(done) == "guardd did not answer in time"


def error(code, message):
    return encoded({"jsonrpc": "2.0", "id": 1, "error": {"code": code, "message": message}}) + b"\n"


@pytest.mark.parametrize(
    ("replies", "reason"),
    [
        ([], "guardd closed the connection"),
        ([b"\xff\n"], "guardd's answer makes no sense"),
        ([b"[]\n"], "guardd's answer makes no sense"),
        ([b'{"jsonrpc":"2.0","id":1,"result":7}\n'], "guardd's answer makes no sense"),
        ([error(-32602, "bad"), b""], "guardd answered with an error: bad"),
        ([error(-32000, "full\ndisk")], "guardd answered with an error: full disk"),
    ],
)
def test_answers_that_are_none(replies, reason, process, tmp_path):
    path = tmp_path / "odd.sock"
    SlowDaemon(path, saying(*replies)).start()
    assert complaint(process("cursor", encoded(Cursor().before("x")), socket=path)) == reason


@pytest.mark.parametrize("verdict", [{}, {"action": "block"}, {"action": "explode", "detection": {}}])
def test_verdicts_that_say_too_little_deny_nothing(verdict, process, tmp_path):
    path = tmp_path / "odd.sock"
    SlowDaemon(path, saying(encoded({"jsonrpc": "2.0", "id": 1, "result": verdict}) + b"\n")).start()
    done = process("cursor", encoded(Cursor().before("x")), socket=path)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def test_a_large_event_is_judged_by_its_digest(answer):
    agent = ClaudeCode()
    large = "x" * (LARGEST + 1)
    said = []
    for number in range(7):
        said.append(answer(agent, agent.before(f"toolu_{number}", command=large)))
        answer(agent, agent.after(f"toolu_{number}", output=large, command=large))
    assert "deny" in str(said[6])
    assert said[:6] == [None] * 6


def test_lone_surrogates_are_judged(answer):
    agent = ClaudeCode()
    said = []
    for number in range(7):
        said.append(answer(agent, agent.before(f"toolu_{number}", command="\ud800")))
        answer(agent, agent.after(f"toolu_{number}", output="\udfff", command="\ud800"))
    assert "deny" in str(said[6])


def test_a_loop_of_real_processes(process, daemon):
    agent = ClaudeCode()
    answers = []
    for number in range(10):
        answers.append(process(agent.name, encoded(agent.before(f"toolu_{number}"))))
        if not answers[-1].stdout:
            answers.append(process(agent.name, encoded(agent.after(f"toolu_{number}"))))
    assert {(done.returncode, done.stderr) for done in answers} == {(0, b"")}
    texts = [done.stdout.decode() for done in answers if done.stdout]
    told, *denied, halted = map(json.loads, texts)
    assert "additionalContext" in told["hookSpecificOutput"]
    assert [said["hookSpecificOutput"]["permissionDecision"] for said in denied] == ["deny"] * 3
    assert halted["continue"] is False
    assert daemon.ask("run.get", run=agent.run)["status"] == "aborted"
