"""What a hook costs as a whole process, against `python -c pass`; the aim is at most three times that.

Both are measured with compiled files present and in turns, so that whatever else the machine does meets each of
them alike. The hook is started as an agent does it: through a console script.
"""

import json
import os
import statistics
import subprocess
import sys
from pathlib import Path

import pytest
from support.daemon import Daemon

from guardd.adapters.hook import AGENTS

pytestmark = pytest.mark.bench

ROUNDS = 60

SCRIPT = """#!{python}
import sys
from guardd.cli.entry import main
if __name__ == "__main__":
    sys.argv[0] = sys.argv[0].removesuffix(".exe")
    sys.exit(main())
"""
"""The console script, as an installer writes it."""


def event(agent: str, number: int) -> bytes:
    """An event before a call, with what each agent wants of it."""
    return json.dumps(
        {
            "hook_event_name": {"gemini-cli": "BeforeTool", "cursor": "preToolUse"}.get(agent, "PreToolUse"),
            "session_id": "8c35adc1-session",
            "conversation_id": "8c35adc1-session",
            "tool_name": "Bash",
            "tool_use_id": f"toolu_{number}",
            "tool_input": {"command": f"echo {number}", "description": "Say a number"},
        }
    ).encode()


def cpu(command: list[str], environment: dict[str, str], data: bytes) -> float:
    """User and system time of a process, in milliseconds."""
    process = subprocess.Popen(
        command,
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )
    process.stdin.write(data)
    process.stdin.close()
    complaint = process.stderr.read()
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = status
    process.stderr.close()
    assert (status, complaint) == (0, b"")
    return (used.ru_utime + used.ru_stime) * 1000


def test_a_hook_against_the_bare_interpreter(tmp_path, capsys):
    script = tmp_path / "guardctl"
    script.write_text(SCRIPT.format(python=sys.executable))
    script.chmod(0o755)
    environment = {
        name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "GUARDD", "COV"))
    } | {"PYTHONPYCACHEPREFIX": str(tmp_path / "cache")}
    figures = {name: [] for name in ("pass", *AGENTS)}
    with Daemon(tmp_path, {"tools": {"loopDetection": {"enabled": True}}}).start() as daemon:
        environment["GUARDD_SOCKET"] = str(daemon.socket)
        for number in range(ROUNDS + 2):
            for name, taken in figures.items():
                command = [sys.executable, "-c", "pass"] if name == "pass" else [str(script), "hook", name]
                milliseconds = cpu(command, environment, b"" if name == "pass" else event(name, number))
                if number >= 2:  # the first fill the cache
                    taken.append(milliseconds)
    bare = statistics.median(figures["pass"])
    with capsys.disabled():
        print(f"\nwhole processes, user + system, {ROUNDS} runs each, {Path(sys.executable).resolve().name}")
        for name, taken in figures.items():
            median = statistics.median(taken)
            print(
                f"  {name:12} median {median:5.1f} ms   min {min(taken):5.1f} ms   {median / bare:.2f} times"
            )
