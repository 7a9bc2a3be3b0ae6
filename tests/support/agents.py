"""Coding agents as their hooks see them: events in the shapes that were recorded of each.

Every agent makes the same calls, a shell command, in a session of its own; what it cannot say is None.
"""

import itertools
import json
from abc import ABC, abstractmethod
from typing import Any

Event = dict[str, Any]

_sessions = itertools.count(1)


class Agent(ABC):
    """An agent in one session.

    Attributes:
        name: what `guardctl hook` knows it by.
        tool: its shell.
        session: the session's id.
        turn: which prompt it is at.
    """

    name: str
    tool = "Bash"

    def __init__(self) -> None:
        self.session = f"{self.name}-session-{next(_sessions)}"
        self.turn = 1
        self._calls = 0

    def new_call(self) -> str:
        """An id for another call."""
        self._calls += 1
        return f"toolu_{self.session}_{self._calls}"

    @abstractmethod
    def before(self, call_id: str, command: str = "make test") -> Event:
        """Before a call."""

    @abstractmethod
    def after(self, call_id: str, output: str = "ok", command: str = "make test") -> Event:
        """After a call that succeeded."""

    @abstractmethod
    def failure(self, call_id: str, error: str, command: str = "make test") -> Event | None:
        """After a call that failed, where the agent tells that apart."""

    @abstractmethod
    def prompt(self) -> Event:
        """The user types something: the next turn."""

    @abstractmethod
    def compactions(self, trigger: str = "auto") -> list[Event]:
        """All events of one compaction, in order."""

    @property
    @abstractmethod
    def run(self) -> str:
        """What guardd calls the current turn."""


class ClaudeCode(Agent):
    """Claude Code; `prompt_ids` as newer releases have them."""

    name = "claude-code"

    def __init__(self, *, prompt_ids: bool = True, agent_id: str | None = None) -> None:
        super().__init__()
        self.prompt_ids = prompt_ids
        self.agent_id = agent_id

    def event(self, name: str, **fields: Any) -> Event:
        turn = {"prompt_id": f"prompt-{self.turn}"} if self.prompt_ids else {}
        agent = {"agent_id": self.agent_id, "agent_type": "Explore"} if self.agent_id else {}
        return {
            "session_id": self.session,
            "transcript_path": f"/home/u/.claude/projects/-w/{self.session}.jsonl",
            "cwd": "/w",
            "permission_mode": "default",
            "hook_event_name": name,
            **turn,
            **agent,
            **fields,
        }

    def _tool(self, call_id: str, command: str) -> Event:
        tool_input = {"command": command, "description": "Run the tests"}
        return {"tool_name": "Bash", "tool_input": tool_input, "tool_use_id": call_id}

    def before(self, call_id, command="make test"):
        return self.event("PreToolUse", **self._tool(call_id, command))

    def after(self, call_id, output="ok", command="make test"):
        response = {
            "stdout": output,
            "stderr": "",
            "interrupted": False,
            "isImage": False,
            "noOutputExpected": False,
        }
        return self.event(
            "PostToolUse", **self._tool(call_id, command), tool_response=response, duration_ms=self._calls
        )

    def failure(self, call_id, error, command="make test"):
        return self.event(
            "PostToolUseFailure",
            **self._tool(call_id, command),
            error=error,
            is_interrupt=False,
            duration_ms=self._calls,
        )

    def prompt(self):
        self.turn += 1
        return self.event("UserPromptSubmit", prompt="go on")

    def compactions(self, trigger="auto"):
        events = [
            self.event("PreCompact", trigger=trigger, custom_instructions=""),
            self.event("SessionStart", source="compact"),
            self.event("PostCompact", trigger=trigger, compact_summary="…"),
        ]
        for event in events:
            event.pop("prompt_id", None)
        return events

    @property
    def run(self):
        if self.agent_id:
            return f"{self.session}/{self.agent_id}"
        return f"{self.session}/prompt-{self.turn}" if self.prompt_ids else f"session:{self.session}"


class Codex(Agent):
    """Codex CLI."""

    name = "codex"

    def __init__(self, *, agent_id: str | None = None) -> None:
        super().__init__()
        self.agent_id = agent_id

    def event(self, name: str, **fields: Any) -> Event:
        agent = {"agent_id": self.agent_id, "agent_type": "worker"} if self.agent_id else {}
        return {
            "session_id": self.session,
            "turn_id": f"{self.session}-turn-{self.turn}",
            **agent,
            "transcript_path": None,
            "cwd": "/w",
            "hook_event_name": name,
            "model": "gpt-5",
            "permission_mode": "default",
            **fields,
        }

    def _tool(self, call_id: str, command: str) -> Event:
        return {"tool_name": "Bash", "tool_input": {"command": command}, "tool_use_id": call_id}

    def before(self, call_id, command="make test"):
        return self.event("PreToolUse", **self._tool(call_id, command))

    def after(self, call_id, output="ok", command="make test"):
        return self.event("PostToolUse", **self._tool(call_id, command), tool_response=output)

    def failure(self, _call_id, _error, _command="make test"):
        return None

    def prompt(self):
        self.turn += 1
        return self.event("UserPromptSubmit", prompt="go on")

    def compactions(self, trigger="auto"):
        start = self.event("SessionStart", source="compact")
        del start["turn_id"]
        return [self.event("PreCompact", trigger=trigger), self.event("PostCompact", trigger=trigger), start]

    @property
    def run(self):
        turn = f"{self.session}-turn-{self.turn}"
        return f"{turn}/{self.agent_id}" if self.agent_id else turn


class GeminiCli(Agent):
    """Gemini CLI."""

    name = "gemini-cli"
    tool = "run_shell_command"

    def event(self, name: str, **fields: Any) -> Event:
        return {
            "session_id": self.session,
            "transcript_path": "/home/u/.gemini/tmp/chats/session.json",
            "cwd": "/w",
            "hook_event_name": name,
            "timestamp": "2026-11-30T10:00:00.000Z",
            **fields,
        }

    def _tool(self, command: str) -> Event:
        return {"tool_name": self.tool, "tool_input": {"command": command}}

    def before(self, _call_id, command="make test"):
        return self.event("BeforeTool", **self._tool(command))

    def after(self, _call_id, output="ok", command="make test"):
        shown = f"<untrusted_context>\nOutput: {output}\nProcess Group PGID: {4000 + self._calls}\n</untrusted_context>"
        response = {"llmContent": shown, "returnDisplay": output}
        return self.event("AfterTool", **self._tool(command), tool_response=response)

    def failure(self, _call_id, error, command="make test"):
        response = {"llmContent": error, "returnDisplay": error, "error": {"message": error, "type": "x"}}
        return self.event("AfterTool", **self._tool(command), tool_response=response)

    def prompt(self):
        self.turn += 1
        return self.event("BeforeAgent", prompt="go on")

    def compactions(self, trigger="auto"):
        return [self.event("PreCompress", trigger=trigger)]

    @property
    def run(self):
        return f"session:{self.session}"


class Cursor(Agent):
    """Cursor."""

    name = "cursor"
    tool = "Shell"

    def event(self, name: str, **fields: Any) -> Event:
        return {
            "conversation_id": self.session,
            "generation_id": f"{self.session}-generation-{self.turn}",
            "model": "composer-2-fast",
            "hook_event_name": name,
            "cursor_version": "3.6.21",
            "workspace_roots": ["/w"],
            "user_email": "u@example.org",
            "transcript_path": None,
            "session_id": self.session,
            **fields,
        }

    def _tool(self, call_id: str, command: str) -> Event:
        tool_input = {"command": command, "cwd": "", "timeout": 30000}
        return {"tool_name": "Shell", "tool_input": tool_input, "tool_use_id": call_id, "cwd": ""}

    def before(self, call_id, command="make test"):
        return self.event("preToolUse", **self._tool(call_id, command))

    def after(self, call_id, output="ok", command="make test"):
        result = json.dumps({"output": output, "exitCode": 0, "executionTime": self._calls})
        return self.event(
            "postToolUse", **self._tool(call_id, command), tool_output=result, duration=79.2 + self._calls
        )

    def failure(self, call_id, error, command="make test"):
        return self.event(
            "postToolUseFailure",
            **self._tool(call_id, command),
            error_message=error,
            failure_type="error",
            duration=0,
            is_interrupt=False,
        )

    def special(self, command: str = "make test") -> tuple[Event, Event]:
        """The special hooks of the same call, before and after."""
        return (
            self.event("beforeShellExecution", command=command, cwd="/w", sandbox=True),
            self.event("afterShellExecution", command=command, output="ok", duration=79.2, sandbox=True),
        )

    def prompt(self):
        self.turn += 1
        return self.event("beforeSubmitPrompt", prompt="go on", attachments=[])

    def compactions(self, trigger="auto"):
        return [self.event("preCompact", trigger=trigger, context_usage_percent=96, context_tokens=190_000)]

    @property
    def run(self):
        return f"{self.session}-generation-{self.turn}"


class Copilot(Agent):
    """GitHub Copilot CLI; `pascal` as hooks with names in Pascal case get their events."""

    name = "copilot"
    tool = "bash"

    def __init__(self, *, pascal: bool = False) -> None:
        super().__init__()
        self.pascal = pascal

    def event(self, name: str, **fields: Any) -> Event:
        if not self.pascal:
            return {"sessionId": self.session, "timestamp": 1764500000000, "cwd": "/w", **fields}
        snake = {"toolName": "tool_name", "toolArgs": "tool_input", "toolResult": "tool_result"}
        return {
            "hook_event_name": name,
            "session_id": self.session,
            "timestamp": "2026-11-30T10:00:00.000Z",
            "cwd": "/w",
            **{snake.get(key, key): value for key, value in fields.items()},
        }

    def _tool(self, command: str) -> Event:
        args = {"command": command, "description": "Run the tests"}
        return {"toolName": "bash", "toolArgs": args if self.pascal else json.dumps(args)}

    def _result(self, kind: str, shown: str) -> Event:
        if self.pascal:
            return {"result_type": kind, "text_result_for_llm": shown}
        return {"resultType": kind, "textResultForLlm": shown}

    def before(self, _call_id, command="make test"):
        return self.event("PreToolUse", **self._tool(command))

    def after(self, _call_id, output="ok", command="make test"):
        shown = f"{output}\n<shellId: {self._calls} completed with exit code 0>"
        return self.event("PostToolUse", **self._tool(command), toolResult=self._result("success", shown))

    def failure(self, _call_id, error, command="make test"):
        return self.event("PostToolUseFailure", **self._tool(command), error=error)

    def prompt(self):
        self.turn += 1
        return self.event("UserPromptSubmit", prompt="go on")

    def compactions(self, trigger="auto"):
        return [self.event("PreCompact", trigger=trigger)]

    @property
    def run(self):
        return f"session:{self.session}"


class OlderClaudeCode(ClaudeCode):
    """A release without prompt ids."""

    def __init__(self) -> None:
        super().__init__(prompt_ids=False)


class PascalCopilot(Copilot):
    """With hooks in Pascal case."""

    def __init__(self) -> None:
        super().__init__(pascal=True)


AGENTS: tuple[type[Agent], ...] = (
    ClaudeCode,
    OlderClaudeCode,
    Codex,
    GeminiCli,
    Cursor,
    Copilot,
    PascalCopilot,
)
