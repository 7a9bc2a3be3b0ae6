import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Make = Callable[..., dict[str, Any]]
MARKER = {"kind": "reset", "afterSeq": 1, "armed": False, "at": "2026-03-01T11:00:01.000Z"}


@pytest.fixture
def recorded(daemon: Any, make_run: Make, make_call: Make) -> Any:
    fingerprints = {"signature": "a" * 32, "outcome": "b" * 32, "missingTool": None, "isPoll": False}
    daemon.answers["run.get"] = make_run("3f2a9c71")
    calls = [make_call(1, **fingerprints), make_call(2, **fingerprints)]
    daemon.answers["run.history"] = {"run": "3f2a9c71", "calls": calls, "markers": [MARKER]}
    return daemon


def test_a_run_is_written_line_by_line(recorded: Any, guardctl: Any) -> None:
    result = guardctl("export", "3f2a")
    lines = [json.loads(line) for line in result.stdout.splitlines()]
    assert lines[0]["format"] == "guardd-export"
    assert lines[0]["run"] == "3f2a9c71"
    assert [line.get("seq") for line in lines[1:]] == [1, None, 2]
    assert lines[1]["signature"] == "a" * 32
    assert lines[2]["marker"] == "reset"
    assert "preview" not in lines[1]
    assert result.stderr == ""
    assert recorded.params("run.get") == [{"run": "3f2a"}]


def test_json_changes_nothing(recorded: Any, guardctl: Any) -> None:
    assert guardctl("export", "3f2a", "--json").stdout == guardctl("export", "3f2a").stdout
    assert recorded.requests


@pytest.mark.usefixtures("recorded")
def test_into_a_file_that_replay_reads(guardctl: Any, tmp_path: Path) -> None:
    file = tmp_path / "run.ndjson"
    result = guardctl("export", "latest", "-o", str(file))
    assert (result.stdout, result.stderr) == ("", f"2 calls written to {file}.\n")
    replayed = json.loads(guardctl("replay", str(file), "--json").stdout)
    assert replayed["files"][0]["format"] == "guardd export"
    assert replayed["files"][0]["calls"] == 2


def test_a_run_that_is_not_there_leaves_no_file(
    daemon: Any, guardctl: Any, refuse: Any, tmp_path: Path
) -> None:
    daemon.answers["run.get"] = refuse(-32002, "no run is called x", kind="run_not_found")
    result = guardctl("export", "x", "-o", str(tmp_path / "run.ndjson"))
    assert result.exit_code != 0
    assert not (tmp_path / "run.ndjson").exists()


@pytest.mark.usefixtures("recorded")
def test_a_file_that_cannot_be_written(guardctl: Any, tmp_path: Path) -> None:
    result = guardctl("export", "x", "-o", str(tmp_path / "nowhere" / "run.ndjson"))
    assert result.exit_code == 1
    assert "there is no directory" in result.stderr
    assert "Make it first, or name another place" in result.stderr


@pytest.mark.usefixtures("recorded")
def test_an_export_is_overwritten_and_nothing_else(guardctl: Any, tmp_path: Path) -> None:
    export, thesis = tmp_path / "run.ndjson", tmp_path / "thesis.txt"
    thesis.write_text("precious")
    for _ in range(2):
        assert guardctl("export", "x", "-o", str(export)).exit_code == 0
    refused = guardctl("export", "x", "-o", str(thesis))
    assert (refused.exit_code, thesis.read_text()) == (1, "precious")
    assert "is no export of guardd's" in refused.stderr


@pytest.mark.usefixtures("recorded")
def test_a_dash_is_stdout(guardctl: Any) -> None:
    assert guardctl("export", "x", "-o", "-").stdout == guardctl("export", "x").stdout
