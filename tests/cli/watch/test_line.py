from collections.abc import Iterator
from typing import Any

import pytest
from support.daemon import eventually

from guardd.cli.watch.line import Gone, Line


@pytest.fixture
def line(daemon: Any) -> Iterator[Line]:
    made = Line(str(daemon.path))
    yield made
    made.close()


def test_answers_and_events_come_without_waiting(daemon: Any, line: Line, make_event: Any):
    daemon.answers |= {"server.status": {"runs": 1}, "event.watch": {}}
    daemon.after_reply["event.watch"] = [make_event(1), make_event(2)]
    assert line.receive(0) == []
    status = line.ask("server.status", {}, 0)
    watch = line.ask("event.watch", {"since": "x"}, 0)
    events: list[dict[str, Any]] = []
    eventually(lambda: events.extend(line.receive(0)) or len(events) == 2)
    assert (status.outcome(), watch.outcome()) == ({"runs": 1}, {})
    assert [event["seq"] for event in events] == [1, 2]
    assert daemon.params("event.watch") == [{"since": "x"}]


def test_no_event_is_dropped_however_many_have_come(daemon: Any, line: Line, make_event: Any):
    daemon.answers["event.watch"] = {}
    daemon.after_reply["event.watch"] = [make_event(1)] * 6000
    line.ask("event.watch", {}, 0)
    events: list[dict[str, Any]] = []
    eventually(lambda: events.extend(line.receive(0)) or len(events) >= 6000)


def ends(line: Line) -> str:
    with pytest.raises(Gone) as gone:
        eventually(lambda: line.receive(0) and False)
    return str(gone.value)


def test_a_connection_that_ended_is_gone(daemon: Any, line: Line):
    line.ask("server.status", {}, 0)
    eventually(lambda: daemon.params("server.status"))
    daemon.stop()
    assert ends(line) == ""
    with pytest.raises(Gone):
        eventually(lambda: line.ask("server.status", {}, 0) and False)
    with pytest.raises(Gone):
        Line(str(daemon.path))


def test_one_that_says_what_is_not_understood_is_gone_too(daemon: Any, line: Line):
    line.ask("server.status", {}, 0)
    eventually(lambda: daemon.connections)
    daemon.connections[0].sendall(b"what?\n")
    assert "not understood" in ends(line)
