"""`event.watch` on a real daemon: what is committed, all of it, once, in order."""

import sqlite3
import threading
import time
from collections.abc import Callable
from contextlib import closing
from typing import Any

import msgspec
import pytest
from support.daemon import Daemon, RawClient, eventually

from guardd.daemon.watching import PAGE
from guardd.protocol.errors import RunNotFound
from guardd.protocol.operator_results import Event
from guardd.times import format_rfc3339

MakeDaemon = Callable[..., Daemon]


def loop(client: RawClient, run_id: str, times: int, tool: str = "read", **scope: Any) -> None:
    """Report the same call with the same outcome: a warning from the fourth on, a block from the sixth."""
    for _ in range(times):
        client.ask("tool.before", runId=run_id, toolName=tool, **scope)
        client.ask("tool.after", runId=run_id, toolName=tool, result="same", **scope)


def events(watcher: RawClient, count: int) -> list[dict[str, Any]]:
    messages = [watcher.read_line() for _ in range(count)]
    assert all(message["method"] == "event" and "id" not in message for message in messages)
    return [message["params"] for message in messages]


def nothing_more(watcher: RawClient) -> None:
    """The next thing that comes is the reply to something new."""
    assert "result" in watcher.call("server.metrics")


def test_a_watcher_is_told_of_each_event_as_it_is_listed(shared: Daemon, run_id: str):
    with shared.connect() as watcher, shared.connect() as gateway:
        gateway.ask("tool.before", runId=run_id, toolName="other", agentId="a")
        assert watcher.ask("event.watch", run=run_id) == {}
        loop(gateway, run_id, 6)
        gateway.ask("run.abort", run=run_id, reason="enough")
        told = events(watcher, 4)
        nothing_more(watcher)
    assert [(event["seq"], event["action"], event["detector"]) for event in told] == [
        (5, "warn", "generic_repeat"),
        (6, "warn", "generic_repeat"),
        (7, "block", "generic_repeat"),
        (None, "abort", "operator"),
    ]
    assert told == shared.ask("event.list", run=run_id)["events"][::-1]
    for event in told:
        msgspec.convert(event, Event, strict=True)


def test_events_come_only_after_what_they_tell_of_is_committed(shared: Daemon, run_id: str):
    with shared.connect() as watcher, shared.connect() as gateway:
        gateway.ask("tool.before", runId=run_id, toolName="other")
        watcher.ask("event.watch", run=run_id)
        for _ in range(20):
            gateway.send_line(*(gateway.request("tool.before", runId=run_id, toolName="t") for _ in range(5)))
        for _ in range(97):
            (event,) = events(watcher, 1)
            with closing(sqlite3.connect(f"file:{shared.database}?mode=ro", uri=True)) as reader:
                (committed,) = reader.execute(
                    "select max(seq) from detections where run_id = (select id from runs where name = ?)",
                    (run_id,),
                ).fetchone()
            assert committed >= event["seq"]


@pytest.mark.parametrize(
    ("wanted", "seqs"),
    [
        ({"level": "critical"}, [6]),
        ({"level": "warning"}, [4, 5]),
        ({"detector": "generic_repeat"}, [4, 5, 6]),
        ({"detector": "ping_pong"}, []),
        ({"since": "2999-01-01T00:00:00Z"}, [4, 5, 6]),  # that is about older ones
    ],
)
def test_a_watcher_is_told_what_it_asked_for(
    shared: Daemon, run_id: str, wanted: dict[str, Any], seqs: list[int]
):
    with shared.connect() as watcher, shared.connect() as gateway:
        gateway.ask("run.start", runId=run_id)
        watcher.ask("event.watch", run=run_id, **wanted)
        loop(gateway, run_id, 6)
        assert [event["seq"] for event in events(watcher, len(seqs))] == seqs
        nothing_more(watcher)


def test_a_run_that_is_watched_must_be_known(client: RawClient):
    with pytest.raises(RunNotFound):
        client.ask("event.watch", run="nobody's")


def test_asking_again_replaces_what_was_watched(shared: Daemon, run_id: str):
    with shared.connect() as watcher, shared.connect() as gateway:
        for name in ("one", "two"):
            gateway.ask("run.start", runId=f"{run_id} {name}")
            watcher.ask("event.watch", run=f"{run_id} {name}")
        watcher.ask("event.watch", run=f"{run_id} two")
        for name in ("one", "two"):
            loop(gateway, f"{run_id} {name}", 5)
        assert [event["run"] for event in events(watcher, 2)] == [f"{run_id} two"] * 2
        nothing_more(watcher)


def test_events_and_replies_share_a_connection(shared: Daemon, run_id: str):
    """A gateway that watches its own runs gets whole lines, each reply and each event once."""
    with shared.connect() as client:
        client.ask("run.start", runId=run_id)
        client.ask("event.watch", run=run_id)
        requests = [client.request("tool.before", runId=run_id, toolName="t") for _ in range(200)]
        client.send_line(*requests)
        messages = [client.read_line() for _ in range(200 + 197)]
    replies = [message for message in messages if "id" in message]
    told = [message["params"]["seq"] for message in messages if "method" in message]
    assert [reply["id"] for reply in replies] == [request["id"] for request in requests]
    assert told == list(range(4, 201))


def test_what_a_batch_watches_comes_too(shared: Daemon, run_id: str):
    with shared.connect() as client:
        client.ask("run.start", runId=run_id)
        client.send_line([client.request("event.watch", run=run_id), client.request("server.metrics")])
        messages = [client.read_line()]
        client.send_line(*(client.request("tool.before", runId=run_id, toolName="t") for _ in range(4)))
        messages += [client.read_line() for _ in range(5)]
    assert len(messages[0]) == 2
    assert [message["params"]["seq"] for message in messages[1:] if "method" in message] == [4]


# What was before


def add_events(daemon: Daemon, run_id: str, count: int, at: int) -> None:
    """Put older events into the database of a daemon that is not running."""
    connection = sqlite3.connect(daemon.database)
    (run,) = connection.execute("select id from runs where name = ?", (run_id,)).fetchone()
    connection.executemany(
        "insert into detections (run_id, seq, action, detector, level, count, threshold, tool, notify,"
        " warning_key, observed, at) values (?, ?, 1, 'generic_repeat', 'warning', 3, 3, 't', 1, 'k', 0, ?)",
        [(run, number, at) for number in range(1, count + 1)],
    )
    connection.commit()
    connection.close()


def test_since_brings_all_older_events_first_and_none_twice(make_daemon: MakeDaemon):
    """More than fit on a page, while new ones go on happening."""
    daemon = make_daemon().start()
    daemon.ask("run.start", runId="r")
    daemon.stop()
    older = 2 * PAGE + 7
    add_events(daemon, "r", older, at=int(time.time() * 1000))
    daemon.start()
    with daemon.connect() as watcher, daemon.connect() as gateway:
        stop = threading.Event()
        happened = 0

        def go_on() -> None:
            nonlocal happened
            while not stop.is_set():
                happened += "detection" in gateway.ask("tool.before", runId="r", toolName="x")

        thread = threading.Thread(target=go_on)
        thread.start()
        eventually(lambda: happened > 0)
        assert watcher.ask("event.watch", since="2000-01-01T00:00:00Z") == {}
        told = events(watcher, older + 50)
        stop.set()
        thread.join()
        told += events(watcher, older + happened - len(told))
        nothing_more(watcher)
    assert [event["seq"] for event in told[:older]] == list(range(1, older + 1))
    assert [event["seq"] for event in told[older:]] == list(range(4, 4 + happened))


def test_since_is_a_moment(daemon: Daemon):
    daemon.ask("run.start", runId="r")
    daemon.stop()
    for at in (1000, 2000, 3000):
        add_events(daemon, "r", 1, at)
    daemon.start()
    with daemon.connect() as watcher:
        watcher.ask("event.watch", since=format_rfc3339(2000))
        assert [event["at"] for event in events(watcher, 2)] == [format_rfc3339(2000), format_rfc3339(3000)]
        nothing_more(watcher)


def test_an_event_of_the_future_holds_no_others_up(daemon: Daemon):
    """The clock was wrong when it was stored, and somebody resumes from it."""
    daemon.ask("run.start", runId="r")
    daemon.stop()
    future = 32_472_144_000_000
    add_events(daemon, "r", 1, future)
    daemon.start()
    with daemon.connect() as watcher, daemon.connect() as gateway:
        watcher.ask("event.watch", since=format_rfc3339(future))
        assert [event["at"] for event in events(watcher, 1)] == [format_rfc3339(future)]
        loop(gateway, "r", 6)
        assert [event["seq"] for event in events(watcher, 3)] == [4, 5, 6]
        nothing_more(watcher)


# A watcher that does not read


def test_a_watcher_that_does_not_read_is_closed_and_nobody_else_notices(make_daemon: MakeDaemon):
    daemon = make_daemon().start()
    with daemon.connect() as watcher, daemon.connect() as other, daemon.connect() as gateway:
        gateway.ask("run.start", runId="r")
        watcher.ask("event.watch")
        other.ask("event.watch")
        connections = daemon.ask("server.status")["connections"]
        name = "t" * 500
        sent = received = 0

        def read() -> None:
            nonlocal received
            while other.read_line()["params"]["toolName"] == name:
                received += 1

        reader = threading.Thread(target=read)
        reader.start()
        while daemon.ask("server.status")["connections"] == connections:
            sent += sum(
                reply["result"]["action"] != "allow"
                for reply in gateway.pipeline(
                    gateway.request("tool.before", runId="r", toolName=name) for _ in range(500)
                )
            )
            assert sent < 40_000
        eventually(lambda: received == sent)
        for _ in range(4):
            gateway.ask("tool.before", runId="r", toolName="last")
        reader.join()


def test_older_events_wait_for_a_watcher_that_reads_slowly(make_daemon: MakeDaemon):
    daemon = make_daemon().start()
    daemon.ask("run.start", runId="r")
    daemon.stop()
    add_events(daemon, "r", 20_000, at=int(time.time() * 1000))
    daemon.start()
    with daemon.connect() as watcher:
        watcher.ask("event.watch", since="2000-01-01T00:00:00Z")
        for _ in range(20):
            daemon.ask("tool.before", runId="other", toolName="t")
        told = events(watcher, 20_000 + 17)
    assert [event["seq"] for event in told] == [*range(1, 20_001), *range(4, 21)]
