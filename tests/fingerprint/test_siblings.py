import pytest

from guardd.fingerprint.siblings import is_cancelled_sibling


@pytest.mark.parametrize(
    "error",
    [
        "Sibling tool call errored",
        "Error: Sibling tool call errored",
        "<tool_use_error>Sibling tool call errored</tool_use_error>",
        "Cancelled: parallel tool call errored",
        "Cancelled: parallel tool call Bash(mkdir build) errored",
        "Canceled: parallel tool call mcp__github__get_pull_request errored",
        '<tool_use_error>Cancelled: parallel tool call PowerShell(ls "H:\\x…) errored</tool_use_error>\n',
        "<tool_use_error>Cancelled: parallel tool call Bash(cat <<EOF\nx…) errored</tool_use_error>",
        "Tool execution was cancelled because another tool call failed.",
        "Tool not executed because another tool call in the same assistant turn was invalid.",
        "Tool call canceled because another tool call bash was rejected",
        "This tool call was not executed because another tool call in the same response had invalid arguments.",
    ],
)
def test_errors_of_cancelled_siblings(error: str):
    assert is_cancelled_sibling(error)
    assert is_cancelled_sibling(error.encode())


@pytest.mark.parametrize(
    "error",
    [
        "",
        "Cancelled",
        "Cancelled by the user",
        "Exit code 1\nSibling tool call errored",
        "Sibling tool call errored: see the log",
        "grep: Cancelled: parallel tool call Bash(x) errored",
        "Cancelled: parallel tool call Bash(x) errored\nExit code 1",
        "Skipped due to queued user message.",
        "Tool bash not found",
        "Tool call failed because another tool call holds the lock",
        "Cancelled: parallel tool call " + "x" * 500 + " errored",
        b"\xff",
    ],
)
def test_other_errors(error: str | bytes):
    assert not is_cancelled_sibling(error)


def test_great_errors_are_read_in_linear_time():
    """Quadratic time would be longer than a test may take."""
    for unit in ("Cancelled: parallel tool call ", " ", "<tool_use_error>", "errored "):
        assert not is_cancelled_sibling(unit * (1_000_000 // len(unit)))
        assert not is_cancelled_sibling(unit * (600 // len(unit)))
