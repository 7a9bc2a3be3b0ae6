import json
from pathlib import Path
from typing import Any

import pytest

from guardd.config import parse

TEXT = """{
  tools: {loopDetection: {enabled: true, warningThreshold: 8, criticalThreshold: 5}},
  agents: {list: [{id: 'b', tools: {loopDetection: {historySize: 40}}}]},
  guardd: {sendingTools: ['telegram']},
}"""


@pytest.fixture
def shown(daemon: Any) -> Any:
    config = parse(TEXT, "/etc/guardd/guardd.json5")
    daemon.answers["config.get"] = lambda params: config.describe(params.get("agentId"))
    return daemon


@pytest.mark.usefixtures("shown")
def test_every_value_is_shown_with_its_origin(guardctl: Any) -> None:
    result = guardctl("config", "show", "--agent", "b")
    assert result.exit_code == 0
    lines = result.stdout.splitlines()
    assert lines[0] == "/etc/guardd/guardd.json5 · as it holds for agent b"
    assert lines[1].split() == ["KEY", "VALUE", "SET", "BY"]
    rows = {line.split()[0]: line.split(maxsplit=2)[1:] for line in lines[2:] if line[0] != " "}
    assert rows["tools.loopDetection.enabled"] == ["true", "the file"]
    assert rows["tools.loopDetection.historySize"] == [
        "40",
        "agents.list[id=b]",
    ]
    assert rows["tools.loopDetection.criticalThreshold"][1].startswith("the file (raised from 5 to 9")
    assert rows["guardd.mode"] == ['"enforce"']
    assert rows["guardd.socket.path"] == ["unset"]
    assert rows["guardd.sendingTools"] == ['["telegram"]', "the file"]


@pytest.mark.usefixtures("shown")
def test_it_fits_a_narrow_terminal(guardctl: Any) -> None:
    out = guardctl("config", "show", "--agent", "b", COLUMNS="80").stdout
    assert max(map(len, out.splitlines())) <= 80
    assert "tools.loopDetection.globalCircuitBreakerThreshold" in out


def test_warnings_stand_beside_the_table(daemon: Any, guardctl: Any) -> None:
    config = parse("{tools: {loopDetection: {enabled: true, historySize: 5}}}", "/x.json5")
    daemon.answers["config.get"] = config.describe()
    result = guardctl("config", "show")
    assert "warning: warningThreshold is 10" in result.stderr
    assert "warning:" not in result.stdout


def test_a_bad_reload_is_told(daemon: Any, guardctl: Any, refuse: Any) -> None:
    daemon.answers["config.reload"] = refuse(-32602, "/x.json5: guardd.mode: must be …; got 'on'")
    result = guardctl("config", "reload")
    assert result.exit_code == 1
    assert result.stderr == "guardctl: /x.json5: guardd.mode: must be …; got 'on'\n"


def test_a_reload_tells_warnings(daemon: Any, guardctl: Any) -> None:
    daemon.answers["config.reload"] = {"path": "/x.json5", "warnings": ["it never fires"]}
    result = guardctl("config", "reload")
    assert result.stderr == "warning: it never fires\n"
    assert "reloaded" in result.stdout


def test_check_needs_no_daemon(guardctl: Any, tmp_path: Path) -> None:
    file = tmp_path / "guardd.json5"
    file.write_text(TEXT)
    result = guardctl("config", "check", str(file))
    assert (result.exit_code, result.stdout) == (0, f"{file} can be used.\n")
    document = json.loads(guardctl("config", "check", str(file), "--json").stdout)
    nothing = {"errors": [], "warnings": [], "notes": []}
    assert document == {"file": str(file), "valid": True, "error": None} | nothing


def test_check_tells_warnings_and_notes(guardctl: Any, tmp_path: Path) -> None:
    file = tmp_path / "guardd.json5"
    file.write_text("{tools: {loopDetection: {historySize: 5}}}")
    result = guardctl("config", "check", str(file))
    assert result.exit_code == 0
    assert "warning: warningThreshold" in result.stderr
    assert "note: " in result.stderr


@pytest.mark.parametrize("text", ["{guardd: {mode: 'on'}}", "{", None])
def test_check_fails_for_what_guardd_would_not_start_with(
    guardctl: Any, tmp_path: Path, text: str | None
) -> None:
    file = tmp_path / "guardd.json5"
    if text is not None:
        file.write_text(text)
    result = guardctl("config", "check", str(file))
    assert result.exit_code == (5 if text is None else 1)
    assert result.stderr.startswith(f"guardctl: {file}: ")
    document = json.loads(guardctl("config", "check", str(file), "--json").stdout)
    assert document["valid"] is False
    assert document["error"]["file"] == str(file)
    assert document["error"]["reason"]
    assert document["errors"] == [document["error"]]


def test_check_tells_all_that_is_wrong(guardctl: Any, tmp_path: Path) -> None:
    file = tmp_path / "guardd.json5"
    file.write_text("{tools: {loopDetection: {historySize: 0}}, guardd: {mode: 'on', limit: {}}}")
    result = guardctl("config", "check", str(file))
    assert result.exit_code == 1
    assert result.stderr.splitlines() == [
        f"guardctl: {file}: tools.loopDetection.historySize: expected a whole number of at least 1; got 0",
        f"  {file}: guardd.mode: expected one of 'enforce', 'observe'; got 'on'",
        f"  {file}: guardd.limit: unknown key; the nearest known one is 'limits'",
    ]
    document = json.loads(guardctl("config", "check", str(file), "--json").stdout)
    keys = ["tools.loopDetection.historySize", "guardd.mode", "guardd.limit"]
    assert [error["key"] for error in document["errors"]] == keys
    assert document["error"] == document["errors"][0]


def test_what_another_file_sets_names_that_file(daemon: Any, guardctl: Any, tmp_path: Path) -> None:
    gateway = tmp_path / "openclaw.json"
    gateway.write_text(
        "{tools: {loopDetection: {unknownToolThreshold: 4}},"
        " agents: {entries: {b: {tools: {loopDetection: {historySize: 50}}}}}}"
    )
    config = parse(f"{{guardd: {{inherit: '{gateway}'}}}}", "/etc/guardd/guardd.json5")
    daemon.answers["config.get"] = config.describe("b")
    lines = guardctl("config", "show", COLUMNS="400").stdout.splitlines()
    rows = {line.split()[0]: line.split(maxsplit=2)[1:] for line in lines[2:]}
    assert rows["tools.loopDetection.unknownToolThreshold"] == ["4", str(gateway)]
    assert rows["tools.loopDetection.historySize"] == ["50", f"{gateway}: agents.entries.b"]


def test_check_knows_the_users_and_groups_of_this_system(guardctl: Any, tmp_path: Path) -> None:
    file = tmp_path / "guardd.json5"
    file.write_text("{guardd: {socket: {gateways: ['nouser', 0], readers: ['@nogroup-'], group: 'nogrp'}}}")
    result = guardctl("config", "check", str(file))
    assert result.exit_code == 1
    nouser = "there is no user 'nouser' on this system (a group is written '@name')"
    assert result.stderr.splitlines() == [
        f"guardctl: {file}: guardd.socket.gateways: {nouser}",
        f"  {file}: guardd.socket.readers: there is no group 'nogroup-' on this system",
        f"  {file}: guardd.socket.group: there is no group 'nogrp' on this system",
    ]


def test_all_that_is_wrong_with_a_reload_stands_on_lines(daemon: Any, guardctl: Any, refuse: Any) -> None:
    daemon.answers["config.reload"] = refuse(-32602, "not changed: /x: a\x1b\n/x: b")
    result = guardctl("config", "reload")
    assert (result.exit_code, result.stderr) == (1, "guardctl: not changed: /x: a\\e\n  /x: b\n")


def test_a_reload_without_a_file_says_so(daemon: Any, guardctl: Any) -> None:
    daemon.answers["config.reload"] = {"path": None, "warnings": []}
    assert guardctl("config", "reload").stdout == (
        "There is no configuration file: the defaults hold from the next verdict on.\n"
    )
