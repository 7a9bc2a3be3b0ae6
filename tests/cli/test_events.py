import json
import signal
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest

Make = Callable[..., dict[str, Any]]

SCREEN = """\
AGO   RUN                                   SEQ  ACTION  DETECTOR        COUNT  TOOL                         AGENT
30 s  3f2a9c71-0000-4000-8000-000000000001   30  BLOCK   generic_repeat  20/20  exec                         main
40 s  other                                  20  WARN    ping_pong       10/10  read_file + list\\tdirectory  b
50 s  3f2a9c71-0000-4000-8000-000000000001       ABORT   operator               exec                         main
51 s  3f2a9c71-0000-4000-8000-000000000001    9  (WARN)  generic_repeat  10/10  exec                         main
"""


@pytest.fixture
def some_events(make_event: Make) -> list[dict[str, Any]]:
    return [
        make_event(30, action="block", level="critical", count=20, threshold=20),
        make_event(
            20,
            run="other",
            agentId="b",
            detector="ping_pong",
            toolName="read_file",
            pairedToolName="list\tdirectory",
        ),
        make_event(
            None, action="abort", detector="operator", count=0, threshold=0, at="2026-03-01T11:00:10.000Z"
        ),
        make_event(9, action="allow", wouldBe="warn"),
    ]


def test_events_are_listed_newest_first(
    daemon: Any, guardctl: Any, some_events: list[dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("guardd.cli.times.now", lambda: datetime(2026, 3, 1, 11, 1, tzinfo=UTC))
    daemon.answers["event.list"] = {"events": some_events}
    result = guardctl("events")
    assert result.stdout == SCREEN
    assert daemon.params("event.list") == [{"limit": 100}]


def test_json_is_the_list_as_it_came(daemon: Any, guardctl: Any, some_events: list[dict[str, Any]]) -> None:
    daemon.answers["event.list"] = {"events": some_events, "nextCursor": "x"}
    result = guardctl("events", "--json", "--limit", "4")
    assert json.loads(result.stdout) == some_events
    assert result.stderr == "There are more events than these 4: --limit all shows them.\n"


def test_nothing_detected_says_so(daemon: Any, guardctl: Any) -> None:
    daemon.answers["event.list"] = {"events": []}
    assert guardctl("events").stderr == "No events: nothing has looped yet.\n"
    result = guardctl("events", "--level", "critical", "--run", "latest", "--detector", "ping_pong")
    assert result.stderr == "No event is like that.\n"
    assert daemon.params("event.list")[1] == {
        "run": "latest",
        "detector": "ping_pong",
        "level": "critical",
        "limit": 100,
    }
    assert guardctl("events", "--json").stdout == "[]\n"


def test_a_detector_that_does_not_exist_is_a_usage_error(guardctl: Any) -> None:
    result = guardctl("events", "--detector", "pingpong")
    assert result.exit_code == 2
    assert "'ping_pong'" in result.stderr


@pytest.mark.parametrize("command", [["events"], ["history", "latest"]])
def test_a_file_cannot_be_followed(guardctl: Any, command: list[str]) -> None:
    result = guardctl(*command, "--follow", "--db", "x.db")
    assert result.exit_code == 2
    assert "--follow asks a daemon" in result.stderr


def test_followed_events_come_as_lines_until_interrupted(
    daemon: Any, guardctl_process: Any, make_event: Make
) -> None:
    listed = [make_event(3), make_event(2)]
    coming = [make_event(3), make_event(4), make_event(5)]
    daemon.answers |= {"event.watch": {}, "event.list": {"events": listed}}
    daemon.after_reply["event.watch"] = coming
    process = guardctl_process("events", "--follow", "--json", "--level", "warning")
    assert [json.loads(process.stdout.readline())["seq"] for _ in range(4)] == [2, 3, 4, 5]
    process.send_signal(signal.SIGINT)
    assert process.communicate()[1].strip() == ""
    assert process.returncode == 130
    assert daemon.params("event.watch") == [{"level": "warning"}]


def test_followed_events_are_a_table_that_grows(daemon: Any, guardctl_process: Any, make_event: Make) -> None:
    daemon.answers |= {"event.watch": {}, "event.list": {"events": []}}
    daemon.after_reply["event.watch"] = [make_event(4), make_event(5, action="abort")]
    process = guardctl_process("events", "--follow")
    lines = [process.stdout.readline() for _ in range(3)]
    assert lines[0].split() == ["TIME", "RUN", "SEQ", "ACTION", "DETECTOR", "COUNT", "TOOL", "AGENT"]
    assert [line[: lines[0].index("SEQ")] == lines[1][: lines[0].index("SEQ")] for line in lines] == [
        False,
        True,
        False,
    ]
    assert [line.split()[3] for line in lines[1:]] == ["WARN", "ABORT"]
