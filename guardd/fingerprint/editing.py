"""Which tools edit files, by the names that the supported agents give them."""

from collections.abc import Collection
from typing import Final

from guardd.fingerprint.arguments import Arguments

EDITING_TOOLS: Final = frozenset(
    {
        # OpenClaw, pi and OpenCode
        "write",
        "edit",
        "multiedit",
        "apply_patch",  # Codex CLI too
        # Claude Code, Cursor
        "Write",
        "Edit",
        "MultiEdit",
        "NotebookEdit",
        "StrReplace",
        "ApplyPatch",
        "EditNotebook",
        "search_replace",
        "edit_file",  # MCP's server of files too
        # Gemini CLI; write_file MCP's server of files too
        "write_file",
        "replace",
        # GitHub Copilot, in the terminal and in the editor
        "create",
        "str_replace",
        "create_file",
        "insert_edit_into_file",
        "replace_string_in_file",
        "multi_replace_string_in_file",
        "edit_notebook_file",
        # SWE-agent (with edit and create)
        "insert",
        # Tools with a command, by EDITING_COMMANDS: SWE-agent, OpenHands, Anthropic's own
        "str_replace_editor",
        "str_replace_based_edit_tool",
        "file_editor",
        "text_editor",
    }
)
"""The tools that the rule on identical mutations looks at where the configuration names no others."""

TOOLS_WITH_COMMANDS: Final = frozenset(
    {"str_replace_editor", "str_replace_based_edit_tool", "file_editor", "text_editor"}
)
EDITING_COMMANDS: Final = frozenset({"create", "write", "str_replace", "insert", "undo_edit"})
"""What the argument `command` of such a tool says when it edits; ``view`` does not."""


def is_editing(tool: str, arguments: Arguments, configured: Collection[str] = EDITING_TOOLS) -> bool:
    """Say whether a call edits a file.

    Args:
        tool: The tool's name; that of an MCP server's tool (``mcp__files__write_file``) may be listed without
            what stands before the last ``__``.
        arguments: Its arguments.
        configured: The names of the tools that edit.
    """
    name = short_name(tool)
    if tool not in configured and name not in configured:
        return False
    if name not in TOOLS_WITH_COMMANDS:
        return True
    command = arguments.get("command")
    return isinstance(command, str) and command in EDITING_COMMANDS


def short_name(tool: str) -> str:
    """Give a tool's name without the MCP server that it belongs to."""
    return tool.rpartition("__")[2]
