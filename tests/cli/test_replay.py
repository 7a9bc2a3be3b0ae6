import json
import os
import pty
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from guardd.cli.guardctl import program

TRACES = Path(__file__).parent.parent / "data" / "traces"
LOW = (
    "--set",
    "warningThreshold=3",
    "--set",
    "criticalThreshold=5",
    "--set",
    "globalCircuitBreakerThreshold=8",
)
NOTE = "Loop detection is taken to be on: the defaults do not set tools.loopDetection.enabled.\n"


@pytest.fixture
def episodes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A loop, an alternation and something healthy, as a file in the current directory."""
    loop = [{"tool": "bash", "args": {"command": "ls"}, "result": "a"}] * 10
    sides = [{"tool": tool, "args": {}, "result": tool} for tool in ("read", "write")] * 3
    healthy = [{"tool": "bash\n\x1b", "args": {"n": number}, "result": number} for number in range(3)]
    lines = [json.dumps({"calls": calls}) for calls in (loop, sides, healthy)]
    (tmp_path / "episodes.jsonl").write_text("\n".join([*lines, "{cut off"]))
    monkeypatch.chdir(tmp_path)
    return "episodes.jsonl"


SCREEN = """\
episodes.jsonl · InterCode episodes · 3 turns · 19 calls · 1 skipped (not JSON 1) · ABORT 2 · BLOCK 5 · WARN 4
DETECTOR        VERDICT  FOUND  TURNS  FIRST IN   SEQ  COUNT  TOOL
generic_repeat  ABORT        1      1  episode-0    9    8/8  bash
generic_repeat  BLOCK        3      1  episode-0    6    5/5  bash
ping_pong       BLOCK        2      1  episode-1    5    5/5  read + write
generic_repeat  WARN         2      1  episode-0    4    3/3  bash
ping_pong       WARN         2      1  episode-1    3    3/3  read + write
"""

NARROW = """\
episodes.jsonl · InterCode episodes
  3 turns · 19 calls
  1 skipped (not JSON 1) · ABORT 2
  BLOCK 5 · WARN 4
DETECTOR        VERDICT  FIRST IN   SEQ
generic_repeat  ABORT    episode-0    9
generic_repeat  BLOCK    episode-0    6
ping_pong       BLOCK    episode-1    5
generic_repeat  WARN     episode-0    4
ping_pong       WARN     episode-1    3
"""

COMPARED = """\
episodes.jsonl · InterCode episodes · 3 turns · 19 calls · 1 skipped (not JSON 1)
                VERDICT  default  low.json5  FIRST IN B
all calls       allow         19          8
all calls       WARN           0          4
all calls       BLOCK          0          5
all calls       ABORT          0          2
generic_repeat  ABORT          0          1  episode-0 #9
generic_repeat  BLOCK          0          3  episode-0 #6
ping_pong       BLOCK          0          2  episode-1 #5
generic_repeat  WARN           0          2  episode-0 #4
ping_pong       WARN           0          2  episode-1 #3
"""


def test_what_would_have_been_said(episodes: str, guardctl: Any) -> None:
    result = guardctl("replay", episodes, *LOW)
    assert result.stdout == SCREEN
    assert result.stderr == NOTE
    assert result.exit_code == 0


def test_on_a_narrow_terminal(episodes: str, guardctl: Any) -> None:
    assert guardctl("replay", episodes, *LOW, COLUMNS="40").stdout == NARROW


def test_verdicts_are_coloured(episodes: str, guardctl: Any) -> None:
    assert "\x1b[31mBLOCK" in guardctl("replay", episodes, *LOW, "--color", "always").stdout


def test_nothing_found(guardctl: Any) -> None:
    result = guardctl("replay", str(TRACES / "swe-agent.traj.gz"), COLUMNS="200")
    assert result.stdout.endswith("SWE-agent trajectory · 1 turn · 13 calls · nothing found\n")


def test_the_json_form(episodes: str, guardctl: Any) -> None:
    (file,) = json.loads(guardctl("replay", "--json", episodes, *LOW).stdout)["files"]
    detections = file.pop("detections")
    assert file == {
        "file": episodes,
        "format": "InterCode episodes",
        "turns": 3,
        "calls": 19,
        "stopped": 0,
        "skipped": 1,
        "skippedBecause": {"not_json": 1},
        "actions": {"allow": 8, "warn": 4, "block": 5, "abort": 2},
    }
    assert len(detections) == 10
    assert detections[0] == {
        "turn": "episode-0",
        "seq": 4,
        "action": "warn",
        "detector": "generic_repeat",
        "level": "warning",
        "count": 3,
        "threshold": 3,
        "toolName": "bash",
        "pairedToolName": None,
        "notify": True,
        "message": detections[0]["message"],
    }


@pytest.mark.parametrize("options", [[], ["--compare", "default", "default"]])
def test_what_guardd_had_stopped_is_said(guardctl: Any, tmp_path: Path, options: list[str]) -> None:
    run = {"format": "guardd-export", "version": 1, "run": "r"}
    call = {"toolName": "bash", "signature": "a" * 32, "state": "blocked", "action": "block"}
    file = tmp_path / "run.ndjson"
    file.write_text("\n".join(json.dumps(line) for line in (run, call | {"seq": 1}, call | {"seq": 2})))
    result = guardctl("replay", str(file), *options)
    assert (
        result.stderr.count("2 calls were stopped by guardd when recorded: what they would have brought") == 1
    )
    document = json.loads(guardctl("replay", "--json", str(file), *options).stdout)
    assert {one["stopped"] for one in document["files"]} == {2}


def low_config(directory: Path, **loop: object) -> str:
    block = {"warningThreshold": 3, "criticalThreshold": 5, "globalCircuitBreakerThreshold": 8} | loop
    (directory / "low.json5").write_text(json.dumps({"tools": {"loopDetection": block}}))
    return "low.json5"


def test_two_configurations_side_by_side(episodes: str, guardctl: Any, tmp_path: Path) -> None:
    result = guardctl("replay", episodes, "--compare", "default", low_config(tmp_path, enabled=True))
    assert result.stdout == COMPARED
    assert result.stderr == NOTE


def test_compared_in_json_each_file_stands_twice(episodes: str, guardctl: Any, tmp_path: Path) -> None:
    result = guardctl("replay", episodes, "--json", "--compare", "default", low_config(tmp_path))
    files = json.loads(result.stdout)["files"]
    assert [file["config"] for file in files] == ["default", "low.json5"]
    assert [file["actions"]["abort"] for file in files] == [0, 2]
    assert [file["skipped"] for file in files] == [1, 1]


def test_a_configuration_and_a_change_to_it(episodes: str, guardctl: Any, tmp_path: Path) -> None:
    config = low_config(tmp_path, enabled=True)
    result = guardctl("replay", episodes, "--json", "--config", config, "--set", "detectors.pingPong=false")
    (file,) = json.loads(result.stdout)["files"]
    assert {found["detector"] for found in file["detections"]} == {"generic_repeat"}
    assert result.stderr == ""
    off = guardctl("replay", episodes, "--json", "--config", config, "--set", "enabled=false")
    assert json.loads(off.stdout)["files"][0]["actions"]["allow"] == 19


def test_an_agents_settings(episodes: str, guardctl: Any, tmp_path: Path) -> None:
    agent = {"id": "low", "tools": {"loopDetection": {"enabled": True, "warningThreshold": 3}}}
    (tmp_path / "agents.json").write_text(json.dumps({"agents": {"list": [agent]}}))
    result = guardctl("replay", episodes, "--json", "--config", "agents.json", "--agent", "low")
    assert json.loads(result.stdout)["files"][0]["actions"]["warn"] > 0
    assert result.stderr == ""


def test_thresholds_that_cannot_be_reached(episodes: str, guardctl: Any) -> None:
    result = guardctl("replay", episodes, "--set", "historySize=5")
    assert "warning: warningThreshold is 10 (default), above historySize" in result.stderr


@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        (["--set", "warningThreshold=x"], 2, "expected a whole number"),
        (["--set", "warningThreshold"], 2, "expected KEY=VALUE"),
        (["--set", "nonsense=1"], 2, "--set: tools.loopDetection.nonsense: unknown key; known here: "),
        (["--config", "nowhere.json5"], 5, "nowhere.json5"),
        (["--config", "a", "--compare", "a", "b"], 2, "does not go with --config"),
        (["nowhere.jsonl"], 5, "there is no file nowhere.jsonl"),
        (["-", "-"], 2, "only once"),
        (["."], 1, ". is a directory\n  Name the files in it\n"),
        (["--compare", "default", "default", "default"], 2, "--compare takes two settings"),
        (["--compare", "a.json5", "b.json5", "c.json5"], 2, "--compare takes two settings"),
        (["--compare", "a", "b", "--compare", "c", "d"], 2, "--compare takes two settings"),
        (["--compare", "default"], 2, "--compare"),
    ],
)
def test_mistakes(episodes: str, guardctl: Any, arguments: list[str], status: int, message: str) -> None:
    result = guardctl("replay", episodes, *arguments)
    assert result.exit_code == status
    assert message in result.stderr
    assert "internal error" not in result.stderr


@pytest.mark.parametrize("options", [[], ["--json"], ["--compare", "default", "default"]])
def test_a_file_of_something_else_fails_after_the_others(
    episodes: str, guardctl: Any, tmp_path: Path, options: list[str]
) -> None:
    (tmp_path / "notes.md").write_text("# Notes\n")
    result = guardctl("replay", "notes.md", episodes, *options)
    assert result.exit_code == 1
    assert "no transcript that guardd knows: notes.md\n" in result.stderr
    assert "InterCode episodes" in result.stdout
    if "--json" in options:
        assert [file["format"] for file in json.loads(result.stdout)["files"]] == [None, "InterCode episodes"]


@pytest.mark.parametrize("file", sorted(TRACES.iterdir()), ids=lambda file: file.name)
def test_from_stdin(file: Path) -> None:
    result = CliRunner().invoke(program, ["replay", "-", "--json"], input=file.read_bytes())
    (found,) = json.loads(result.stdout)["files"]
    assert (found["file"], found["skipped"]) == ("-", 0)
    assert found["calls"] == found["actions"]["allow"] > 0


def test_from_a_pipe() -> None:
    command = [sys.executable, "-c", "from guardd.cli.guardctl import main; main()", "replay", "--json", "-"]
    data = (TRACES / "intercode-episodes.jsonl.gz").read_bytes()
    done = subprocess.run(command, input=data, capture_output=True, check=True)
    assert json.loads(done.stdout)["files"][0]["turns"] == 34


Process = Callable[..., subprocess.Popen[str]]


def long_file(directory: Path) -> Path:
    line = json.dumps({"calls": [{"tool": "bash", "args": {"x": "x" * 40_000}, "result": 1}]})
    file = directory / "long.jsonl"
    file.write_text(f"{line}\n" * 40)
    return file


def test_a_long_input_has_a_progress_bar_on_a_terminal(tmp_path: Path) -> None:
    file = long_file(tmp_path)
    ours, theirs = pty.openpty()
    command = [
        sys.executable,
        "-c",
        "from guardd.cli.guardctl import main; main()",
        "replay",
        str(file),
        "--json",
    ]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=theirs, check=True)
    os.close(theirs)
    with open(ours, "rb", buffering=0) as terminal:  # noqa: PTH123 - a descriptor
        drawn = terminal.read(100_000)
    assert b"replaying" in drawn
    assert json.loads(done.stdout)["files"][0]["turns"] == 40


def test_elsewhere_it_has_none(guardctl: Any, tmp_path: Path) -> None:
    assert guardctl("replay", str(long_file(tmp_path))).stderr == NOTE


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "Missing argument 'FILE...'."),
        (
            ["--compare", "default", "x.json"],
            "Missing argument 'FILE...' after the two settings that --compare takes, A and B.",
        ),
    ],
)
def test_without_a_file(guardctl: Any, arguments: list[str], message: str) -> None:
    result = guardctl("replay", *arguments)
    assert (result.exit_code, result.stderr.splitlines()[-1]) == (2, f"Error: {message}")


def test_all_that_is_wrong_with_a_configuration_stands_on_lines(
    episodes: str, guardctl: Any, tmp_path: Path
) -> None:
    (tmp_path / "bad.json5").write_text("{guardd: {mode: 5, limits: 6}}")
    result = guardctl("replay", episodes, "--config", "bad.json5")
    assert result.exit_code == 1
    assert result.stderr.splitlines() == [
        f"guardctl: {tmp_path}/bad.json5: guardd.mode: expected one of 'enforce', 'observe'; got 5",
        f"  {tmp_path}/bad.json5: guardd.limits: expected an object; got 6",
    ]


def test_an_empty_stdin_is_called_so(guardctl: Any) -> None:
    result = guardctl("replay", "-")
    assert (result.exit_code, result.stderr.splitlines()[-1]) == (1, "guardctl: stdin is empty")
