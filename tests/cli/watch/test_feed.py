"""The feed by a clock of the test's, over a scripted daemon."""

import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from support.daemon import eventually

from guardd.cli.watch import feed as module
from guardd.cli.watch.feed import Feed
from guardd.cli.watch.model import BEGINNING, Model, Trouble

Make = Callable[..., dict[str, Any]]


class Fed:
    """A model, its feed, and the time."""

    def __init__(self, path: str, filters: dict[str, Any]) -> None:
        self.model = Model(None, 0)
        self.feed = Feed(self.model, path, filters, 7)
        self.now = 0.0

    def step(self) -> None:
        self.feed.tick(self.now)
        self.feed.read(self.now)

    def until(self, condition: Callable[[], Any], *, passing: float = 0.0) -> None:
        """Go on until a condition holds, with time passing or standing still."""

        def goes_on() -> Any:
            self.now += passing
            self.step()
            return condition()

        eventually(goes_on)


@pytest.fixture
def fed(daemon: Any, make_run: Make, monkeypatch: pytest.MonkeyPatch) -> Iterator[Fed]:
    monkeypatch.setattr(module, "PAUSE", 0.0)
    daemon.answers |= {
        "server.status": {"version": "1"},
        "run.list": {"runs": [make_run("r")]},
        "event.watch": {},
    }
    made = Fed(str(daemon.path), {"looping": True})
    yield made
    made.feed.close()


def test_it_asks_once_a_second_and_never_once_an_event(daemon: Any, fed: Fed, make_event: Make):
    daemon.after_reply["event.watch"] = [make_event(seq) for seq in range(500)]
    fed.until(lambda: fed.model.status)
    assert [run["run"] for run in fed.model.runs] == ["r"]
    assert daemon.params("run.list") == [{"looping": True, "limit": 7}]
    assert daemon.params("event.watch") == [{"since": BEGINNING}]
    fed.now = 0.9
    fed.until(lambda: fed.model.counts["warn"] == 500)
    assert len(daemon.params("server.status")) == 1
    fed.now = 1.0
    fed.until(lambda: len(daemon.params("server.status")) == 2)
    assert fed.model.trouble is None


def test_events_are_looked_for_now_and_then(fed: Fed, monkeypatch: pytest.MonkeyPatch):
    fed.until(lambda: fed.model.status)
    monkeypatch.setattr(module, "PAUSE", 0.03)
    fed.now = 0.5
    fed.step()
    assert len(fed.feed.sockets(fed.now)) == 1
    assert fed.feed.due(fed.now) == 0.53
    later = 0.53
    assert len(fed.feed.sockets(later)) == 2
    assert fed.feed.due(later) == 1.0


def test_a_daemon_that_went_away_is_looked_for_and_caught_up_with(daemon: Any, fed: Fed, make_event: Make):
    daemon.after_reply["event.watch"] = [make_event(1), make_event(2)]
    fed.until(lambda: fed.model.status and fed.model.counts["warn"] == 2, passing=0.01)
    daemon.stop()
    fed.until(lambda: fed.model.trouble)
    went = fed.now
    assert fed.model.trouble == Trouble(module.AWAY, went)
    assert fed.feed.sockets(went) == []
    assert fed.feed.due(went) == went + module.RETRY
    fed.now += 60
    fed.step()
    assert fed.model.trouble == Trouble(module.AWAY, went)
    daemon.after_reply["event.watch"] = [make_event(2), make_event(3), make_event(4)]
    daemon.start()
    fed.until(lambda: fed.model.trouble is None, passing=0.1)
    fed.until(lambda: fed.model.counts["warn"] == 4, passing=0.1)
    assert daemon.params("event.watch")[-1] == {"since": make_event(2)["at"]}


def test_a_daemon_whose_clock_was_set_back_is_caught_up_with(daemon: Any, fed: Fed, make_event: Make):
    future, present = "2999-01-01T00:00:00.000Z", "2026-03-01T11:00:00.000Z"
    fed.model.begin([make_event(1, at=future)])
    daemon.answers["server.status"] = {"version": "1", "time": present}
    fed.until(lambda: fed.model.status)
    daemon.stop()
    fed.until(lambda: fed.model.trouble)
    daemon.after_reply["event.watch"] = [make_event(1, at=future), make_event(2, at=present)]
    daemon.start()
    fed.until(lambda: fed.model.counts["warn"] == 1, passing=0.1)
    assert [params["since"] for params in daemon.params("event.watch")] == [future, present]


def test_a_daemon_that_does_not_answer_is_said_and_asked_no_more(daemon: Any, fed: Fed):
    fed.until(lambda: fed.model.status)
    go_on = threading.Event()
    daemon.answers["server.status"] = lambda _: go_on.wait(30) and {"version": "2"}
    fed.now = 1.0
    fed.until(lambda: len(daemon.params("server.status")) == 2)
    fed.until(lambda: fed.model.trouble, passing=0.5)
    assert fed.model.trouble == Trouble(module.SILENT, 1.0)
    assert fed.now >= 1.0 + module.SILENCE
    assert len(daemon.params("server.status")) == 2
    go_on.set()
    fed.until(lambda: fed.model.trouble is None)
    assert fed.model.status == {"version": "2"}


@pytest.mark.parametrize("method", ["event.watch", "run.list", "server.status"])
def test_an_error_is_said_until_it_is_over(daemon: Any, fed: Fed, refuse: Any, method: str):
    answer = daemon.answers[method]
    daemon.answers[method] = refuse(-32000, "the disk is full", kind="storage_unavailable")
    fed.until(lambda: fed.model.trouble)
    assert fed.model.trouble is not None
    assert "the disk is full" in fed.model.trouble.text
    daemon.answers[method] = answer
    fed.until(lambda: fed.model.trouble is None, passing=0.2)
