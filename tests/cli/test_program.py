"""What holds for every command: statuses, errors in words, lazily imported commands, the shared options."""

import os
import signal
import socket
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import click
import pytest

from guardd.cli.commands import status
from guardd.cli.guardctl import SECTIONS, program

NAMES = [name for names in SECTIONS.values() for name in names]


def leaves(command: click.Command, path: tuple[str, ...] = ()) -> list[tuple[str, ...]]:
    if not isinstance(command, click.Group):
        return [path]
    context = click.Context(command)
    found = [
        leaf
        for name in command.list_commands(context)
        if (child := command.get_command(context, name))
        for leaf in leaves(child, (*path, name))
    ]
    return [path, *found]


COMMANDS = leaves(program)


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_every_command_has_a_help_with_an_example(guardctl: Any, command: tuple[str, ...]) -> None:
    for option in ("--help", "-h"):
        result = guardctl(*command, option)
        assert result.exit_code == 0, result.stderr
        assert result.stderr == ""
        assert f"  guardctl {' '.join(command)}".rstrip() in result.stdout
        assert all(len(line) <= 80 for line in result.stdout.splitlines())


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_every_option_says_what_it_does(command: tuple[str, ...]) -> None:
    found: click.Command = program
    for name in command:
        assert isinstance(found, click.Group)
        found = found.get_command(click.Context(found), name) or found
    assert all(param.help for param in found.params if isinstance(param, click.Option))


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_every_command_takes_the_shared_options(command: tuple[str, ...], guardctl: Any) -> None:
    out = guardctl(*command, "--help").stdout
    assert all(f"  {option} " in out for option in ("--socket", "--json", "--color"))


def test_every_file_of_commands_is_a_command() -> None:
    files = Path(status.__file__).parent.glob("*.py")
    assert sorted(file.stem for file in files if file.stem != "__init__") == sorted(NAMES)


def test_the_version_is_told(guardctl: Any) -> None:
    assert guardctl("--version").stdout.startswith("guardctl ")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["rums"], "No such command 'rums'. Did you mean runs?"),
        (["xyzzy"], "No such command 'xyzzy'."),
        (["runs", "--nope"], "No such option"),
        (["--color", "pink", "runs"], "Invalid value for '--color'"),
        (["status", "--db", "x.db"], "--db is for commands whose --help lists it"),
        (["--db", "x.db", "status"], "--db is for commands whose --help lists it"),
    ],
)
def test_usage_errors(guardctl: Any, arguments: list[str], words: str) -> None:
    result = guardctl(*arguments)
    assert result.exit_code == 2
    assert words in result.stderr
    assert result.stdout == ""


def test_the_socket_can_be_named_on_either_side(
    daemon: Any, guardctl: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GUARDD_SOCKET", str(tmp_path / "another.sock"))
    daemon.answers["db.check"] = {"ok": True, "problems": []}
    path = str(daemon.path)
    for arguments in (
        ["--socket", path, "db", "check"],
        ["db", "--socket", path, "check"],
        ["db", "check", "--socket", path],
        ["--socket", "/nowhere", "db", "check", "--socket", path],
    ):
        assert guardctl(*arguments).exit_code == 0
    assert guardctl("db", "check").exit_code == 3


def test_no_daemon_is_told_with_a_hint(guardctl: Any, tmp_path: Path) -> None:
    result = guardctl("runs", "--json")
    assert result.exit_code == 3
    assert result.stdout == ""
    assert result.stderr.startswith(f"guardctl: no guardd at {tmp_path}/guardd.sock")
    assert "guardd serve" in result.stderr
    assert "--socket" in result.stderr


def test_a_socket_nobody_listens_at_is_no_daemon(guardctl: Any, tmp_path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as dead:
        dead.bind(str(tmp_path / "guardd.sock"))
    assert guardctl("status").exit_code == 3


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")
def test_a_socket_that_permissions_close_is_denied() -> None:
    # A first try imports all that the second needs: the other user may not be able to read any of it.
    code = (
        "import os, sys, guardd.cli.guardctl as guardctl\n"
        "try: guardctl.program.main(['status', '--socket', '/nowhere'])\n"
        "except SystemExit: sys.stderr.write('first\\n')\n"
        "os.setgid(65534)\nos.setuid(65534)\nguardctl.main()"
    )
    with tempfile.TemporaryDirectory() as directory, socket.socket(socket.AF_UNIX) as listener:
        path = Path(directory) / "guardd.sock"
        listener.bind(str(path))
        listener.listen()
        path.chmod(0o600)
        path.parent.chmod(0o711)
        done = subprocess.run(
            [sys.executable, "-c", code, "status", "--socket", str(path)],
            capture_output=True,
            text=True,
            check=False,
        )
    error = done.stderr.partition("first\n")[2]
    assert (done.returncode, done.stdout) == (4, "")
    assert error.startswith(f"guardctl: the permissions of {path} keep user 65534 out")


@pytest.mark.parametrize(
    ("code", "data", "exit_status", "words"),
    [
        (-32000, {"kind": "storage_unavailable"}, 1, "full disk"),
        (-32001, {"kind": "frame_too_large"}, 1, "it failed"),
        (-32002, {"kind": "denied"}, 4, "guardd.socket.readers"),
        (-32003, {"kind": "run_not_found"}, 5, "guardctl runs"),
        (-32003, {"kind": "run_ambiguous", "candidates": ["a", "b"]}, 5, "\n  a\n  b\n"),
        (-32004, {"kind": "overloaded"}, 1, "Try again"),
        (-32601, {}, 1, "does not know this yet"),
        (-32602, {"field": "run"}, 1, "it failed"),
        (-32603, {}, 1, "it failed (error -32603)\n  guardd's log may say more"),
        (-32999, {"kind": "something_new"}, 1, "it failed (error -32999)"),
    ],
)
def test_every_error_of_the_wire_has_its_status(
    daemon: Any, guardctl: Any, refuse: Any, code: int, data: dict[str, Any], exit_status: int, words: str
) -> None:
    daemon.answers["run.reset"] = refuse(code, "it failed", **data)
    result = guardctl("reset", "x")
    assert result.exit_code == exit_status
    assert words in result.stderr
    assert result.stderr.startswith("guardctl: ")
    assert result.stdout == ""


def test_a_daemon_that_is_stopping_is_none(daemon: Any, guardctl: Any, refuse: Any) -> None:
    daemon.answers["server.status"] = refuse(-32005, "the daemon is shutting down", kind="shutting_down")
    assert guardctl("status").exit_code == 3


def test_a_daemon_that_hangs_up_is_none(daemon: Any, guardctl: Any) -> None:
    def hang_up(_: object) -> None:
        daemon.connections[-1].shutdown(socket.SHUT_RDWR)

    daemon.answers["server.status"] = hang_up
    result = guardctl("status")
    assert result.exit_code == 3
    assert "Traceback" not in result.stderr


def test_an_answer_that_makes_no_sense_is_one_line(daemon: Any, guardctl: Any) -> None:
    daemon.answers["run.list"] = {"runs": [{"run": 3}]}
    result = guardctl("runs")
    assert result.exit_code == 1
    assert result.stderr.startswith("guardctl: internal error: KeyError: ")
    assert "Traceback" not in result.stderr
    assert "GUARDCTL_TRACEBACK" in result.stderr


def test_the_traceback_can_be_had(daemon: Any, guardctl_process: Any) -> None:
    daemon.answers["run.list"] = {"runs": [{"run": 3}]}
    process = guardctl_process("runs", GUARDCTL_TRACEBACK="1")
    assert "Traceback" in process.communicate()[1]
    assert process.returncode == 1


def test_an_interrupt_is_quiet(daemon: Any, guardctl_process: Any) -> None:
    process: Any = None

    def interrupt(_: object) -> dict[str, Any]:
        process.send_signal(signal.SIGINT)
        process.wait(10)
        return {}

    daemon.answers["server.status"] = interrupt
    process = guardctl_process("status")
    out, error = process.communicate(timeout=10)
    assert (out, error.strip(), process.returncode) == ("", "", 130)


@pytest.mark.parametrize("options", [[], ["--json"]])
def test_a_reader_that_has_enough_is_no_error(
    daemon: Any, guardctl_process: Any, make_run: Any, options: list[str]
) -> None:
    daemon.answers["run.list"] = {"runs": [make_run(f"run-{number:05}") for number in range(3000)]}
    process = guardctl_process("runs", *options)
    process.stdout.read(10)
    process.stdout.close()
    assert process.stderr.read() == ""
    assert process.wait(10) == 0


def test_help_into_a_closed_pipe_is_quiet() -> None:
    code = "from guardd.cli.guardctl import main; main()"
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run(
        [sys.executable, "-c", code, "--help"], stdout=writer, stderr=subprocess.PIPE, check=False
    )
    os.close(writer)
    assert (done.stderr, done.returncode) == (b"", 0)


def test_a_full_disk_is_told(daemon: Any, make_run: Any) -> None:
    daemon.answers["run.list"] = {"runs": [make_run("r")]}
    code = "from guardd.cli.guardctl import main; main()"
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [sys.executable, "-c", code, "runs"], stdout=full, stderr=subprocess.PIPE, text=True, check=False
        )
    assert done.stderr == "guardctl: No space left on device\n"
    assert done.returncode == 1


def test_a_locale_without_unicode_is_no_reason_to_fail(
    daemon: Any, guardctl_process: Any, make_run: Any
) -> None:
    daemon.answers["run.list"] = {"runs": [make_run("日本" * 40)]}
    process = guardctl_process("runs", PYTHONIOENCODING="ascii", COLUMNS="60")
    out, error = process.communicate()
    assert (error, process.returncode) == ("", 0)
    assert "日本" in out


def test_what_failed_has_failed_though_nobody_reads_it(guardctl_process: Any) -> None:
    process = guardctl_process("doctor", "--socket", "/nowhere")
    process.stdout.close()
    assert process.stderr.read() == ""
    assert process.wait(10) == 1
