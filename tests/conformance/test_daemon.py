"""Every labelled event through a live daemon that is killed when each stream and case is half done."""

import pytest
from support import labelled
from support.daemon import Daemon

ITEMS = labelled.load("cases") + labelled.load("streams")
OPENCLAW_ITEMS = labelled.load("cases", labelled.OPENCLAW) + labelled.load("streams", labelled.OPENCLAW)[::3]
PARTS = 4


@pytest.mark.parametrize("part", range(PARTS))
def test_labelled_events_with_a_kill_in_the_middle(tmp_path, part):
    items = ITEMS[part::PARTS]
    agents = [{"id": item.id, "tools": {"loopDetection": labelled.resolved(item)}} for item in items]
    with Daemon(tmp_path, {"agents": {"list": agents}}).start() as daemon:
        for item in items:
            play(daemon, item, item.events[: len(item.events) // 2])
        daemon.restart()
        for item in items:
            play(daemon, item, item.events[len(item.events) // 2 :])
        assert daemon.ask("db.check") == {"ok": True, "problems": []}


def test_openclaw_events_with_a_kill_in_the_middle(tmp_path):
    config = {"tools": {"loopDetection": {"enabled": True}}, "guardd": {"profile": labelled.OPENCLAW}}
    assert all(item.config == config for item in OPENCLAW_ITEMS)
    with Daemon(tmp_path, config).start() as daemon:
        for item in OPENCLAW_ITEMS:
            play(daemon, item, item.events[: len(item.events) // 2])
        daemon.restart()
        for item in OPENCLAW_ITEMS:
            play(daemon, item, item.events[len(item.events) // 2 :])


def play(daemon: Daemon, item: labelled.Labelled, events: list[labelled.Json]) -> None:
    with daemon.connect() as client:
        for event in events:
            method, params = labelled.request(event, item.id, f"{item.id}/")
            answer = client.ask(method, **params)
            assert labelled.observed(event, answer) == event["expect"], (item.id, event)


def test_labelled_outcomes_with_a_kill_between_the_two_of_each_pair(tmp_path):
    """A guard armed for two outcomes aborts at the second exactly if it is the same."""
    config = {"tools": {"loopDetection": {"postCompactionGuard": {"windowSize": 2}}}}
    pairs = labelled.load_pairs("outcomes")
    assert len(pairs) == 78
    with Daemon(tmp_path, config).start() as daemon:
        for number, pair in enumerate(pairs):
            daemon.ask("compaction.record", runId=f"pair-{number}")
            assert report(daemon, number, pair, "a") == "allow"
        daemon.restart()
        for number, pair in enumerate(pairs):
            assert report(daemon, number, pair, "b") == ("abort" if pair["same"] else "allow"), pair["name"]


def report(daemon: Daemon, number: int, pair: labelled.Json, side: str) -> str:
    asked = {"runId": f"pair-{number}", "toolName": pair["tool"], "args": pair["args"]}
    return daemon.ask("tool.after", **asked, **pair[side])["action"]
