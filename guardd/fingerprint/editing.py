"""Which tools edit files, by the names that the supported agents give them."""

import re
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
"""The tools that edit files, without those that the configuration adds."""

TOOLS_WITH_COMMANDS: Final = frozenset(
    {"str_replace_editor", "str_replace_based_edit_tool", "file_editor", "text_editor"}
)
EDITING_COMMANDS: Final = frozenset({"create", "write", "str_replace", "insert", "undo_edit"})
"""What the argument `command` of such a tool says when it edits; ``view`` does not."""

_OF_GEMINI: Final = re.compile(r"mcp_[^_]+_(.+)")


def is_editing(tool: str, arguments: Arguments, further: Collection[str] = ()) -> bool:
    """Say whether a call edits a file.

    Args:
        tool: The tool's name.
        arguments: Its arguments; with ``dryRun`` MCP's server of files only shows what an edit would do.
        further: Names of further tools that edit, from the configuration.
    """
    if not is_editor(tool, further) or arguments.get("dryRun") is True:
        return False
    if short_name(tool) not in TOOLS_WITH_COMMANDS:
        return True
    command = arguments.get("command")
    return isinstance(command, str) and command in EDITING_COMMANDS


def is_editor(tool: str, further: Collection[str] = ()) -> bool:
    """Say whether a tool edits files.

    Args:
        tool: The tool's name.
        further: Names of further tools that edit, from the configuration, with or without their MCP server.
    """
    return is_listed(tool, EDITING_TOOLS) or tool in further or short_name(tool) in further


def is_listed(tool: str, names: Collection[str]) -> bool:
    """Say whether a list of ours has a tool, as it is named or without its MCP server.

    A server's ``create`` or ``write`` may be of anything, so only names of several words are looked up without it.
    """
    name = short_name(tool)
    return tool in names or ("_" in name and name in names)


def short_name(tool: str) -> str:
    """Give a tool's name without the MCP server that it belongs to, to be looked up in a list.

    Most agents call it ``mcp__server__tool``, Cursor ``MCP:tool``, Gemini CLI ``mcp_server_tool`` and GitHub
    Copilot CLI ``server-tool``; of any other name with a hyphen, what stands behind its last one is given too.
    """
    if "__" in tool:
        return tool.rpartition("__")[2]
    if tool.startswith("MCP:"):
        return tool.removeprefix("MCP:")
    if of_gemini := _OF_GEMINI.fullmatch(tool):
        return of_gemini[1]
    return tool.rpartition("-")[2]
