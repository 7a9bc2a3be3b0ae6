import json

import pytest

from guardd.fingerprint import Arguments
from guardd.fingerprint.editing import EDITING_TOOLS, TOOLS_WITH_COMMANDS, is_editing


@pytest.mark.parametrize(
    ("tool", "command", "expected"),
    [
        ("write", None, True),
        ("edit", None, True),
        ("Edit", None, True),
        ("apply_patch", None, True),
        ("mcp__files__edit_file", None, True),
        ("files__write_file", None, True),
        ("read", None, False),
        ("bash", None, False),
        ("EDIT", None, False),
        ("mcp__files__read_file", None, False),
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
    ],
)
def test_tools_that_edit(tool: str, command: object, expected: bool):  # noqa: FBT001
    arguments = Arguments.parse(json.dumps({"command": command, "path": "a"}).encode())
    assert is_editing(tool, arguments) is expected


def test_the_configuration_may_name_others():
    arguments = Arguments.parse(None)
    assert is_editing("mine", arguments, ["mine"])
    assert is_editing("mcp__my__mine", arguments, ["mine"])
    assert is_editing("mcp__my__mine", arguments, ["mcp__my__mine"])
    assert not is_editing("mcp__other__mine", arguments, ["mcp__my__mine"])
    assert not is_editing("edit", arguments, ["mine"])


def test_tools_with_commands_are_among_those_that_edit():
    assert TOOLS_WITH_COMMANDS < EDITING_TOOLS
