from typing import Any

import pytest

from guardd.cli.watch import snapshot


class Scripted:
    """Answers like a daemon, and remembers what it was asked."""

    def __init__(self, answers: dict[str, Any]) -> None:
        self.answers = answers
        self.asked: dict[str, Any] = {}

    def request(self, method: str, params: dict[str, Any]) -> Any:
        self.asked[method] = dict(params)
        return self.answers[method]


@pytest.fixture
def scripted(make_run: Any, make_event: Any) -> Scripted:
    events = [make_event(seq, agentId="main" if seq % 2 else "other") for seq in range(9, 0, -1)]
    return Scripted(
        {
            "server.status": {"runs": 1},
            "run.list": {"runs": [make_run("r")]},
            "event.list": {"events": events},
        }
    )


def test_it_holds_the_newest_of_everything(scripted: Scripted):
    taken = snapshot.take(scripted, {"looping": True}, 9)
    assert scripted.asked["run.list"] == {"looping": True, "limit": 9}
    assert scripted.asked["event.list"] == {"limit": 9}
    assert list(taken.document()) == ["status", "runs", "events"]
    assert [event["seq"] for event in taken.events] == [9, 8, 7, 6, 5, 4, 3, 2, 1]


def test_an_agents_events_are_looked_for_among_all(scripted: Scripted):
    taken = snapshot.take(scripted, {"agentId": "main"}, 3)
    assert scripted.asked["run.list"] == {"agentId": "main", "limit": 3}
    assert scripted.asked["event.list"] == {"limit": snapshot.LOOK_BACK}
    assert [event["seq"] for event in taken.events] == [9, 7, 5]
