"""STRICT tables and CHECKs refuse what would be a surprise later."""

import itertools
import sqlite3

import pytest

from guardd.store.schema import metadata
from guardd.vocabulary import Action, CallState, Level, MarkerKind, RunStatus, ScopeKind

ROWS = {
    "fingerprint_keys": {"version": 9, "key": b"k", "created_at": 1},
    "daemon_starts": {"id": 9, "version": "1.0", "at": 1},
    "runs": {
        "id": 1,
        "source": "default",
        "kind": "run",
        "name": "r1",
        "status": "active",
        "started_at": 1,
        "last_activity_at": 1,
        "reset_seq": 0,
    },
    "calls": {
        "run_id": 1,
        "seq": 1,
        "tool": "read",
        "signature": b"s",
        "fingerprint_version": 9,
        "state": 0,
        "at": 1,
    },
    "detections": {
        "id": 1,
        "run_id": 1,
        "action": 1,
        "detector": "generic_repeat",
        "level": "warning",
        "count": 3,
        "threshold": 3,
        "tool": "read",
        "notify": 1,
        "warning_key": "k",
        "observed": 0,
        "at": 1,
    },
    "markers": {"id": 1, "run_id": 1, "kind": "reset", "after_seq": 0, "at": 1},
    "notices": {"run_id": 1, "warning_key": "k", "count": 3},
    "requests": {
        "source": "default",
        "method": "tool.before",
        "request_id": "1",
        "params_digest": b"d",
        "reply": b"{}",
        "at": 1,
    },
}
"""A row for each table, with nothing that may be left out, in an order in which they can be inserted."""

WORDS = {
    ("runs", "kind"): ScopeKind,
    ("runs", "status"): RunStatus,
    ("calls", "state"): CallState,
    ("detections", "action"): Action,
    ("detections", "level"): Level,
    ("markers", "kind"): MarkerKind,
}
COLUMNS = [(table.name, column) for table in metadata.tables.values() for column in table.columns]
OF_ANOTHER_TYPE = {int: "one", str: b"x", bytes: "x"}


def insert(connection, table, **changes):
    row = ROWS[table] | changes
    marks = ", ".join(f":{name}" for name in row)
    connection.execute(f"insert into {table} ({', '.join(row)}) values ({marks})", row)  # noqa: S608


@pytest.fixture
def connection(database):
    database.connection.execute("begin")
    return database.connection


def insert_others(connection, table):
    """What a row of that table may refer to."""
    for name in itertools.takewhile(lambda name: name != table, ROWS):
        insert(connection, name)


def test_every_table_has_a_row_here():
    assert ROWS.keys() == metadata.tables.keys()


@pytest.mark.parametrize("table", ROWS)
def test_a_plain_row_is_taken(connection, table):
    insert_others(connection, table)
    insert(connection, table)


@pytest.mark.parametrize(("table", "column"), COLUMNS, ids=lambda value: getattr(value, "name", value))
def test_a_value_of_another_type_is_refused(connection, table, column):
    insert_others(connection, table)
    with pytest.raises(sqlite3.IntegrityError, match=r"cannot store|datatype mismatch"):
        insert(connection, table, **{column.name: OF_ANOTHER_TYPE[column.type.python_type]})


@pytest.mark.parametrize(
    ("table", "column"),
    [(table, column.name) for table, column in COLUMNS if not column.nullable],
)
def test_what_must_be_there_must_be_there(connection, table, column):
    insert_others(connection, table)
    if (table, column) in {(name, "id") for name in ROWS} | {("fingerprint_keys", "version")}:
        insert(connection, table, **{column: None})  # SQLite numbers the row
        return
    with pytest.raises(sqlite3.IntegrityError, match="NOT NULL"):
        insert(connection, table, **{column: None})


@pytest.mark.parametrize(("table", "column"), WORDS)
def test_words_are_those_of_the_vocabulary(connection, table, column):
    insert_others(connection, table)
    vocabulary = WORDS[table, column]
    for word in vocabulary:
        rest = {"outcome": b"o"} if vocabulary is CallState and word in (2, 3) else {}
        connection.execute("savepoint one")
        insert(connection, table, **{column: word.value}, **rest)
        connection.execute("rollback to one")
    for wrong in (-1, len(vocabulary)) if issubclass(vocabulary, int) else ("", "Active", "nonsense"):
        with pytest.raises(sqlite3.IntegrityError, match="CHECK"):
            insert(connection, table, **{column: wrong})


@pytest.mark.parametrize("column", ["notify", "observed"])
@pytest.mark.parametrize("value", [-1, 2])
def test_flags_are_0_or_1(connection, column, value):
    insert_others(connection, "detections")
    with pytest.raises(sqlite3.IntegrityError, match="CHECK"):
        insert(connection, "detections", **{column: value})


@pytest.mark.parametrize(
    ("state", "outcome"),
    [
        (CallState.PENDING, b"o"),
        (CallState.BLOCKED, b"o"),
        (CallState.BLOCKED_REPORTED, b"o"),
        (CallState.OK, None),
        (CallState.ERROR, None),
    ],
)
def test_a_call_has_an_outcome_exactly_when_its_state_says_so(connection, state, outcome):
    insert_others(connection, "calls")
    with pytest.raises(sqlite3.IntegrityError, match="ck_calls_outcome"):
        insert(connection, "calls", state=state.value, outcome=outcome)


@pytest.mark.parametrize("seq", [0, -1])
def test_calls_are_numbered_from_1(connection, seq):
    insert_others(connection, "calls")
    with pytest.raises(sqlite3.IntegrityError, match="ck_calls_seq"):
        insert(connection, "calls", seq=seq)


@pytest.mark.parametrize(
    ("table", "other"),
    [
        ("runs", {"id": 2}),
        ("calls", {}),
        ("notices", {"count": 4}),
        ("requests", {"at": 2}),
        ("fingerprint_keys", {"key": b"other"}),
    ],
)
def test_the_same_twice_is_refused(connection, table, other):
    insert_others(connection, table)
    insert(connection, table)
    with pytest.raises(sqlite3.IntegrityError, match="UNIQUE"):
        insert(connection, table, **other)


@pytest.mark.parametrize(
    ("table", "column"),
    [(table, column.name) for table, column in COLUMNS if column.foreign_keys],
)
def test_what_is_referred_to_must_exist(connection, table, column):
    insert_others(connection, table)
    with pytest.raises(sqlite3.IntegrityError, match="FOREIGN KEY"):
        insert(connection, table, **{column: 77})


def test_one_name_may_belong_to_runs_of_two_sources_and_of_two_kinds(connection):
    insert(connection, "runs")
    insert(connection, "runs", id=2, source="other")
    insert(connection, "runs", id=3, kind="session")
