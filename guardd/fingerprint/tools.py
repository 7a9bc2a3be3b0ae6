"""What guardd knows of tools: which calls are polls, and which only send."""

from collections.abc import Collection
from typing import Final

from guardd.fingerprint.arguments import Arguments

_POLL_TOOLS: Final = frozenset(
    {
        "command_status",
        # Those of coding agents, which ask how a command or a sub-agent in the background is getting on:
        "TaskOutput",  # Claude Code, and what it has called this before
        "BashOutput",
        "BashOutputTool",
        "AgentOutput",
        "AgentOutputTool",
        "wait_agent",  # Codex CLI, which shows it to hooks with its namespace in front
        "collaborationwait_agent",
        "multi_agent_v1wait_agent",
        "AwaitShell",  # Cursor
        "Await",
        "read_bash",  # GitHub Copilot CLI
        "read_powershell",
        "read_agent",
        "read_background_output",  # Gemini CLI
    }
)
TOOLS_WITH_ACTIONS: Final = frozenset({"process", "message"})
"""What a call of these is, and which parts of its result count, its argument `action` says."""
_PROCESS_POLLS: Final = frozenset({"poll", "log"})
_SENDING_TOOL: Final = "sessions_send"
_MESSAGE_SENDS: Final = frozenset(
    {
        "send",
        "broadcast",
        "reply",
        "thread-reply",
        "sendWithEffect",
        "sendAttachment",
        "upload-file",
        "sticker",
        "poll",
    }
)


class Tools:
    """The known tools, and those that the configuration adds.

    Args:
        sending: Names of further tools that only send.
        polls: Names of further tools that are polls.

    Attributes:
        polls: All tools that are polls, whatever they are asked.
    """

    def __init__(self, sending: Collection[str] = (), polls: Collection[str] = ()) -> None:
        self._sending = frozenset({_SENDING_TOOL, *sending})
        self.polls = _POLL_TOOLS.union(polls)

    def is_poll(self, tool: str, arguments: Arguments) -> bool:
        """Say whether a call asks how something is getting on, so that repeating it is its nature."""
        return tool in self.polls or (tool == "process" and _action_in(arguments, _PROCESS_POLLS))

    def is_sending(self, tool: str, arguments: Arguments) -> bool:
        """Say whether a call only sends, so that its result carries ids and times of its own."""
        return tool in self._sending or (tool == "message" and _action_in(arguments, _MESSAGE_SENDS))


def _action_in(arguments: Arguments, actions: frozenset[str]) -> bool:
    action = arguments.get("action")
    return isinstance(action, str) and action in actions
