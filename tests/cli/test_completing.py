import os
import subprocess
import sys
from typing import Any

import pytest
from click.shell_completion import ShellComplete

from guardd.cli.guardctl import program


def complete(*words: str) -> list[str]:
    completion = ShellComplete(program, {}, "guardctl", "_GUARDCTL_COMPLETE")
    return [item.value for item in completion.get_completions(list(words[:-1]), words[-1])]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_script_is_printed(guardctl: Any, shell: str) -> None:
    result = guardctl("completion", shell)
    assert result.exit_code == 0
    assert f"_GUARDCTL_COMPLETE={shell}_complete" in result.stdout


def test_an_unknown_shell_is_a_usage_error(guardctl: Any) -> None:
    assert guardctl("completion", "csh").exit_code == 2


def test_commands_and_options_complete() -> None:
    assert complete("h") == ["history", "hook"]
    assert complete("config", "") == ["check", "reload", "show"]
    assert "--looping" in complete("runs", "--")


def test_run_ids_come_from_the_daemon(daemon: Any, make_run: Any) -> None:
    daemon.answers["run.list"] = {
        "runs": [make_run("3f2a"), make_run("3fbb"), make_run("4c"), make_run("3f\n")]
    }
    assert complete("history", "3f") == ["3f2a", "3fbb"]
    assert complete("reset", "") == ["latest", "3f2a", "3fbb", "4c"]
    assert complete("events", "--run", "la") == ["latest"]
    assert complete("--socket", str(daemon.path), "abort", "4") == ["4c"]


def test_without_a_daemon_nothing_completes_and_nothing_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    assert complete("history", "3") == []
    assert capsys.readouterr() == ("", "")


def test_a_shell_gets_its_answer_through_the_environment(daemon: Any, make_run: Any) -> None:
    daemon.answers["run.list"] = {"runs": [make_run("3f2a"), make_run("4c")]}
    asked = {"_GUARDCTL_COMPLETE": "bash_complete", "COMP_WORDS": "guardctl history 3", "COMP_CWORD": "2"}
    done = subprocess.run(
        [sys.executable, "-c", "from guardd.cli.guardctl import main; main()"],
        env=os.environ | asked,
        capture_output=True,
        text=True,
        check=True,
    )
    assert (done.stdout, done.stderr) == ("plain,3f2a\n", "")


def test_without_a_shell_it_says_which_there_are(guardctl: Any) -> None:
    result = guardctl("completion")
    assert (result.exit_code, result.stderr.splitlines()[-1]) == (
        2,
        "Error: Name a shell: bash, zsh or fish.",
    )
