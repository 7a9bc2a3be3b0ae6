"""The coding agents that run a command for each event: where their settings are, and the form of a hook in them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

TIMEOUT: Final = 5
"""Seconds that an agent waits for the hook, which itself gives up after one."""

AFTER_COMPACTION: Final = {"SessionStart": "compact"}
"""Of all that starts a session, guardd minds only a compaction."""


@dataclass(frozen=True, slots=True)
class Agent:
    """A coding agent.

    Attributes:
        name: As the hook command takes it.
        title: As people call it.
        file: The user's file, below the home directory; its first part is the agent's own directory.
        variable: The variable that names another directory than that one.
        within: Whether the variable names the directory that the agent's own one is in.
        project: The file of a project.
        events: The events that the hook understands.
        lead: What is before the command in a hook.
        command: The key of the command.
        timeout: The key of the timeout, and the timeout.
        grouped: Whether hooks are in groups, each for what a matcher matches.
        matcher: The matcher of a group for everything, where one is written.
        matchers: The matchers of events of which only some matter.
        version: The version that the file has to name.
        own: Whether the file is guardd's alone.
        switches: Keys that switch hooks off, with the value that does.
        check: How to see that the agent knows the hooks.
    """

    name: str
    title: str
    file: str
    project: str
    events: tuple[str, ...]
    check: tuple[str, str]
    lead: Mapping[str, str] = field(default_factory=lambda: {"type": "command"})
    command: str = "command"
    timeout: tuple[str, int] = ("timeout", TIMEOUT)
    variable: str | None = None
    within: bool = False
    grouped: bool = True
    matcher: str | None = None
    matchers: Mapping[str, str] = field(default_factory=dict)
    version: int | None = None
    own: bool = False
    switches: tuple[tuple[tuple[str, ...], bool], ...] = ()

    @property
    def usual_place(self) -> str:
        """The user's file as people write it."""
        return f"~/{self.file}"

    def path(self, environ: Mapping[str, str], home: str) -> Path:
        """The user's settings file."""
        place = environ.get(self.variable) if self.variable else None
        if not place:
            return Path(home, self.file)
        return Path(place, self.file if self.within else self.file.partition("/")[2])

    def entry(self, event: str, command: str) -> dict[str, Any]:
        """What is put into an event's list."""
        key, timeout = self.timeout
        hook = {**self.lead, self.command: command, key: timeout}
        if not self.grouped:
            return hook
        matcher = self.matchers.get(event, self.matcher)
        return {"hooks": [hook]} if matcher is None else {"matcher": matcher, "hooks": [hook]}


CLAUDE_CODE: Final = Agent(
    # https://code.claude.com/docs/en/hooks
    name="claude-code",
    title="Claude Code",
    file=".claude/settings.json",
    variable="CLAUDE_CONFIG_DIR",
    project=".claude/settings.json",
    events=(
        "SessionStart",
        "UserPromptSubmit",
        "PreToolUse",
        "PostToolUse",
        "PostToolUseFailure",
        "PostToolBatch",
        "PreCompact",
        "PostCompact",
        "SubagentStart",
        "SubagentStop",
        "Stop",
    ),
    matchers=AFTER_COMPACTION,
    matcher="",
    switches=((("disableAllHooks",), True),),
    check=("/hooks", "in Claude Code: the hooks that it knows"),
)

CODEX: Final = Agent(
    # https://developers.openai.com/codex/hooks; codex-rs/hooks/src/engine/discovery.rs
    name="codex",
    title="Codex CLI",
    file=".codex/hooks.json",
    variable="CODEX_HOME",
    project=".codex/hooks.json",
    events=(
        "SessionStart",
        "UserPromptSubmit",
        "PreToolUse",
        "PostToolUse",
        "PreCompact",
        "PostCompact",
        "SubagentStart",
        "SubagentStop",
        "Stop",
    ),
    matchers=AFTER_COMPACTION,
    check=("/hooks", "in Codex: look at the hooks and trust them; it runs none before"),
)

GEMINI_CLI: Final = Agent(
    # https://geminicli.com/docs/hooks/reference; its timeouts are milliseconds. No PreCompress: it fires before
    # every request to the model, whether anything is compressed or not (chatCompressionService.ts).
    name="gemini-cli",
    title="Gemini CLI",
    file=".gemini/settings.json",
    variable="GEMINI_CLI_HOME",
    within=True,
    project=".gemini/settings.json",
    events=("BeforeAgent", "BeforeTool", "AfterTool", "AfterAgent"),
    lead={"name": "guardd", "type": "command"},
    timeout=("timeout", TIMEOUT * 1000),
    switches=((("hooksConfig", "enabled"), False),),
    check=("/hooks panel", "in Gemini CLI: the hooks that it knows"),
)

CURSOR: Final = Agent(
    # https://cursor.com/docs/hooks
    name="cursor",
    title="Cursor",
    file=".cursor/hooks.json",
    project=".cursor/hooks.json",
    events=(
        "beforeSubmitPrompt",
        "preToolUse",
        "postToolUse",
        "postToolUseFailure",
        "preCompact",
        "stop",
    ),
    grouped=False,
    version=1,
    lead={},
    check=("Settings → Hooks", "in Cursor: the hooks that it knows, and what they said"),
)

COPILOT: Final = Agent(
    # https://docs.github.com/en/copilot/reference/hooks-reference: every *.json of the directory counts
    name="copilot",
    title="GitHub Copilot CLI",
    file=".copilot/hooks/guardd.json",
    variable="COPILOT_HOME",
    project=".github/hooks/guardd.json",
    events=(
        "userPromptSubmitted",
        "preToolUse",
        "postToolUse",
        "postToolUseFailure",
        "preCompact",
        "agentStop",
    ),
    grouped=False,
    version=1,
    own=True,
    command="bash",
    timeout=("timeoutSec", TIMEOUT),
    check=("copilot", "a new session runs the hooks"),
)

AGENTS: Final = {agent.name: agent for agent in (CLAUDE_CODE, CODEX, GEMINI_CLI, CURSOR, COPILOT)}
