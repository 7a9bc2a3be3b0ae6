import sqlite3
from contextlib import closing

import pytest
from sqlalchemy import bindparam, insert, literal, select, text

from guardd.store.compiling import compiled, compiled_by_place, compiled_insert
from guardd.store.schema import calls, markers, runs
from guardd.vocabulary import CallState, RunStatus


def test_what_the_caller_binds_stays_named():
    statement = compiled(select(runs.c.id).where(runs.c.name == bindparam("in_name")))
    assert ":in_name" in statement


def test_constants_are_written_out():
    statement = compiled(
        select(calls.c.seq).where(calls.c.state == CallState.OK.value, calls.c.tool == RunStatus.ACTIVE.value)
    )
    assert ":" not in statement
    assert "state = 2" in statement
    assert "tool = 'active'" in statement


@pytest.mark.parametrize("value", ["it's", "'; drop table runs; --", "a:b :run", "", "日本", True, 2**62, -1])
def test_any_constant_means_itself(value):
    with closing(sqlite3.connect(":memory:")) as connection:
        assert connection.execute(compiled(select(literal(value)))).fetchone() == (value,)


@pytest.mark.parametrize("value", [1.5, b"x"])
def test_other_constants_are_refused(value):
    with pytest.raises(TypeError, match="must be text or a whole number"):
        compiled(select(literal(value)))


def test_an_insert_binds_its_columns_by_their_names():
    statement = compiled(insert(markers), ["run_id", "kind"])
    assert "(run_id, kind) VALUES (:run_id, :kind)" in statement


def test_an_insert_of_a_whole_row_binds_its_columns_by_their_places():
    statement = compiled_insert(insert(markers), ["run_id", "kind", "at"])
    assert statement == "INSERT INTO markers (run_id, kind, at) VALUES (?, ?, ?)"


def test_columns_in_another_order_than_the_table_are_refused():
    with pytest.raises(ValueError, match="order of the table"):
        compiled_insert(insert(markers), ["kind", "run_id"])


def test_a_hint_on_a_table_is_written():
    statement = compiled(select(runs.c.id).with_hint(runs, "INDEXED BY ix_runs_name", "sqlite"))
    assert statement.endswith("FROM runs INDEXED BY ix_runs_name")


def test_text_stays_as_it_is():
    assert compiled(text("select 1")) == "select 1"


def test_what_is_bound_by_place_has_no_names():
    """Python 3.12 warns of numbered places, and 3.14 refuses them."""
    statement = select(runs.c.id).where(
        runs.c.id > bindparam("low"), runs.c.name == bindparam("in_name"), runs.c.id != bindparam("low")
    )
    text = compiled_by_place(statement, ["low", "in_name", "low"])
    assert text.endswith("WHERE runs.id > ? AND runs.name = ? AND runs.id != ?")
    for wrong in (["low", "in_name"], ["in_name", "low", "low"]):
        with pytest.raises(ValueError, match="in the order of the text"):
            compiled_by_place(statement, wrong)
