"""Every statement on the path of a verdict finds its rows by an index."""

import ast
import re
from pathlib import Path

import pytest

import guardd
from guardd.store import pruning, statements
from guardd.store.schema import metadata

PACKAGE = Path(guardd.__file__).parent
NAMES = sorted(name for name in vars(statements) if name.isupper() and name != "OPEN")
WITHOUT_A_ROW_TO_FIND = {"INSERT_RUN", "INSERT_CALL", "INSERT_MARKER", "INSERT_DETECTION", "INSERT_REQUEST"}


BOUND_BY_PLACE = {
    *("FIND_RUN", "TOUCH_RUN", "GLANCE", "INSERT_CALL"),
    *("FIND_OPEN_CALL", "FIND_OPEN_CALL_BY_ID", "FIND_OTHER_OPEN_CALL", "FIND_OTHER_OPEN_CALL_BY_ID"),
    "ATTACH_OUTCOME",
}


def bound(statement):
    if "?" in statement:
        return (1,) * statement.count("?")
    return dict.fromkeys(re.findall(r":(\w+)", statement), 1)


def plan(connection, statement):
    return [row[3] for row in connection.execute(f"explain query plan {statement}", bound(statement))]


# Their text


def documented_constants(module):
    """The constants of a module that a docstring follows."""
    body = ast.parse(Path(module.__file__).read_text()).body
    for node, follower in zip(body, [*body[1:], None], strict=True):
        if isinstance(node, ast.Assign) and isinstance(follower, ast.Expr):
            yield node.targets[0].id, ast.literal_eval(follower.value)


@pytest.mark.parametrize("module", [statements, pruning])
def test_each_says_in_a_line_what_it_is_for(module):
    texts = dict(documented_constants(module))
    for name, value in vars(module).items():
        if name.isupper() and isinstance(value, str) and name != "OPEN":
            assert re.fullmatch(r"[A-Z][^\n]+\.", texts[name])


@pytest.mark.parametrize("name", NAMES)
def test_each_is_used(name):
    users = [
        path for path in PACKAGE.rglob("*.py") if re.search(rf"\bstatements\.{name}\b", path.read_text())
    ]
    assert users


@pytest.mark.parametrize("name", NAMES)
def test_each_is_sql_with_named_parameters_or_with_placed_ones(database, name):
    statement = getattr(statements, name)
    assert isinstance(statement, str)
    assert ("?" in statement) == (name in BOUND_BY_PLACE)
    assert not (name in BOUND_BY_PLACE and ":" in statement)
    assert plan(database.connection, statement) is not None


# How they find their rows


@pytest.mark.parametrize("name", NAMES)
def test_none_scans_a_table(database, name):
    steps = plan(database.connection, getattr(statements, name))
    tables = "|".join([*metadata.tables, "latest"])
    assert not [step for step in steps if re.match(rf"SCAN ({tables})\b", step)]
    assert [step for step in steps if re.match(rf"SEARCH ({tables})\b", step)] or name in (
        WITHOUT_A_ROW_TO_FIND | {"SET_NOTICE"}
    )


@pytest.mark.parametrize(
    ("name", "step"),
    [
        ("TOUCH_RUN", "SEARCH runs USING INTEGER PRIMARY KEY (rowid=?)"),
        ("FIND_RUN", "SEARCH runs USING INDEX sqlite_autoindex_runs_1 (source=? AND kind=? AND name=?)"),
        ("FIND_RUN_BY_ID", "SEARCH runs USING INTEGER PRIMARY KEY (rowid=?)"),
        ("FIGURES", "SEARCH latest USING PRIMARY KEY (run_id=? AND seq=?)"),
        ("FIGURES", "SEARCH calls USING PRIMARY KEY (run_id=? AND seq>? AND seq<?)"),
        ("FIND_OPEN_CALL", "SEARCH calls USING INDEX ix_calls_open (run_id=? AND tool=?)"),
        (
            "FIND_OPEN_CALL_BY_ID",
            "SEARCH calls USING INDEX ix_calls_open (run_id=? AND tool=? AND call_id=?)",
        ),
        ("ATTACH_OUTCOME", "SEARCH calls USING PRIMARY KEY (run_id=? AND seq=?)"),
        ("COUNT_GUARDED", "SEARCH calls USING INDEX ix_calls_guard_marker_id (guard_marker_id=?)"),
        ("NOTICE", "SEARCH notices USING PRIMARY KEY (run_id=? AND warning_key=?)"),
        ("FORGET_NOTICES", "SEARCH notices USING PRIMARY KEY (run_id=?)"),
        (
            "FIND_REQUEST",
            "SEARCH requests USING PRIMARY KEY (source=? AND method=? AND request_id=?)",
        ),
    ],
)
def test_the_index_is_the_one_that_is_meant(database, name, step):
    assert step in plan(database.connection, getattr(statements, name))


@pytest.mark.parametrize("key", [
    (table.name, key.parent.name, key.column.table.name)
    for table in metadata.tables.values()
    for key in sorted(table.foreign_keys, key=lambda key: key.parent.name)
    if key.column.table.name not in ("daemon_starts", "fingerprint_keys")  # never deleted
], ids=lambda key: f"{key[0]}.{key[1]}")  # fmt: skip
def test_deleting_a_parent_finds_its_children_by_an_index(database, key):
    child, column, _parent = key
    (step,) = plan(database.connection, f"select 1 from {child} where {column} = :parent")  # noqa: S608
    assert step.startswith(f"SEARCH {child} USING ")


@pytest.mark.parametrize(("name", "index"), [
    ("OLDEST", "ix_runs_last_activity_at"),
    ("COUNT_OLD", "ix_runs_last_activity_at"),
    ("LONG_RUNS", "ix_runs_last_activity_at"),
    ("DELETE_RUN", "INTEGER PRIMARY KEY"),
    ("DELETE_CALLS", "PRIMARY KEY (run_id=? AND seq>? AND seq<?)"),
    ("FORGET_REQUESTS", "ix_requests_at"),
])  # fmt: skip
def test_pruning_uses_indexes_too(database, name, index):
    steps = plan(database.connection, getattr(pruning, name))
    assert any(step.startswith("SEARCH") and index in step for step in steps)
    assert not [step for step in steps if step.startswith("SCAN") and "USING" not in step]
