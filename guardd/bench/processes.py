"""What whole processes cost, against the least that such a process could be: of the processor, and in all."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from guardd.bench.figures import Figure, Target, compared, in_turns
from guardd.bench.load import Link
from guardd.bench.traffic import frame
from guardd.own_daemon.errors import Breakdown

HOOK_TARGET = Target(3)
RUNS_TARGET = Target(1.5)

SCRIPT = """#!{python}
import sys
from guardd.cli.entry import main
if __name__ == "__main__":
    sys.argv[0] = sys.argv[0].removesuffix(".exe")
    sys.exit(main())
"""
"""The console script, as an installer writes it."""

BARE = """
import click
from rich.console import Console
from rich.table import Table

@click.command()
def main():
    table = Table(box=None)
    for title in {titles!r}:
        table.add_column(title)
    for row in {rows!r}:
        table.add_row(*row)
    Console().print(table)
"""
"""A program that imports click and prints a rich table of the rows that guardctl prints."""

_FOREIGN = ("PYTHONDONTWRITEBYTECODE", "PYTHONUNBUFFERED", "GUARDD_SOCKET", "FORCE_COLOR")

Layout = Callable[[list[dict[str, Any]]], tuple[Sequence[str], Sequence[Sequence[str]]]]
"""The titles and the cells of the table that `guardctl runs` makes of runs."""


class Cost(NamedTuple):
    """What a process took, in milliseconds.

    Attributes:
        cpu: User and system time; what else the machine does is not in it.
        wall: From its start to its end.
    """

    cpu: float
    wall: float


def event(name: str, number: int) -> bytes:
    """An event before a call, with what each agent wants of it.

    Args:
        name: What the agent calls it.
        number: Makes the call differ from others.
    """
    return json.dumps(
        {
            "hook_event_name": name,
            "session_id": "8c35adc1-session",
            "conversation_id": "8c35adc1-session",
            "tool_name": "Bash",
            "tool_use_id": f"toolu_{number}",
            "tool_input": {"command": f"echo {number}", "description": "Say a number"},
        }
    ).encode()


def cost(command: list[str], environment: Mapping[str, str], folder: Path, given: bytes = b"") -> Cost:
    """Run a process to its end.

    Raises:
        Breakdown: It failed, or complained.
    """
    began = time.perf_counter()
    process = subprocess.Popen(  # noqa: S603 - our own program, or the interpreter
        command,
        env=environment,
        cwd=folder,
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )
    assert process.stdin is not None
    assert process.stderr is not None
    with process.stdin, process.stderr:
        process.stdin.write(given)
        process.stdin.close()
        complaint = process.stderr.read()
        _, status, used = os.wait4(process.pid, 0)
        wall = time.perf_counter() - began
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode or complaint:
        raise Breakdown(
            f"{command[0]} failed ({process.returncode})", complaint.decode(errors="replace")[-200:]
        )
    return Cost((used.ru_utime + used.ru_stime) * 1000, wall * 1000)


def hook(
    socket: Path, folder: Path, rounds: int, agent: str = "claude-code", event_name: str = "PreToolUse"
) -> list[Figure]:
    """What a hook costs, started as an agent does it, against `python -c pass`.

    Args:
        socket: The daemon's.
        folder: For files.
        rounds: How often to measure.
        agent: Whose hook.
        event_name: What the agent calls the event before a call.
    """
    script = str(_script(folder))
    environment = _environment(folder, socket)

    def ask(number: int) -> Cost:
        return cost([script, "hook", agent], environment, folder, event(event_name, number))

    bare = partial(_run, [sys.executable, "-c", "pass"], environment, folder)
    return _figures("hook", f"guardctl hook {agent} / python -c pass", bare, ask, rounds, HOOK_TARGET)


def runs(
    socket: Path, folder: Path, rounds: int, layout: Layout, count: int = 10, options: Sequence[str] = ()
) -> list[Figure]:
    """What `guardctl runs` costs against a bare program that prints the same rows.

    Args:
        socket: The daemon's.
        folder: For files.
        rounds: How often to measure.
        layout: Makes the rows.
        count: How many runs to add to those that the daemon knows.
        options: Of the command.
    """
    with Link(socket) as link:
        for number in range(count):
            call = {"runId": f"run-{number:04}-7c1e5b", "agentId": "main", "toolName": "exec"}
            link.ask(frame("tool.before", call))
        listed = json.loads(link.ask(frame("run.list", {})))["result"]["runs"]
    titles, rows = layout(listed)
    (folder / "bare.py").write_text(BARE.format(titles=titles, rows=rows), encoding="utf-8")
    environment = _environment(folder, socket)
    bare = partial(_run, [sys.executable, "-c", "import bare; bare.main()"], environment, folder)
    listing = partial(_run, [str(_script(folder)), "runs", *options], environment, folder)
    title = f"{' '.join(('guardctl runs', *options))} / click and a rich table of {len(rows)} rows"
    return _figures("runs", title, bare, listing, rounds, RUNS_TARGET)


def _figures(
    name: str,
    title: str,
    floor: Callable[[int], Cost],
    guardd: Callable[[int], Cost],
    rounds: int,
    target: Target,
) -> list[Figure]:
    floor(0), guardd(0)  # compiles
    taken = in_turns({"floor": floor, "guardd": guardd}, rounds)
    return [
        compared(
            name if part == "wall" else f"{name}_{part}",
            f"{title}, {part}",
            "ms",
            [getattr(cost, part) for cost in taken["floor"]],
            [getattr(cost, part) for cost in taken["guardd"]],
            target,
        )
        for part in ("wall", "cpu")
    ]


def _run(command: list[str], environment: Mapping[str, str], folder: Path, number: int) -> Cost:
    del number
    return cost(command, environment, folder)


def _script(folder: Path) -> Path:
    script = folder / "guardctl"
    script.write_text(SCRIPT.format(python=sys.executable), encoding="utf-8")
    script.chmod(0o755)
    return script


def _environment(folder: Path, socket: Path) -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if name not in _FOREIGN} | {
        "COLUMNS": "120",
        "GUARDD_SOCKET": str(socket),
        "PYTHONPATH": str(folder),  # where bare.py is
    }
