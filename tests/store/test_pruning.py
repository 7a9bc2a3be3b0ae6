from contextlib import closing

import pytest
from support.databases import new_call, rows
from support.detections import any_detection

from guardd.store import pruning
from guardd.store.connecting import connect_writer
from guardd.store.migrating import migrate
from guardd.store.pruning import (
    count_kept_runs,
    count_old_runs,
    delete_oldest_run,
    forget_requests,
    give_back_space,
    trim_long_runs,
    used_bytes,
)
from guardd.store.rows import Scope
from guardd.vocabulary import Action, CallState, MarkerKind, RunStatus

DETECTION = any_detection(action=Action.ABORT)
OF_A_RUN = ("runs", "calls", "detections", "markers", "notices")


def add_run(store, name, at, calls=0, status=None):
    run = store.enter_run(Scope("default", "run", name), None, at)
    for seq in range(1, calls + 1):
        store.insert_call(new_call(run, seq))
    if status is not None:
        store.end_run(run, status, None, at)
    return store.find_run(run.scope)


def names(connection):
    return [name for (name,) in connection.execute("select name from runs order by last_activity_at")]


def seqs(connection, run):
    return [
        seq for (seq,) in connection.execute("select seq from calls where run_id = ? order by seq", (run.id,))
    ]


# Old runs


@pytest.fixture
def ended(store):
    """Runs that ended at 10, 20 and 30, with 1, 2 and 3 calls."""
    for at in (30, 10, 20):
        add_run(store, f"r{at}", at, at // 10, RunStatus.COMPLETED)


@pytest.mark.usefixtures("ended")
@pytest.mark.parametrize(("older_than", "counted"), [(10, (0, 0)), (11, (1, 1)), (21, (2, 3)), (100, (3, 6))])
def test_counting(database, older_than, counted):
    assert count_old_runs(database.connection, older_than, 0) == counted


@pytest.mark.usefixtures("ended")
def test_the_oldest_goes_first_and_only_what_is_old(database):
    connection = database.connection
    assert delete_oldest_run(connection, 30, 0) == 1
    assert names(connection) == ["r20", "r30"]
    assert delete_oldest_run(connection, 30, 0) == 2
    assert delete_oldest_run(connection, 30, 0) is None
    assert names(connection) == ["r30"]


@pytest.mark.usefixtures("ended")
def test_deleting_is_undone_with_its_transaction(database):
    database.store.commit()
    database.store.begin()
    delete_oldest_run(database.connection, 100, 0)
    database.store.rollback()
    assert names(database.connection) == ["r10", "r20", "r30"]


def test_a_run_without_calls_counts(store, database):
    add_run(store, "r1", 1, status=RunStatus.FAILED)
    assert count_old_runs(database.connection, 2, 0) == (1, 0)
    assert delete_oldest_run(database.connection, 2, 0) == 0


def test_without_runs_there_is_nothing_to_do(database):
    assert count_old_runs(database.connection, 100, 100) == (0, 0)
    assert delete_oldest_run(database.connection, 100, 100) is None


def test_what_is_live_goes_only_when_it_was_silent_too_long(store, database):
    connection = database.connection
    add_run(store, "active", 1, 1)
    aborted = add_run(store, "aborted by guardd", 2, 1)
    store.set_aborted(
        aborted, store.insert_detection(aborted, 1, DETECTION, notify=True, observed=False, now=2), 2
    )
    add_run(store, "aborted otherwise", 3, 1, RunStatus.ABORTED)
    assert count_old_runs(connection, 100, 0) == (1, 1)
    assert count_kept_runs(connection, 100, 0) == 2
    assert count_kept_runs(connection, 2, 0) == 1
    assert count_kept_runs(connection, 100, 2) == 1
    assert delete_oldest_run(connection, 100, 0) == 1
    assert delete_oldest_run(connection, 100, 0) is None
    assert names(connection) == ["active", "aborted by guardd"]
    assert count_old_runs(connection, 100, 2) == (1, 1)
    assert delete_oldest_run(connection, 100, 2) == 1
    assert names(connection) == ["aborted by guardd"]


def test_all_that_belongs_to_a_run_goes_with_it_and_nothing_else(store, database):
    for at in (10, 20):
        run = add_run(store, f"r{at}", at)
        marker = store.insert_marker(run, MarkerKind.COMPACTION, at, window_size=3)
        detection = store.insert_detection(run, 1, DETECTION, notify=True, observed=False, now=at)
        counted = {"detection_id": detection, "guard_marker_id": marker}
        store.insert_call(new_call(run, 1, state=CallState.OK, outcome=b"o", **counted))
        store.set_armed(run, marker)
        store.set_aborted(run, detection, at)
        store.set_notified(run, "generic_repeat:00", 3)
    connection = database.connection
    before = {table: rows(connection, table) for table in OF_A_RUN}
    (run_id,) = connection.execute("select id from runs where name = 'r10'").fetchone()
    assert delete_oldest_run(connection, 11, 11) == 1
    column = {table: 0 if table in ("runs", "calls", "notices") else 1 for table in OF_A_RUN}
    for table in OF_A_RUN:
        assert rows(connection, table) == [row for row in before[table] if row[column[table]] != run_id]
        assert len(rows(connection, table)) == 1
    assert connection.execute("pragma foreign_key_check").fetchall() == []


# Long runs


def test_of_a_long_run_the_newest_calls_are_kept(store, database):
    run = add_run(store, "long", 10, 8)
    other = add_run(store, "short", 10, 5)
    assert not trim_long_runs(database.connection, 5, 0)
    assert seqs(database.connection, run) == [4, 5, 6, 7, 8]
    assert seqs(database.connection, other) == [1, 2, 3, 4, 5]
    assert store.find_run(run.scope).newest_seq == 8


def test_trimming_goes_on_in_small_steps(store, database, monkeypatch):
    monkeypatch.setattr(pruning, "MOST_CALLS_AT_ONCE", 3)
    run = add_run(store, "long", 10, 10)
    steps = []
    while trim_long_runs(database.connection, 2, 0):
        steps.append(seqs(database.connection, run)[0])
    assert steps == [4, 7]
    assert seqs(database.connection, run) == [9, 10]
    assert not trim_long_runs(database.connection, 2, 0)


def test_a_run_that_was_silent_is_not_looked_at(store, database):
    run = add_run(store, "long", 10, 8)
    assert not trim_long_runs(database.connection, 5, 11)
    assert len(seqs(database.connection, run)) == 8


def test_what_an_armed_guard_has_counted_stays(store, database):
    run = add_run(store, "long", 10)
    old, armed = (store.insert_marker(run, MarkerKind.COMPACTION, 1, window_size=9) for _ in range(2))
    for seq, marker in enumerate((old, armed, None, armed, None, None), 1):
        store.insert_call(new_call(run, seq, state=CallState.OK, outcome=b"o", guard_marker_id=marker))
    store.set_armed(run, armed)
    trim_long_runs(database.connection, 1, 0)
    assert seqs(database.connection, run) == [2, 4, 6]
    assert store.count_guarded(armed, b"", b"")[0] == 2


@pytest.mark.parametrize("counted", [(1,), (1, 2, 3, 4, 5), (1, 5, 9)])
def test_what_stays_holds_up_nothing_behind_it(store, database, monkeypatch, counted):
    """However much an armed guard has counted, and wherever the small steps end."""
    monkeypatch.setattr(pruning, "MOST_CALLS_AT_ONCE", 3)
    run = add_run(store, "long", 10)
    armed = store.insert_marker(run, MarkerKind.COMPACTION, 1, window_size=9)
    for seq in range(1, 21):
        marker = armed if seq in counted else None
        store.insert_call(new_call(run, seq, state=CallState.OK, outcome=b"o", guard_marker_id=marker))
    store.set_armed(run, armed)
    steps = 1
    while trim_long_runs(database.connection, 4, 0):
        steps += 1
        assert steps < 10
    assert seqs(database.connection, run) == [*counted, 17, 18, 19, 20]
    assert not trim_long_runs(database.connection, 4, 0)


# Space


def test_free_pages_are_given_back(tmp_path):
    path = tmp_path / "guardd.db"
    migrate(path)
    with closing(connect_writer(path, "normal")) as connection:
        empty = used_bytes(connection)
        connection.execute("insert into requests values ('s', 'm', 'r', x'', zeroblob(1000000), 1)")
        assert used_bytes(connection) > empty + 1_000_000
        connection.execute("delete from requests")
        assert used_bytes(connection) < empty + 10_000  # a map of the pages may stay
        (pages,) = connection.execute("pragma page_count").fetchone()
        give_back_space(connection, 10)
        assert connection.execute("pragma page_count").fetchone() == (pages - 10,)
        give_back_space(connection, pages)
        assert connection.execute("pragma freelist_count").fetchone() == (0,)


# Requests


def test_requests_are_forgotten_by_their_time(store, database):
    for at in (1, 2, 3):
        store.replies.keep("s", "m", str(at), b"digest", b"{}", at)
    assert not forget_requests(database.connection, 3)
    assert [row[2] for row in rows(database.connection, "requests")] == ["3"]


def test_very_many_requests_are_forgotten_in_steps(store, database):
    many = pruning.MOST_REQUESTS_AT_ONCE
    for at in range(2 * many + 10):
        store.replies.keep("s", "m", str(at), b"digest", b"{}", at)
    assert forget_requests(database.connection, 2 * many + 5)
    assert 0 < len(rows(database.connection, "requests")) <= many + 10
    steps = 1
    while forget_requests(database.connection, 2 * many + 5):
        steps += 1
    assert steps == 2
    assert sorted(row[5] for row in rows(database.connection, "requests")) == [
        2 * many + n for n in range(5, 10)
    ]
