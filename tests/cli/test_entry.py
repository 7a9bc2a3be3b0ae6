"""Where guardctl starts: hooks are turned to at once, everything else is click's."""

import os
import pty
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from guardd.cli import entry
from guardd.cli.entry import arguments_of_hook

CODE = "from guardd.cli.entry import main; main()"


def guardctl(home: Path, *arguments: str, **options: Any) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", CODE, *arguments],
        capture_output=True,
        check=False,
        text=True,
        env={"HOME": str(home)},
        cwd=Path(entry.__file__).parents[2],
        **options,
    )


@pytest.mark.parametrize(
    "arguments", [["--help"], ["hook", "--help"], ["hook", "codex", "-h"], ["--version"]]
)
def test_help_and_all_other_commands_are_clicks(arguments: list[str], tmp_path: Path) -> None:
    done = guardctl(tmp_path, *arguments, input="")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith(("Usage: guardctl", "guardctl "))
    if arguments[0] == "hook":
        assert "{claude-code|codex|gemini-cli|cursor|copilot}" in done.stdout


@pytest.mark.parametrize(
    "arguments", [["hook"], ["hook", "nonsense"], ["--bogus", "hook", "codex", "--bogus"]]
)
def test_a_mistyped_hook_is_no_usage_error(arguments: list[str], tmp_path: Path) -> None:
    done = guardctl(tmp_path, *arguments, input="")
    assert (done.returncode, done.stdout) == (0, "")
    assert done.stderr.endswith("; the call goes through\n")


@pytest.mark.parametrize(("name", "words"), [("claude", "Invalid value"), ("codex", "see its settings")])
def test_at_a_terminal_it_is_one(name: str, words: str, tmp_path: Path) -> None:
    leader, follower = pty.openpty()
    done = guardctl(tmp_path, "hook", name, stdin=follower)
    os.close(leader)
    os.close(follower)
    assert done.returncode == 2
    assert words in done.stderr


@pytest.mark.parametrize(
    ("arguments", "rest"),
    [
        (["hook", "codex"], ["codex"]),
        (["--socket", "hook", "hook", "codex"], ["--socket", "hook", "codex"]),
        (["--json", "--socket=/s", "hook"], ["--json", "--socket=/s"]),
        (["--bogus", "hook", "codex", "--bogus"], ["--bogus", "codex", "--bogus"]),
        (["hook", "codex", "--help"], None),
        (["-h", "hook"], None),
        (["runs", "hook"], None),
        (["--socket", "hook"], None),
        (["--version"], None),
        ([], None),
    ],
)
def test_a_hook_is_told_by_its_name(arguments: list[str], rest: list[str] | None) -> None:
    assert arguments_of_hook(arguments) == rest
