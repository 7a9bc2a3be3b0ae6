import msgspec
import pytest

from guardd.protocol import operator_results as results
from guardd.protocol.errors import InvalidParams
from guardd.store.reading import list_events
from guardd.store.reading.cursors import encode_cursor
from guardd.store.reading.events import EventFilter, events_between, wire_event
from guardd.vocabulary import Action, Detector

NO_FILTER = EventFilter()


def seqs(past, wanted=NO_FILTER, limit=100, cursor=None, **options):
    return [event["seq"] for event in list_events(past.core, wanted, limit, cursor, **options)["events"]]


def test_an_event_as_it_stands_on_the_wire(past):
    run = past.run(agent="alice", source="openclaw")
    past.detection(run, 7, Action.BLOCK, Detector.PING_PONG, count=6, at=1_500, paired="write")
    (event,) = list_events(past.core, NO_FILTER, 10, None)["events"]
    message = event.pop("message")
    assert message.startswith("Blocked: the same two calls (`read` and `write`) have alternated for 6 calls")
    assert event == {
        "run": "r1",
        "source": "openclaw",
        "agentId": "alice",
        "seq": 7,
        "action": "block",
        "detector": "ping_pong",
        "level": "critical",
        "count": 6,
        "threshold": 3,
        "toolName": "read",
        "pairedToolName": "write",
        "at": "1970-01-01T00:00:01.500Z",
    }
    msgspec.convert(event | {"message": message}, results.Event, strict=True)


def test_an_operators_abort_has_no_call(past):
    past.detection(past.run(), None, Action.ABORT, Detector.OPERATOR, count=0, reason="it costs too much")
    (event,) = list_events(past.core, NO_FILTER, 10, None)["events"]
    assert (event["seq"], event["detector"], event["count"]) == (None, "operator", 0)
    assert "it costs too much" in event["message"]


@pytest.mark.parametrize("action", [Action.WARN, Action.BLOCK, Action.ABORT])
def test_what_was_observed_says_what_would_have_been(past, action):
    past.detection(past.run(), 1, action, observed=True)
    past.detection(past.run(), 2, action)
    real, observed = list_events(past.core, NO_FILTER, 10, None)["events"]
    assert (observed["action"], observed["wouldBe"]) == ("allow", action.word)
    assert real["action"] == action.word
    assert "wouldBe" not in real
    msgspec.convert(observed, results.Event, strict=True)


def test_an_event_is_the_same_watched_and_listed(past):
    run = past.run(agent="alice")
    number = past.detection(run, 7, at=1_500)
    detection, _notify, _observed = past.store.detection(number)
    (listed,) = list_events(past.core, NO_FILTER, 10, None)["events"]
    assert listed == wire_event(run.scope, "alice", 7, detection, observed=False, at=1_500)


def test_no_events_is_an_empty_list(past):
    assert list_events(past.core, NO_FILTER, 10, None) == {"events": []}


def test_newest_come_first_and_pages_hold_each_once(past):
    run = past.run()
    for seq in range(1, 8):
        past.detection(run, seq, at=1)
    found, cursor = [], None
    while True:
        page = list_events(past.core, NO_FILTER, 3, cursor)
        found.append([event["seq"] for event in page["events"]])
        cursor = page.get("nextCursor")
        if cursor is None:
            break
    assert found == [[7, 6, 5], [4, 3, 2], [1]]


def test_paging_is_stable_while_events_are_added(past):
    run = past.run()
    for seq in range(1, 5):
        past.detection(run, seq)
    first = list_events(past.core, NO_FILTER, 2, None)
    past.detection(run, 5)
    assert seqs(past, limit=2, cursor=first["nextCursor"]) == [2, 1]


def test_a_full_last_page_has_no_cursor(past):
    run = past.run()
    for seq in (1, 2):
        past.detection(run, seq)
    assert "nextCursor" not in list_events(past.core, NO_FILTER, 2, None)


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        (EventFilter(run_id=1), [3, 2, 1]),
        (EventFilter(run_id=99), []),
        (EventFilter(detector="ping_pong"), [4, 2]),
        (EventFilter(level="critical"), [3]),
        (EventFilter(level="warning", detector="ping_pong", run_id=1), [2]),
        (EventFilter(since=3), [4, 3]),
        (EventFilter(since=5), []),
    ],
)
def test_filters(past, wanted, found):
    run, other = past.run(), past.run("r2")
    assert (run.id, other.id) == (1, 2)
    past.detection(run, 1, at=1)
    past.detection(run, 2, at=2, detector=Detector.PING_PONG)
    past.detection(run, 3, Action.BLOCK, at=3)
    past.detection(other, 4, at=4, detector=Detector.PING_PONG)
    assert seqs(past, wanted) == found


def test_events_between_two_come_oldest_first(past):
    run = past.run()
    numbers = [past.detection(run, seq) for seq in (1, 2, 3, 4)]

    def between(after, up_to, limit=100, wanted=NO_FILTER):
        found = events_between(past.core, wanted, after, up_to, limit)
        assert [number for number, _event in found] == [numbers[event["seq"] - 1] for _number, event in found]
        return [event["seq"] for _number, event in found]

    assert between(0, numbers[-1]) == [1, 2, 3, 4]
    assert between(numbers[0], numbers[2]) == [2, 3]
    assert between(0, numbers[-1], limit=3) == [1, 2, 3]
    assert between(numbers[-1], numbers[-1]) == []
    assert between(0, numbers[-1], wanted=EventFilter(run_id=99)) == []


@pytest.mark.parametrize("cursor", ["nonsense", encode_cursor(1, 2), encode_cursor("after", 1)])
def test_a_cursor_of_something_else_is_refused(past, cursor):
    with pytest.raises(InvalidParams, match="cursor"):
        list_events(past.core, NO_FILTER, 3, cursor)
