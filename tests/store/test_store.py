"""Each named operation by itself; the rules that use them are tested where they are."""

import sqlite3

import pytest
from support.databases import close, new_call
from support.detections import any_detection

from guardd.detect.detection import Question
from guardd.detect.figures import Figures
from guardd.store.opening import open_database
from guardd.store.rows import OpenCall, Scope
from guardd.store.store import Store
from guardd.vocabulary import Action, CallEffect, CallState, Detector, MarkerKind, RunStatus

SCOPE = Scope("default", "run", "r1")
READ = b"signature: read."
OTHER = b"signature: other"
DETECTION = any_detection(
    detector=Detector.PING_PONG, count=7, threshold=6, paired_tool="write", warning_key="ping_pong:0:1"
)


def question(tool="read", signature=READ):
    return Question(tool, signature, is_poll=False)


def add(store, run, seq, **columns):
    store.insert_call(new_call(run, seq, **({"signature": READ} | columns)))
    return store.find_run(run.scope)


def row(database, table, **where):
    (found,) = rows(database, table, **where)
    return found


def rows(database, table, **where):
    cursor = database.connection.cursor()
    cursor.row_factory = sqlite3.Row
    conditions = " and ".join(["1", *(f"{name} = :{name}" for name in where)])
    return [dict(found) for found in cursor.execute(f"select * from {table} where {conditions}", where)]  # noqa: S608


def end_of_daemon_and_another(database, now=100):
    """What a restart makes of an open store: the same file, another start."""
    (start,) = database.connection.execute(
        "insert into daemon_starts (version, at) values ('1', ?) returning id", (now,)
    ).fetchone()
    return Store(database.connection, start)


# Transactions


def test_a_commit_makes_durable(database):
    database.store.begin()
    database.store.enter_run(SCOPE, None, 1)
    database.store.commit()
    other = open_database(database.path, "normal", 2)
    assert other.store.find_run(SCOPE) is not None
    close(other)


def test_a_commit_that_fails_is_undone(database, monkeypatch):
    """And what it has left in the log, overwritten: see tests/faults/test_disk.py, where a sync fails."""
    store = database.store

    def fail_to_commit(statement, *parameters):
        executed.append(statement)
        if statement == "commit":
            raise sqlite3.OperationalError("disk I/O error")
        return database.connection.execute(statement, *parameters)

    executed = []
    monkeypatch.setattr(store, "_execute", fail_to_commit)
    store.begin()
    database.connection.execute("insert into daemon_starts (version, at) values ('lost', 0)")
    with pytest.raises(sqlite3.OperationalError, match="disk I/O error"):
        store.commit()
    assert executed == ["begin immediate", "commit", "rollback", "pragma user_version = 0"]
    assert ("lost",) not in database.connection.execute("select version from daemon_starts").fetchall()


def test_a_rollback_undoes(store):
    store.enter_run(SCOPE, None, 1)
    store.rollback()
    assert store.find_run(SCOPE) is None


def test_a_rollback_without_a_transaction_is_nothing(database):
    database.store.rollback()
    database.store.begin()
    database.store.rollback()
    database.store.rollback()


def test_begin_waits_for_nobody_elses_write(database):
    database.connection.execute("pragma busy_timeout = 0")
    other = open_database(database.path, "normal", 2)
    other.store.begin()
    with pytest.raises(sqlite3.OperationalError, match="locked"):
        database.store.begin()
    other.store.rollback()
    database.store.begin()
    close(other)


# Runs


def test_a_run_begins_with_its_first_report(store, database):
    run = store.enter_run(SCOPE, "alice", 5)
    assert run.scope == SCOPE
    assert (run.agent_id, run.status, run.newest_seq, run.reset_seq) == ("alice", RunStatus.ACTIVE, 0, 0)
    assert run.abort_detection_id is None
    found = row(database, "runs")
    assert (found["started_at"], found["last_activity_at"], found["ended_at"]) == (5, 5, None)


def test_a_known_run_is_gone_on_with(store, database):
    first = store.enter_run(SCOPE, "alice", 5)
    again = store.enter_run(SCOPE, None, 9)
    assert again == first
    found = row(database, "runs")
    assert (found["started_at"], found["last_activity_at"]) == (5, 9)


@pytest.mark.parametrize(
    "other", [Scope("other", "run", "r1"), Scope("default", "session", "r1"), Scope("default", "run", "r2")]
)
def test_scopes_are_apart(store, other):
    assert store.enter_run(SCOPE, None, 1).id != store.enter_run(other, None, 1).id


def test_the_last_known_agent_is_kept(store):
    assert store.enter_run(SCOPE, None, 1).agent_id is None
    assert store.enter_run(SCOPE, "alice", 2).agent_id == "alice"
    assert store.enter_run(SCOPE, None, 3).agent_id == "alice"
    assert store.enter_run(SCOPE, "bob", 4).agent_id == "bob"


@pytest.mark.parametrize("status", [RunStatus.COMPLETED, RunStatus.FAILED, RunStatus.ABORTED])
def test_a_run_that_ended_and_goes_on_is_active(store, database, run, status):
    store.end_run(run, status, "because", 7)
    found = row(database, "runs")
    assert (found["status"], found["ended_at"], found["end_reason"]) == (status, 7, "because")
    assert found["last_activity_at"] == 7
    assert store.enter_run(SCOPE, None, 8).status == RunStatus.ACTIVE
    found = row(database, "runs")
    assert (found["ended_at"], found["end_reason"]) == (None, None)


def test_an_aborted_run_stays_aborted_whatever_is_reported(store, database, run):
    detection = store.insert_detection(run, 1, DETECTION, notify=True, observed=False, now=5)
    store.set_aborted(run, detection, 5)
    aborted = store.enter_run(SCOPE, None, 6)
    assert (aborted.abort_detection_id, aborted.status) == (detection, RunStatus.ABORTED)
    assert row(database, "runs")["ended_at"] == 5
    store.end_run(aborted, RunStatus.COMPLETED, "done", 7)
    assert store.find_run(SCOPE).status == RunStatus.ABORTED


def test_finding_a_run_does_not_touch_it(store, database, run):
    before = row(database, "runs")
    assert store.find_run(SCOPE) == run
    assert store.run_by_id(run.id) == run
    assert row(database, "runs") == before
    assert store.find_run(Scope("default", "run", "unknown")) is None
    assert store.run_by_id(99) is None
    assert len(rows(database, "runs")) == 1


def test_the_newest_run_that_a_session_began(store):
    first, second = (Scope("default", "run", name, "main") for name in ("r1", "r2"))
    assert store.newest_run_of_session("default", "main") is None
    store.enter_run(first, None, 1)
    store.enter_run(second, None, 2)
    store.enter_run(Scope("default", "run", "r3", "other"), None, 3)
    store.enter_run(Scope("other", "run", "r4", "main"), None, 4)
    store.enter_run(Scope("default", "session", "main"), None, 5)
    assert store.newest_run_of_session("default", "main") == second._replace(session=None)
    store.enter_run(first, None, 6)
    assert store.newest_run_of_session("default", "main") == first._replace(session=None)
    assert store.newest_run_of_session("other", "main") == ("other", "run", "r4", None)


def test_a_run_remembers_the_session_that_it_began_in(store, database):
    store.enter_run(Scope("default", "run", "r1", "main"), None, 1)
    store.enter_run(Scope("default", "run", "r1"), None, 2)
    store.enter_run(Scope("default", "run", "r1", "another"), None, 3)
    assert row(database, "runs")["session_key"] == "main"


def test_metadata_is_kept_as_it_is(store, database, run):
    store.set_metadata(run, '{"a": 1}')
    assert row(database, "runs")["metadata"] == '{"a": 1}'


def test_ending_one_run_leaves_others(store, run):
    other = store.enter_run(Scope("default", "run", "r2"), None, 1)
    store.end_run(run, RunStatus.FAILED, None, 2)
    assert store.find_run(other.scope).status == RunStatus.ACTIVE


# Restarts of the daemon


def test_a_restart_is_marked_once_in_a_run_with_calls(store, database, run):
    add(store, run, 1)
    later = end_of_daemon_and_another(database)
    later.enter_run(SCOPE, None, 101)
    later.enter_run(SCOPE, None, 102)
    marker = row(database, "markers")
    assert (marker["kind"], marker["after_seq"], marker["at"]) == ("daemon_restart", 1, 101)


def test_a_restart_is_not_marked_in_a_run_without_calls(store, database, run):
    assert run.newest_seq == 0
    assert store.find_run(SCOPE) == run
    later = end_of_daemon_and_another(database)
    later.enter_run(SCOPE, None, 101)
    assert rows(database, "markers") == []
    add(later, later.find_run(SCOPE), 1)
    later.enter_run(SCOPE, None, 102)
    assert rows(database, "markers") == []


def test_looking_at_a_run_marks_nothing(store, database, run):
    add(store, run, 1)
    later = end_of_daemon_and_another(database)
    later.find_run(SCOPE)
    later.run_by_id(run.id)
    assert rows(database, "markers") == []


# Resets


def test_a_reset_forgives(store, database, run):
    run = add(store, run, 1)
    run = add(store, run, 2)
    detection = store.insert_detection(run, 2, DETECTION, notify=True, observed=False, now=5)
    store.set_aborted(run, detection, 5)
    store.set_armed(run, store.insert_marker(run, MarkerKind.COMPACTION, 5, window_size=3))
    store.set_notified(run, "key", 3)
    store.reset_run(run, "a second chance", 6)
    after = store.find_run(SCOPE)
    assert (after.reset_seq, after.newest_seq) == (2, 2)
    assert (after.abort_detection_id, after.armed_marker_id, after.status) == (None, None, RunStatus.ACTIVE)
    assert store.notified_count(after, "key") is None
    marker = row(database, "markers", kind="reset")
    assert (marker["after_seq"], marker["reason"], marker["at"]) == (2, "a second chance", 6)
    assert len(rows(database, "calls")) == 2
    assert row(database, "runs")["ended_at"] is None


def test_a_reset_is_of_one_run(store, run):
    other = store.enter_run(Scope("default", "run", "r2"), None, 1)
    store.set_notified(other, "key", 3)
    store.set_armed(other, store.insert_marker(other, MarkerKind.COMPACTION, 1, window_size=3))
    store.reset_run(run, None, 6)
    assert store.notified_count(other, "key") == 3
    assert store.find_run(other.scope).armed_marker_id is not None


# Figures


def test_without_calls_all_figures_are_none(store, run):
    assert store.figures(run, question(), 30) == Figures()


def test_calls_before_a_reset_do_not_count(store, run):
    for seq in (1, 2, 3):
        run = add(store, run, seq)
    store.reset_run(run, None, 5)
    run = store.find_run(SCOPE)
    assert store.figures(run, question(), 30) == Figures()
    run = add(store, run, 4)
    assert store.figures(run, question(), 30).repeats == 1


@pytest.mark.parametrize(("history", "repeats"), [(1, 1), (3, 3), (5, 5), (6, 5), (2**53 - 1, 5)])
def test_the_newest_calls_count_and_no_more(store, run, history, repeats):
    for seq in range(1, 6):
        run = add(store, run, seq)
    assert store.figures(run, question(), history).repeats == repeats


def test_what_the_newest_call_was_answered_with(store, run):
    detection = store.insert_detection(run, 1, DETECTION, notify=True, observed=False, now=5)
    run = add(store, run, 1, state=CallState.BLOCKED, missing_tool="gone", detection_id=detection)
    figures = store.figures(run, question("write", OTHER), 30)
    assert figures[: Figures._fields.index("unknown_streak")] == (
        "read", READ, "gone", CallState.BLOCKED, "ping_pong", 7, "write", "ping_pong:0:1",
    )  # fmt: skip


def test_figures_are_of_one_run(store, run):
    other = store.enter_run(Scope("default", "run", "r2"), None, 1)
    add(store, run, 1)
    assert store.figures(add(store, other, 1), question(), 30).repeats == 1


# Calls


def test_a_call_is_recorded_whole(store, database, run):
    call = new_call(
        run,
        1,
        signature=READ,
        call_id="call_1",
        state=CallState.ERROR,
        outcome=b"outcome",
        missing_tool="gone",
        preview='{"a": …}',
        at=9,
        duration_ms=12,
    )
    store.insert_call(call)
    beyond = {"masked": None, "effect": None, "beside": None, "failure": None}
    assert row(database, "calls") == call._asdict() | beyond


def test_what_the_rules_beyond_look_at_is_kept_beside_it(store, database, run):
    add(store, run, 1)
    store.set_further(run, 1, effect=CallEffect.CHANGES, beside=7)
    store.set_further(run, 1, masked=b"masked", failure=b"failure")
    store.set_further(run, 1)
    found = row(database, "calls")
    kept = [found[name] for name in ("masked", "effect", "beside", "failure")]
    assert kept == [b"masked", CallEffect.CHANGES, 7, b"failure"]


def test_the_newest_change_by_another_call(store, run):
    for seq, (signature, state, effect) in enumerate(
        [
            (OTHER, CallState.OK, 1),
            (OTHER, CallState.ERROR, 1),
            (READ, CallState.OK, 1),
            (OTHER, CallState.OK, 0),
        ],
        1,
    ):
        outcome = b"o"
        add(store, run, seq, signature=signature, state=state, outcome=outcome)
        store.set_further(run, seq, effect=CallEffect(effect))
    run = store.find_run(run.scope)
    assert store.newest_change(run, question(), 30) == 1
    assert store.newest_change(run, question("write", OTHER), 30) == 3
    assert store.newest_change(run, question("write", OTHER), 1) == 0


def test_a_call_that_is_under_way(store, run):
    add(store, run, 1)
    assert store.newest_under_way(store.find_run(run.scope)) == 1
    add(store, run, 2)
    store.set_further(run, 2, beside=1)
    assert store.newest_under_way(store.find_run(run.scope)) == 1
    add(store, run, 3, state=CallState.OK, outcome=b"o")
    assert store.newest_under_way(store.find_run(run.scope)) is None


def test_a_number_is_given_once(store, run):
    add(store, run, 1)
    with pytest.raises(sqlite3.IntegrityError, match="UNIQUE"):
        add(store, run, 1)


def test_names_of_any_letters(store, database, run):
    name = "a\0b\n'\"; drop table calls; -- 日本 \U0001f600"
    add(store, run, 1, tool=name, call_id=name)
    assert store.find_open_call(run, question(name), name).seq == 1
    assert row(database, "calls")["tool"] == name


def open_seq(store, run, call_id=None, tool="read", signature=READ):
    found = store.find_open_call(run, question(tool, signature), call_id)
    return None if found is None else found.seq


def test_an_outcome_belongs_to_the_newest_call_without_one(store, run):
    for seq, state, outcome in (
        (1, CallState.PENDING, None),
        (2, CallState.BLOCKED, None),
        (3, CallState.OK, b"o"),
        (4, CallState.ERROR, b"o"),
        (5, CallState.BLOCKED_REPORTED, None),
    ):
        add(store, run, seq, state=state, outcome=outcome)
    assert store.find_open_call(run, question(), None) == OpenCall(
        2, CallState.BLOCKED, READ, None, None, None
    )


def test_an_outcome_belongs_to_a_call_of_its_tool(store, run):
    add(store, run, 1)
    add(store, run, 2, tool="write", signature=OTHER)
    assert open_seq(store, run) == 1
    assert open_seq(store, run, tool="write") == 2
    assert open_seq(store, run, tool="exec") is None


def test_the_same_arguments_come_first(store, run):
    add(store, run, 1)
    add(store, run, 2, signature=OTHER)
    assert open_seq(store, run) == 1
    assert open_seq(store, run, signature=OTHER) == 2
    assert open_seq(store, run, signature=b"of no call at all") == 2


def test_an_id_must_match_if_it_is_given(store, run):
    add(store, run, 1, call_id="a")
    add(store, run, 2, call_id="b")
    add(store, run, 3)
    assert open_seq(store, run) == 3
    assert open_seq(store, run, "a") == 1
    assert open_seq(store, run, "b", signature=OTHER) == 2
    assert open_seq(store, run, "c") is None
    assert open_seq(store, run, "") is None


def test_an_outcome_belongs_to_its_own_run(store, run):
    other = store.enter_run(Scope("default", "run", "r2"), None, 1)
    add(store, other, 1)
    assert open_seq(store, run) is None


def reported_seq(store, run, outcome=b"o", call_id="a", tool="read", within=64):
    found = store.find_reported_call(run, tool, call_id, outcome, within)
    return None if found is None else found.seq


def test_an_outcome_that_was_reported_already(store, run):
    add(store, run, 1, call_id="a", state=CallState.OK, outcome=b"o")
    add(store, run, 2, call_id="a", state=CallState.ERROR, outcome=b"p")
    run = add(store, run, 3, call_id="a")
    assert store.find_reported_call(run, "read", "a", b"o", 64) == OpenCall(
        1, CallState.OK, READ, None, None, None
    )
    assert reported_seq(store, run, b"p") == 2
    assert reported_seq(store, run, b"another") is None
    assert reported_seq(store, run, call_id="b") is None
    assert reported_seq(store, run, tool="write") is None


def test_of_a_blocked_attempt_any_outcome_was_reported(store, run):
    add(store, run, 1, call_id="a", state=CallState.BLOCKED_REPORTED)
    run = add(store, run, 2, call_id="b", state=CallState.BLOCKED)
    assert reported_seq(store, run, b"whatever") == 1
    assert reported_seq(store, run, b"whatever", "b") is None


def test_only_the_newest_calls_are_looked_at(store, run):
    add(store, run, 1, call_id="a", state=CallState.OK, outcome=b"o")
    run = add(store, run, 2)
    assert reported_seq(store, run, within=2) == 1
    assert reported_seq(store, run, within=1) is None


def test_of_several_the_newest(store, run):
    for seq in (1, 2):
        run = add(store, run, seq, call_id="a", state=CallState.OK, outcome=b"o")
    assert reported_seq(store, run) == 2


def test_an_outcome_is_attached(store, database, run):
    add(store, run, 1)
    add(store, run, 2)
    marker = store.insert_marker(run, MarkerKind.COMPACTION, 5, window_size=3)
    store.attach_outcome(
        run,
        1,
        state=CallState.ERROR,
        outcome=b"o",
        missing_tool="gone",
        guard_marker_id=marker,
        duration_ms=3,
    )
    found = row(database, "calls", seq=1)
    expected = {
        "state": 3,
        "outcome": b"o",
        "missing_tool": "gone",
        "guard_marker_id": marker,
        "duration_ms": 3,
    }
    assert expected.items() <= found.items()
    assert row(database, "calls", seq=2)["state"] == CallState.PENDING


def test_a_blocked_attempt_keeps_the_tool_that_it_missed(store, database, run):
    add(store, run, 1, state=CallState.BLOCKED, missing_tool="gone")
    store.attach_outcome(
        run,
        1,
        state=CallState.BLOCKED_REPORTED,
        outcome=None,
        missing_tool=None,
        guard_marker_id=None,
        duration_ms=None,
    )
    found = row(database, "calls")
    assert (found["state"], found["outcome"], found["missing_tool"]) == (4, None, "gone")


# Detections and notices


@pytest.mark.parametrize("notify", [True, False])
def test_a_detection_comes_back_whole(store, database, run, notify):
    number = store.insert_detection(run, 3, DETECTION, notify=notify, observed=True, now=5)
    assert store.detection(number) == (DETECTION, notify, True)
    found = row(database, "detections")
    assert (found["run_id"], found["seq"], found["observed"], found["at"]) == (run.id, 3, 1, 5)


def test_an_operators_detection_comes_back_whole(store, run):
    said = any_detection(detector=Detector.OPERATOR, action=Action.ABORT, tool="", reason="it's 5 o'clock")
    number = store.insert_detection(run, None, said, notify=True, observed=False, now=5)
    assert store.detection(number) == (said, True, False)


def test_the_newest_detection(store, run):
    assert store.newest_detection() == 0
    numbers = [store.insert_detection(run, n, DETECTION, notify=True, observed=False, now=5) for n in (1, 2)]
    assert store.newest_detection() == max(numbers) == numbers[-1]


def test_what_was_notified_is_kept_by_run_and_key(store, run):
    other = store.enter_run(Scope("default", "run", "r2"), None, 1)
    assert store.notified_count(run, "key") is None
    store.set_notified(run, "key", 3)
    store.set_notified(run, "key", 13)
    store.set_notified(run, "other key", 4)
    store.set_notified(other, "key", 5)
    assert store.notified_count(run, "key") == 13
    assert store.notified_count(run, "other key") == 4
    assert store.notified_count(other, "key") == 5


# Markers and the guard


def test_a_marker_stands_after_the_newest_call(store, database, run):
    run = add(store, run, 1)
    number = store.insert_marker(
        run, MarkerKind.COMPACTION, 5, window_size=3, reason="overflow", tokens_before=9, tokens_after=4
    )
    assert row(database, "markers") == {
        "id": number,
        "run_id": run.id,
        "kind": "compaction",
        "after_seq": 1,
        "window_size": 3,
        "reason": "overflow",
        "tokens_before": 9,
        "tokens_after": 4,
        "at": 5,
    }


def test_the_newest_compaction_or_reset(store, run):
    assert store.newest_marker(run) is None
    store.insert_marker(run, MarkerKind.COMPACTION, 5)
    run = add(store, run, 1)
    store.insert_marker(run, MarkerKind.GATEWAY_RESTART, 6)
    store.insert_marker(run, MarkerKind.DAEMON_RESTART, 6)
    assert store.newest_marker(run) == ("compaction", 0)
    store.insert_marker(run, MarkerKind.COMPACTION, 7)
    assert store.newest_marker(run) == ("compaction", 1)
    store.insert_marker(run, MarkerKind.RESET, 8)
    assert store.newest_marker(run) == ("reset", 1)
    assert store.newest_marker(store.enter_run(Scope("default", "run", "r2"), None, 9)) is None


def test_arming_and_disarming(store, run):
    marker = store.insert_marker(run, MarkerKind.COMPACTION, 5, window_size=4)
    store.set_armed(run, marker)
    assert store.find_run(SCOPE).armed_marker_id == marker
    assert store.armed_window(marker) == 4
    store.set_armed(run, None)
    assert store.find_run(SCOPE).armed_marker_id is None


def test_what_the_guard_has_seen(store, run):
    first, second = (store.insert_marker(run, MarkerKind.COMPACTION, 5, window_size=9) for _ in range(2))
    seen = [
        (first, READ, b"o"),
        (second, READ, b"o"),
        (second, READ, b"o"),
        (second, READ, b"p"),
        (second, OTHER, b"o"),
        (None, READ, b"o"),
    ]
    for seq, (marker, signature, outcome) in enumerate(seen, 1):
        add(store, run, seq, state=CallState.OK, signature=signature, outcome=outcome, guard_marker_id=marker)
    assert store.count_guarded(second, READ, b"o") == (4, 2)
    assert store.count_guarded(second, OTHER, b"p") == (4, 0)
    assert store.count_guarded(first, READ, b"o") == (1, 1)
    assert store.count_guarded(99, READ, b"o") == (0, 0)
    for seq in (3, 4):
        store.set_further(run, seq, masked=b"m")
    assert store.count_guarded(second, READ, b"m") == (4, 0)
    assert store.count_guarded(second, READ, b"m", masks=True) == (4, 2)
    assert store.count_guarded(second, READ, b"o", masks=True) == (4, 1)
