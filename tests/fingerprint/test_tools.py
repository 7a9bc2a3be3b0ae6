import pytest

from guardd.fingerprint import Arguments
from guardd.fingerprint.tools import Tools

POLLS = [
    "command_status", "TaskOutput", "BashOutput", "BashOutputTool", "AgentOutput", "AgentOutputTool", "wait_agent",
    "collaborationwait_agent", "multi_agent_v1wait_agent", "AwaitShell", "Await", "read_bash", "read_powershell",
    "read_agent", "read_background_output",
]  # fmt: skip


@pytest.mark.parametrize("tool", POLLS)
def test_tools_that_poll_whatever_they_are_asked(tool: str):
    assert Tools().is_poll(tool, Arguments.parse(None))


def test_they_are_named_as_the_database_is_asked_by_them():
    assert Tools().polls == set(POLLS)
    assert Tools(polls=["mine"]).polls == {*POLLS, "mine"}


@pytest.mark.parametrize(
    "tool", ["Shell", "await", "waitagent", "spawn_agent", "Bash", "read", "process", "mine"]
)
def test_other_tools_do_not(tool: str):
    assert not Tools().is_poll(tool, Arguments.parse(None))
