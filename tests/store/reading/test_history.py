import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from guardd.protocol import operator_results as results
from guardd.protocol.errors import InvalidParams
from guardd.store.reading import run_history
from guardd.store.reading.cursors import encode_cursor
from guardd.store.reading.history import HistoryPage
from guardd.vocabulary import Action, CallEffect, CallState, Detector, MarkerKind

SIGNATURES = {letter: f"signature: {letter}".encode().ljust(16) for letter in "abc"}
ALL = HistoryPage(1000)


def history(past, run, page=ALL, cursor=None):
    return run_history(past.core, run.id, page, cursor)


def only(past, run):
    """The only call of a history."""
    (call,) = history(past, run)["calls"]
    return call


def pages(past, run, page):
    cursor, found = None, []
    while True:
        found.append(history(past, run, page, cursor))
        cursor = found[-1].get("nextCursor")
        if cursor is None:
            return found


def seqs(found):
    return [call["seq"] for call in found["calls"]]


def places(found):
    return [marker["afterSeq"] for marker in found["markers"]]


def add_calls(past, run, letters, markers=()):
    """Calls by the letter of their signature; a marker after each of those numbers."""
    for letter in [None, *letters]:
        seq = 0 if letter is None else past.call(run, signature=SIGNATURES[letter])
        for _ in range(list(markers).count(seq)):
            past.marker(run, MarkerKind.COMPACTION)


# Calls as they stand on the wire


def test_a_history_as_it_stands_on_the_wire(past):
    run = past.run(kind="session", name="main")
    past.call(run, tool="read", call_id="call_1", preview='{"path": "a"}', at=1_500, duration_ms=12)
    past.marker(run, at=2_000, window_size=3, reason="overflow", tokens_before=9)
    found = history(past, run)
    assert found == {
        "run": "session:main",
        "calls": [
            {
                "seq": 1,
                "toolName": "read",
                "toolCallId": "call_1",
                "state": "ok",
                "action": "allow",
                "detector": None,
                "count": None,
                "repeat": 1,
                "preview": '{"path": "a"}',
                "at": "1970-01-01T00:00:01.500Z",
                "durationMs": 12,
                "signature": b"signature: read.".hex(),
                "outcome": "6f",
                "missingTool": None,
                "isPoll": False,
            }
        ],
        "markers": [
            {
                "kind": "compaction",
                "afterSeq": 1,
                "armed": True,
                "windowSize": 3,
                "reason": "overflow",
                "at": "1970-01-01T00:00:02.000Z",
            }
        ],
    }
    msgspec.convert(found, results.History, strict=True)


@pytest.mark.parametrize(
    ("state", "word"),
    [
        (CallState.PENDING, "pending"),
        (CallState.BLOCKED, "blocked"),
        (CallState.OK, "ok"),
        (CallState.ERROR, "error"),
        (CallState.BLOCKED_REPORTED, "blocked"),
    ],
)
def test_states(past, state, word):
    run = past.run()
    past.call(run, state=state)
    assert only(past, run)["state"] == word


def test_what_a_replay_needs_of_a_call(past):
    run = past.run()
    past.call(run, state=CallState.ERROR, outcome=b"\x01\xff", missing_tool="nope")
    past.call(run, tool="process", asked_action="poll")
    past.call(run, tool="process", asked_action="write")
    past.call(run, tool="command_status", state=CallState.BLOCKED)
    calls = history(past, run)["calls"]
    assert [call["outcome"] for call in calls] == ["01ff", "6f", "6f", None]
    assert [call["missingTool"] for call in calls] == ["nope", None, None, None]
    assert [call["isPoll"] for call in calls] == [False, True, False, True]


def test_what_the_rules_beyond_the_documented_ones_need_of_a_call(past):
    run = past.run()
    for kept in (
        {"effect": CallEffect.CHANGES, "masked": b"\x01\xff", "beside": 7},
        {"effect": CallEffect.UNCHANGED, "failure": b"\x02"},
        {"effect": CallEffect.NONE},
        {},
    ):
        past.store.set_further(run, past.call(run), **kept)
    names = ("maskedOutcome", "changes", "failure", "unchanged", "beside")
    found = [{name: call[name] for name in names if name in call} for call in history(past, run)["calls"]]
    assert found == [
        {"maskedOutcome": "01ff", "changes": True, "beside": 7},
        {"failure": "02", "unchanged": True},
        {},
        {},
    ]
    msgspec.convert(history(past, run), results.History, strict=True)


@pytest.mark.parametrize("kind", MarkerKind)
def test_markers(past, kind):
    run = past.run()
    past.marker(run, kind)
    (marker,) = history(past, run)["markers"]
    assert (marker["kind"], marker["afterSeq"], marker["armed"], marker["windowSize"]) == (
        kind,
        0,
        False,
        None,
    )


def test_a_history_of_nothing(past):
    run = past.run()
    assert history(past, run) == {"run": "r1", "calls": [], "markers": []}


def test_a_history_is_of_one_run(past):
    run, other = past.run(), past.run("r2")
    past.call(other)
    past.marker(other)
    past.detection(other, 1, Action.ABORT)
    past.call(run)
    found = history(past, run)
    assert seqs(found) == [1]
    assert found["markers"] == []
    assert only(past, run)["action"] == "allow"


# What a call was answered


@pytest.mark.parametrize("action", [Action.WARN, Action.BLOCK, Action.ABORT])
def test_what_a_call_was_answered(past, action):
    run = past.run()
    number = past.detection(run, 1, action, Detector.PING_PONG, count=7)
    past.call(run, detection_id=number)
    call = only(past, run)
    assert (call["action"], call["detector"], call["count"]) == (action.word, "ping_pong", 7)
    assert "wouldBe" not in call


def test_what_was_only_observed(past):
    run = past.run()
    past.call(run, detection_id=past.detection(run, 1, Action.BLOCK, observed=True))
    call = only(past, run)
    assert (call["action"], call["wouldBe"], call["detector"]) == ("allow", "block", "generic_repeat")
    msgspec.convert(history(past, run), results.History, strict=True)


def test_an_abort_that_came_with_the_outcome_stands_above_the_warning_before(past):
    run = past.run()
    past.call(run, detection_id=past.detection(run, 1, Action.WARN))
    past.detection(run, 1, Action.ABORT, Detector.COMPACTION_LOOP_PERSISTED)
    past.call(run, detection_id=past.detection(run, 2, Action.WARN))
    aborted, warned = history(past, run)["calls"]
    assert (aborted["action"], aborted["detector"]) == ("abort", "compaction_loop_persisted")
    assert (warned["action"], warned["detector"]) == ("warn", "generic_repeat")


def test_attempts_after_an_abort_show_it(past):
    run = past.run()
    number = past.detection(run, 1, Action.ABORT)
    for _ in range(2):
        past.call(run, state=CallState.BLOCKED, detection_id=number)
    assert [call["action"] for call in history(past, run)["calls"]] == ["abort", "abort"]


# Repeats


@pytest.mark.parametrize(
    ("letters", "repeats"),
    [
        ("a", [1]),
        ("aaa", [1, 2, 3]),
        ("aabba", [1, 2, 1, 2, 1]),
        ("abab", [1, 1, 1, 1]),
        ("abbbc", [1, 1, 2, 3, 1]),
    ],
)
def test_repeats_count_calls_in_a_row(past, letters, repeats):
    run = past.run()
    add_calls(past, run, letters)
    assert [call["repeat"] for call in history(past, run)["calls"]] == repeats


def test_a_page_that_begins_in_a_streak_counts_from_its_beginning(past):
    run = past.run()
    add_calls(past, run, "baaaa")
    assert [call["repeat"] for call in history(past, run, HistoryPage(2))["calls"]] == [3, 4]
    assert [call["repeat"] for call in history(past, run, HistoryPage(2, after_seq=2))["calls"]] == [2, 3]
    assert [call["repeat"] for call in history(past, run, HistoryPage(1, before_seq=5))["calls"]] == [3]


def test_repeats_count_what_is_stored_and_not_the_gaps(past):
    """Of a long run the oldest calls are deleted, but for those that a guard has counted."""
    run = past.run()
    add_calls(past, run, "baaaaa")
    for gone in ((3, 4), (2, 2), (1, 1)):
        past.database.connection.execute("delete from calls where seq between ? and ?", gone)
        whole = [call["repeat"] for call in history(past, run)["calls"]]
        assert [call["repeat"] for call in history(past, run, HistoryPage(1))["calls"]] == whole[-1:]
    assert whole == [1, 2]


def test_repeats_count_over_a_reset_and_whatever_the_outcome(past):
    run = past.run()
    past.call(run)
    past.reset(run)
    past.call(run, state=CallState.ERROR)
    past.call(run, state=CallState.BLOCKED)
    assert [call["repeat"] for call in history(past, run)["calls"]] == [1, 2, 3]


# Pages


def test_without_more_the_newest_come_in_order(past):
    run = past.run()
    add_calls(past, run, "abcabc")
    assert seqs(history(past, run, HistoryPage(3))) == [4, 5, 6]
    assert seqs(history(past, run, HistoryPage(3, before_seq=5))) == [2, 3, 4]
    assert seqs(history(past, run, HistoryPage(3, after_seq=1))) == [2, 3, 4]
    assert seqs(history(past, run, HistoryPage(9, after_seq=1, before_seq=4))) == [2, 3]


def test_markers_stand_before_the_later_of_two_pages(past):
    run = past.run()
    add_calls(past, run, "abcabc", markers=[0, 2, 4, 6])
    backwards = pages(past, run, HistoryPage(2))
    assert [seqs(page) for page in backwards] == [[5, 6], [3, 4], [1, 2]]
    assert [places(page) for page in backwards] == [[4, 6], [2], [0]]
    forwards = pages(past, run, HistoryPage(2, after_seq=0))
    assert [seqs(page) for page in forwards] == [[1, 2], [3, 4], [5, 6]]
    assert [places(page) for page in forwards] == [[0], [2], [4, 6]]


def test_markers_of_one_place_come_in_the_order_they_happened(past):
    run = past.run()
    past.call(run)
    for kind in (MarkerKind.DAEMON_RESTART, MarkerKind.COMPACTION, MarkerKind.RESET):
        past.marker(run, kind)
    assert [marker["kind"] for marker in history(past, run)["markers"]] == [
        "daemon_restart", "compaction", "reset",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("page", "found"),
    [
        (HistoryPage(5, after_seq=3), [3]),
        (HistoryPage(5, after_seq=4), []),
        (HistoryPage(5, before_seq=1), []),
        (HistoryPage(5, before_seq=0), []),
        (HistoryPage(5, after_seq=1, before_seq=2), []),
        (HistoryPage(5, after_seq=1, before_seq=3), [1]),
        (HistoryPage(5, before_seq=3), [0, 1]),
        (HistoryPage(5, before_seq=100), [0, 1, 3]),
        (HistoryPage(5, after_seq=2**63 - 1), []),
        (HistoryPage(5, before_seq=2**63 - 1), [0, 1, 3]),
    ],
)
def test_markers_of_a_part(past, page, found):
    run = past.run()
    add_calls(past, run, "abc", markers=[0, 1, 3])
    assert places(history(past, run, page)) == found


def test_paging_back_is_stable_while_calls_are_added(past):
    run = past.run()
    add_calls(past, run, "abcabc")
    first = history(past, run, HistoryPage(2))
    add_calls(past, run, "abc")
    assert seqs(history(past, run, HistoryPage(2), first["nextCursor"])) == [3, 4]


def test_paging_on_finds_what_was_added(past):
    run = past.run()
    add_calls(past, run, "abc")
    first = history(past, run, HistoryPage(2, after_seq=0))
    add_calls(past, run, "ab")
    assert seqs(history(past, run, HistoryPage(9, after_seq=0), first["nextCursor"])) == [3, 4, 5]


def test_a_cursor_holds_within_what_was_asked_for(past):
    run = past.run()
    add_calls(past, run, "abcabc")
    found = pages(past, run, HistoryPage(2, after_seq=1, before_seq=6))
    assert [seqs(page) for page in found] == [[2, 3], [4, 5]]


@pytest.mark.parametrize(
    "cursor",
    [
        "nonsense",
        encode_cursor(1),
        encode_cursor(1, 2),
        encode_cursor("between", 1),
        encode_cursor("after", "x"),
        encode_cursor("before", 2**63),
    ],
)
def test_a_cursor_of_something_else_is_refused(past, cursor):
    run = past.run()
    past.call(run)
    with pytest.raises(InvalidParams, match="cursor"):
        history(past, run, ALL, cursor)


@given(
    letters=st.text("ab", max_size=12),
    marks=st.lists(st.integers(0, 12), max_size=5),
    limit=st.integers(1, 5),
    forwards=st.booleans(),
)
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_pages_in_either_direction_are_the_whole(past, letters, marks, limit, forwards):
    run = past.run(f"{letters}{marks}{limit}{forwards}")
    past.database.connection.execute("delete from calls where run_id = ?", (run.id,))
    past.database.connection.execute("delete from markers where run_id = ?", (run.id,))
    add_calls(past, run, letters, marks)
    whole = history(past, run)
    found = pages(past, run, HistoryPage(limit, after_seq=0) if forwards else HistoryPage(limit))
    if not forwards:
        found.reverse()
    assert [call for page in found for call in page["calls"]] == whole["calls"]
    assert [marker for page in found for marker in page["markers"]] == whole["markers"]
    assert places(whole) == sorted(mark for mark in marks if mark <= len(letters))
    assert seqs(whole) == list(range(1, len(letters) + 1))
