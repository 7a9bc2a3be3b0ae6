"""Hooks go into an agent's settings beside its user's own, and come out again without a trace."""

import json
import random
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.json5_writer import Writer, random_object

from guardd.cli.install import hooks
from guardd.cli.install.agents import AGENTS, Agent
from guardd.cli.install.json5_edit import Document, decoded

SEEDS = st.integers(0, 2**32)
COMMAND = "/opt/guardd/bin/guardctl hook {name}"

MINE = {"type": "command", "command": "mine", "bash": "mine"}
THEIRS = [
    "my-guardctl-hook claude-code",
    "guardctl hook",
    "echo guardctl hooks codex",
    "guardctl hook claude-coder",
]


def users_hooks(agent: Agent, chance: random.Random) -> dict[str, Any]:
    """Hooks that a user has, none of an empty list."""
    events = chance.sample([*agent.events, "Other"], chance.randrange(1, 4))
    entry = {"matcher": "Bash", "hooks": [MINE]} if agent.grouped else MINE
    return {event: [entry] * chance.randint(1, 2) for event in events}


@settings(max_examples=15, deadline=None)
@given(st.sampled_from(list(AGENTS.values())), SEEDS, SEEDS, st.booleans())
def test_taking_out_what_was_put_in_leaves_the_very_text(
    agent: Agent,
    seed: int,
    choice: int,
    strict: bool,  # noqa: FBT001
) -> None:
    agent = replace(agent, events=agent.events[:2])  # the JSON5 reader takes its time
    chance = random.Random(seed)  # noqa: S311
    value = random_object(seed) | {"version": 1}
    if chance.random() < 0.7:
        value["hooks"] = users_hooks(agent, chance)
    text = Writer(choice, strict=strict).document(value)
    command = COMMAND.format(name=agent.name)
    installed = hooks.install(Document(text), agent, command).checked()
    there = decoded(installed)["hooks"]
    assert all(agent.entry(event, command) in there[event] for event in agent.events)
    assert hooks.install(Document(installed), agent, command).checked() == installed
    assert hooks.remove(Document(installed), agent).checked() == text


@pytest.mark.parametrize("agent", AGENTS.values(), ids=AGENTS)
def test_another_installations_hook_is_brought_up_to_date(agent: Agent) -> None:
    old = hooks.install(
        Document("{}"), agent, f"'/old venv/bin/guardctl' hook {agent.name} --socket /s"
    ).checked()
    new = hooks.install(Document(old), agent, COMMAND.format(name=agent.name)).checked()
    assert new == hooks.install(Document("{}"), agent, COMMAND.format(name=agent.name)).checked()
    assert "hooks" not in decoded(hooks.remove(Document(old), agent).checked())


@pytest.mark.parametrize("theirs", THEIRS)
def test_a_command_that_only_looks_like_ours_stays(theirs: str) -> None:
    text = json.dumps({"hooks": {"Stop": [{"hooks": [{"type": "command", "command": theirs}]}]}})
    assert hooks.remove(Document(text), AGENTS["claude-code"]).checked() == text


@pytest.mark.parametrize(
    "odd", ["[]", '"x"', "null", '{"Stop": 1}', '{"Stop": [1, {"hooks": 2}, {"hooks": [3]}]}']
)
def test_odd_settings_have_nothing_of_ours_to_take_out(odd: str) -> None:
    text = f'{{"hooks": {odd}}}'
    for agent in AGENTS.values():
        assert hooks.remove(Document(text), agent).checked() == text


def test_ours_in_a_group_of_the_users_leaves_alone() -> None:
    ours = {"type": "command", "command": COMMAND.format(name="codex")}
    text = json.dumps(
        {"hooks": {"Stop": [{"hooks": [MINE, ours]}], "PreToolUse": [{"hooks": [ours]}, {"hooks": [MINE]}]}}
    )
    assert decoded(hooks.remove(Document(text), AGENTS["codex"]).checked()) == {
        "hooks": {"Stop": [{"hooks": [MINE]}], "PreToolUse": [{"hooks": [MINE]}]}
    }


@pytest.mark.parametrize("agent", AGENTS.values(), ids=AGENTS)
def test_a_file_that_was_not_there(agent: Agent, guardctl: Any, home: Path, mode: Any, backups: Any) -> None:
    file = home / agent.file
    result = guardctl("install", agent.name, "--yes")
    assert result.exit_code == 0
    assert f"Wrote {file}.\n" in result.stdout
    assert mode(file) == 0o600
    assert json.loads(file.read_text())["hooks"].keys() == set(agent.events)
    again = guardctl("install", agent.name)
    assert (again.exit_code, again.stdout) == (0, f"Nothing to do: guardd is already in {file}.\n")
    assert guardctl("install", agent.name, "--uninstall", "--yes").exit_code == 0
    assert not file.exists()
    assert backups(file) == []
    again = guardctl("install", agent.name, "--uninstall")
    assert (again.exit_code, again.stdout) == (0, f"Nothing to do: guardd is not in {file}.\n")


TEXTS = {
    "empty": "{}",
    "empty hooks": '{"hooks": {}}\n',
    "empty event": '{\n  "hooks": {"PreToolUse": [], "preToolUse": []}\n}\n',
    "one line": '{"a":1,"hooks":{"Other":[{"command":"x"}]}}',
    "CRLF": '{\r\n\t"a": [\r\n\t\t1\r\n\t]\r\n}\r\n',
    "BOM": '\ufeff{\n    "a": 1\n}',
    "odd comments": '/* x */ {\n  // y\n  "a": /* z */ 1 // w\n  /* end */ } // after\n',
}


@pytest.mark.parametrize("agent", AGENTS.values(), ids=AGENTS)
@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_a_file_that_was_there_is_the_same_again(
    agent: Agent, text: str, guardctl: Any, write: Any, mode: Any, backups: Any
) -> None:
    file = write(agent.file, text, 0o640)
    assert guardctl("install", agent.name, "--yes").exit_code == 0
    (backup,) = backups(file)
    assert backup.read_bytes() == text.encode()
    assert (mode(file), mode(backup)) == (0o640, 0o640)
    assert guardctl("install", agent.name, "--uninstall", "--yes").exit_code == 0
    assert file.read_bytes() == text.encode()


def test_what_happened_since_is_kept(guardctl: Any, write: Any) -> None:
    file = write(".claude/settings.json", '{\n  "hooks": {}\n}\n')
    guardctl("install", "claude-code", "--yes")
    file.write_text(file.read_text().replace('"hooks": {', '"model": "opus",\n  "hooks": {', 1))
    guardctl("install", "claude-code", "--uninstall", "--yes")
    assert file.read_text() == '{\n  "model": "opus"\n}\n'


def test_the_copilot_file_is_ours_alone(guardctl: Any, home: Path, backups: Any) -> None:
    guardctl("install", "copilot", "--yes")
    file = home / ".copilot/hooks/guardd.json"
    file.write_text(file.read_text().replace("5", "9"))
    assert guardctl("install", "copilot", "--uninstall", "--yes").exit_code == 0
    assert not file.exists()
    assert '"timeoutSec": 9' in backups(file)[0].read_text()


def test_a_socket_that_is_named_becomes_part_of_the_command(
    guardctl: Any, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    guardctl("install", "cursor", "--yes", "--socket", "a b.sock")
    text = (home / ".cursor/hooks.json").read_text()
    assert f"/opt/guardd/bin/guardctl hook cursor --socket '{tmp_path}/a b.sock'" in text
    assert guardctl("install", "cursor", "--uninstall", "--yes").exit_code == 0
    assert "guardctl" not in (home / ".cursor/hooks.json").read_text()


def test_a_project_has_settings_of_its_own(
    guardctl: Any, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    result = guardctl("install", "claude-code", "--project", "--yes")
    assert (tmp_path / ".claude/settings.json").exists()
    assert not (home / ".claude").exists()
    assert "this machine's" in result.stderr
    assert guardctl("install", "claude-code", "--project", "--config", "x").exit_code == 2


@pytest.mark.parametrize(
    ("name", "file", "text", "words"),
    [
        ("claude-code", ".claude/settings.json", '{"disableAllHooks": true}', "disableAllHooks is true"),
        (
            "gemini-cli",
            ".gemini/settings.json",
            '{"hooksConfig": {"enabled": false}}',
            "hooksConfig.enabled is false",
        ),
    ],
)
def test_hooks_that_are_switched_off_are_told(
    guardctl: Any, write: Any, name: str, file: str, text: str, words: str
) -> None:
    write(file, text)
    assert words in guardctl("install", name, "--dry-run").stderr


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('{"hooks": []}', "hooks is not an object"),
        ('{"hooks": {"PreToolUse": {}}}', "hooks.PreToolUse is not a list"),
        ('{"hooks": ', "not valid JSON5"),
        ("[]", "expected an object"),
        ("", "the file is empty"),
        (b'{"a": "\xff"}', "line 1: not UTF-8 (byte 0xff)"),
    ],
)
def test_settings_that_cannot_be_edited_are_left_alone(
    guardctl: Any, write: Any, backups: Any, text: str | bytes, words: str
) -> None:
    file = write(".codex/hooks.json", text)
    before = file.read_bytes()
    result = guardctl("install", "codex", "--yes")
    assert result.exit_code == 1
    assert result.stderr.startswith(f"guardctl: {file}")
    assert words in result.stderr
    assert "Nothing was changed" in result.stderr
    assert (file.read_bytes(), backups(file)) == (before, [])
