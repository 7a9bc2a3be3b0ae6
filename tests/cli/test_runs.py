import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from rich.cells import cell_len

Make = Callable[..., dict[str, Any]]


@pytest.fixture
def some_runs(make_run: Make) -> list[dict[str, Any]]:
    def ago(**past: float) -> str:
        return (datetime.now(UTC) - timedelta(**past)).isoformat()

    return [
        make_run("3f2a9c71-7b1e-4c39-9d0a-5f2f0a4f9e11", verdict="block", lastActivityAt=ago(seconds=3.5)),
        make_run(
            "3f2a9c7e-0aa0-4c39-9d0a-5f2f0a4f9e11",
            agentId="safe-runner",
            verdict="warn",
            compactions=2,
            lastActivityAt=ago(minutes=4, seconds=9),
        ),
        make_run(
            "session:agent:main\x1b[31m",
            agentId=None,
            source="claude-code",
            status="aborted",
            verdict="abort",
            calls=312,
            lastActivityAt=ago(hours=2, minutes=1),
        ),
    ]


WIDE = """\
RUN                                   AGENT        SOURCE       STATUS   CALLS  LOOPS  COMPACTIONS  LAST ACTIVE
3f2a9c71-7b1e-4c39-9d0a-5f2f0a4f9e11  main         default      active      12  BLOCK               3 s ago
3f2a9c7e-0aa0-4c39-9d0a-5f2f0a4f9e11  safe-runner  default      active      12  WARN             2  4 min ago
session:agent:main\\e[31m                           claude-code  aborted    312  ABORT               2 h ago
"""

NARROW = """\
RUN                 AGENT        SOURCE       STATUS   CALLS  LOOPS  LAST ACTIVE
3f2a9c71-7b1e-4c3…  main         default      active      12  BLOCK  3 s ago
3f2a9c7e-0aa0-4c3…  safe-runner  default      active      12  WARN   4 min ago
session:agent:mai…               claude-code  aborted    312  ABORT  2 h ago
"""


@pytest.mark.parametrize(("width", "screen"), [("120", WIDE), ("80", NARROW)])
def test_the_list_at_two_widths(
    daemon: Any, guardctl: Any, some_runs: list[dict[str, Any]], width: str, screen: str
) -> None:
    daemon.answers["run.list"] = {"runs": some_runs}
    result = guardctl("runs", COLUMNS=width)
    assert result.stdout == screen
    assert result.stderr == ""
    assert result.exit_code == 0


def test_colours_are_shown_when_asked_for(
    daemon: Any, guardctl: Any, some_runs: list[dict[str, Any]]
) -> None:
    daemon.answers["run.list"] = {"runs": some_runs}
    out = guardctl("runs", "--color=always", NO_COLOR="1").stdout
    assert "\x1b[31mBLOCK" in out
    assert "\x1b[1;31mABORT" in out
    assert "\x1b[32mactive" in out
    assert "\x1b" not in guardctl("runs").stdout
    assert "\x1b" not in guardctl("runs", "--color=never").stdout


def test_ids_are_not_cut_below_what_tells_them_apart(daemon: Any, guardctl: Any, make_run: Make) -> None:
    names = [f"session:agent:main:telegram:{number}" for number in range(3)]
    daemon.answers["run.list"] = {"runs": [make_run(name) for name in names]}
    lines = guardctl("runs", COLUMNS="40").stdout.splitlines()
    assert all(cell_len(line) <= 40 for line in lines)
    text = "".join(line.split(" ")[0] for line in lines)
    assert all(name in text for name in names)


def test_the_same_id_of_two_sources_is_named_with_its_source(
    daemon: Any, guardctl: Any, make_run: Make
) -> None:
    daemon.answers["run.list"] = {"runs": [make_run("one"), make_run("one", source="codex"), make_run("two")]}
    names = [line.split()[0] for line in guardctl("runs").stdout.splitlines()[1:]]
    assert names == ["default/one", "codex/one", "two"]


def test_json_is_the_list_as_it_came(daemon: Any, guardctl: Any, some_runs: list[dict[str, Any]]) -> None:
    daemon.answers["run.list"] = {"runs": some_runs}
    for arguments in (["runs", "--json"], ["--json", "runs"]):
        result = guardctl(*arguments)
        assert json.loads(result.stdout) == some_runs
        assert result.stdout.count("\n") == 1
        assert result.stdout.isascii()
        assert result.stderr == ""


def test_an_empty_list_says_so_beside_the_output(daemon: Any, guardctl: Any) -> None:
    daemon.answers["run.list"] = {"runs": []}
    result = guardctl("runs")
    assert (result.stdout, result.exit_code) == ("", 0)
    assert "No runs yet" in result.stderr
    assert guardctl("runs", "--looping").stderr == "No run is like that.\n"
    result = guardctl("runs", "--json")
    assert result.stdout == "[]\n"


def test_filters_are_the_daemons(daemon: Any, guardctl: Any) -> None:
    daemon.answers["run.list"] = {"runs": []}
    options = "--agent a --source s --status failed --looping --limit 7 --since 2026-03-01T12:00:00+02:00"
    guardctl("runs", *options.split())
    assert daemon.params("run.list") == [
        {
            "agentId": "a",
            "source": "s",
            "status": "failed",
            "looping": True,
            "limit": 7,
            "since": "2026-03-01T10:00:00.000Z",
        }
    ]


def test_pages_are_followed_up_to_the_limit(daemon: Any, guardctl: Any, make_run: Make) -> None:
    everything = [make_run(f"run-{number:04}") for number in range(250)]

    def page(params: dict[str, Any]) -> dict[str, Any]:
        start = int(params.get("cursor", 0))
        end = min(start + min(params["limit"], 90), 250)
        return {"runs": everything[start:end]} | ({"nextCursor": str(end)} if end < 250 else {})

    daemon.answers["run.list"] = page
    assert json.loads(guardctl("runs", "--json", "--limit", "200").stdout) == everything[:200]
    assert json.loads(guardctl("runs", "--json", "--limit", "all").stdout) == everything
    result = guardctl("runs", "--json")
    assert len(json.loads(result.stdout)) == 100
    assert result.stderr == "There are more runs than these 100: --limit all shows them.\n"


def test_absolute_times(daemon: Any, guardctl: Any, make_run: Make) -> None:
    daemon.answers["run.list"] = {"runs": [make_run("one")]}
    assert "2026-03-01T11:00:00.000Z" in guardctl("runs", "--abs-time").stdout


@pytest.mark.parametrize(
    "options", [["--limit", "0"], ["--limit", "x"], ["--since", "soon"], ["--status", "x"]]
)
def test_bad_options_are_usage_errors(guardctl: Any, options: list[str]) -> None:
    result = guardctl("runs", *options)
    assert result.exit_code == 2
    assert "Invalid value" in result.stderr


def test_a_missing_database_file_is_not_found(guardctl: Any, tmp_path: Path) -> None:
    result = guardctl("runs", "--db", str(tmp_path / "none.db"))
    assert result.exit_code == 5
    assert "there is no database" in result.stderr
