import json

import pytest

from guardd.fingerprint import Arguments
from guardd.fingerprint.editing import EDITING_TOOLS, TOOLS_WITH_COMMANDS, is_editing, is_editor, short_name


@pytest.mark.parametrize(
    ("tool", "command", "expected"),
    [
        ("write", None, True),
        ("edit", None, True),
        ("Edit", None, True),
        ("apply_patch", None, True),
        ("mcp__files__edit_file", None, True),
        ("files__write_file", None, True),
        ("mcp_filesystem_write_file", None, True),
        ("mcp_my-files_edit_file", None, True),
        ("filesystem-write_file", None, True),
        ("my-files-edit_file", None, True),
        ("MCP:write_file", None, True),
        ("mcp_fs_read_file", None, False),
        ("mcp_write_file", None, False),
        ("github-mcp-server-get_file_contents", None, False),
        ("playwright-browser_take_screenshot", None, False),
        ("MCP:read_file", None, False),
        ("mcp:write_file", None, False),
        ("read", None, False),
        ("bash", None, False),
        ("EDIT", None, False),
        ("mcp__files__read_file", None, False),
        ("mcp__calendar__create", None, False),
        ("process-write", None, False),
        ("find-replace", None, False),
        ("str_replace_editor", "create", True),
        ("str_replace_editor", "str_replace", True),
        ("str_replace_editor", "insert", True),
        ("str_replace_editor", "undo_edit", True),
        ("str_replace_editor", "view", False),
        ("str_replace_editor", None, False),
        ("str_replace_editor", 5, False),
        ("str_replace_editor", ["create"], False),
        ("mcp__x__text_editor", "view", False),
        ("mcp__x__text_editor", "write", True),
        ("mcp_x_text_editor", "view", False),
        ("x-text_editor", "write", True),
    ],
)
def test_tools_that_edit(tool: str, command: object, expected: bool):  # noqa: FBT001
    arguments = Arguments.parse(json.dumps({"command": command, "path": "a"}).encode())
    assert is_editing(tool, arguments) is expected


def test_the_configuration_may_name_others():
    arguments = Arguments.parse(None)
    assert is_editing("mine", arguments, ["mine"])
    assert is_editing("mcp__my__mine", arguments, ["mine"])
    assert is_editing("my-mine", arguments, ["mine"])
    assert is_editing("mcp__my__mine", arguments, ["mcp__my__mine"])
    assert not is_editing("mcp__other__mine", arguments, ["mcp__my__mine"])
    assert is_editing("edit", arguments, ["mine"]), "those that are known remain"
    assert not is_editing("read", arguments, ["mine"])


def test_of_a_tool_with_commands_the_name_alone_says_that_it_edits():
    assert is_editor("mcp__x__text_editor")
    assert is_editor("mcp__my__mine", ["mine"])
    assert not is_editor("mcp__my__mine")


@pytest.mark.parametrize(("value", "expected"), [(True, False), (False, True), (None, True), ("true", True)])
@pytest.mark.parametrize("tool", ["edit_file", "mcp__filesystem__edit_file", "filesystem-edit_file"])
def test_an_edit_that_is_only_shown_is_none(tool: str, value: object, expected: bool):  # noqa: FBT001
    arguments = Arguments.parse(json.dumps({"path": "a", "dryRun": value}).encode())
    assert is_editing(tool, arguments) is expected


@pytest.mark.parametrize(
    ("tool", "expected"),
    [
        ("write", "write"),
        ("write_file", "write_file"),
        ("mcp__my-files__write_file", "write_file"),
        ("mcp__files__some-tool", "some-tool"),
        ("mcp_files_write_file", "write_file"),
        ("mcp_my-files_some-tool", "some-tool"),
        ("mcp_files", "mcp_files"),
        ("mcp_files_", "mcp_files_"),
        ("MCP:some-tool", "some-tool"),
        ("github-mcp-server-search_code", "search_code"),
        ("web-fetch", "fetch"),
        ("files-", ""),
        ("", ""),
    ],
)
def test_the_name_without_the_server(tool: str, expected: str):
    assert short_name(tool) == expected


def test_tools_with_commands_are_among_those_that_edit():
    assert TOOLS_WITH_COMMANDS < EDITING_TOOLS
