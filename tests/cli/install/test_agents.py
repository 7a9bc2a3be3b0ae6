"""The tables of agents agree with what the hook understands."""

from importlib import import_module
from pathlib import Path

import pytest

from guardd.adapters.events import NotUnderstoodError
from guardd.adapters.hook import AGENTS as HOOKS
from guardd.cli.install.agents import AGENTS, Agent

EVENT = {
    "session_id": "s",
    "sessionId": "s",
    "conversation_id": "c",
    "turn_id": "t",
    "tool_name": "Bash",
    "tool_input": {},
    "trigger": "auto",
    "source": "compact",
}

EVERY = [(agent, event) for agent in AGENTS.values() for event in agent.events]


def test_every_agent_of_the_hook_can_be_installed() -> None:
    assert set(AGENTS) == set(HOOKS)


@pytest.mark.parametrize(
    ("agent", "event"), EVERY, ids=lambda each: each if isinstance(each, str) else each.name
)
def test_the_hook_understands_every_event(agent: Agent, event: str) -> None:
    adapter = import_module(f"guardd.adapters.{HOOKS[agent.name]}")
    try:
        of_agent = {"agent_id": "a"} if event.startswith("Subagent") else {}
        assert adapter.request({**EVENT, **of_agent, "hook_event_name": event}) is not None
    except NotUnderstoodError as error:
        pytest.fail(str(error))


@pytest.mark.parametrize(
    ("name", "variable", "expected"),
    [
        ("claude-code", None, "/home/u/.claude/settings.json"),
        ("claude-code", "CLAUDE_CONFIG_DIR", "/else/settings.json"),
        ("codex", None, "/home/u/.codex/hooks.json"),
        ("codex", "CODEX_HOME", "/else/hooks.json"),
        ("gemini-cli", None, "/home/u/.gemini/settings.json"),
        ("gemini-cli", "GEMINI_CLI_HOME", "/else/.gemini/settings.json"),
        ("cursor", None, "/home/u/.cursor/hooks.json"),
        ("copilot", None, "/home/u/.copilot/hooks/guardd.json"),
        ("copilot", "COPILOT_HOME", "/else/hooks/guardd.json"),
    ],
)
def test_the_file_is_where_the_agent_looks(name: str, variable: str | None, expected: str) -> None:
    environ = {variable: "/else"} if variable else {"CODEX_HOME": ""}
    assert AGENTS[name].path(environ, "/home/u") == Path(expected)


def test_the_form_of_a_hook_is_each_agents_own() -> None:
    entries = {name: agent.entry(agent.events[-1], "C") for name, agent in AGENTS.items()}
    assert entries == {
        "claude-code": {"matcher": "", "hooks": [{"type": "command", "command": "C", "timeout": 5}]},
        "codex": {"hooks": [{"type": "command", "command": "C", "timeout": 5}]},
        "gemini-cli": {"hooks": [{"name": "guardd", "type": "command", "command": "C", "timeout": 5000}]},
        "cursor": {"command": "C", "timeout": 5},
        "copilot": {"type": "command", "bash": "C", "timeoutSec": 5},
    }
    assert AGENTS["codex"].entry("SessionStart", "C")["matcher"] == "compact"
