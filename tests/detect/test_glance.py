"""When it is worth counting; that nothing is missed otherwise is tested in `test_statement`."""

import pytest
from support.windows import question, settings, write

from guardd.detect.glance import Glance, glance_statement, may_match


@pytest.mark.parametrize(
    ("window", "seen"),
    [
        ("", (0, 0)),
        ("b=1 b=2", (0, 0)),
        ("a=1 b=1 a? b=1 b=1", (2, 3)),
        ("a=1 a2=1", (1, 1)),
        ("a! b=1", (1, 1)),
        ("b=1 a2-gone", (1, 2)),
        ("a2-gone b=1", (0, 0)),
        ("b-gone", (0, 0)),
        ("b=1 a2!gone", (1, 2)),
    ],
)
def test_what_is_seen(store, window, seen):
    assert store.glance(write(store, window), question("a"), 30) == Glance(*seen)


def test_only_the_window_is_looked_at(store):
    run = write(store, "a=1 a=1 b=1 b=1 b=1")
    assert store.glance(run, question("a"), 3) == Glance(0, 0)
    assert store.glance(run, question("a"), 30, since=1) == Glance(1, 2)
    store.reset_run(run, None, 1)
    assert store.glance(store.find_run(run.scope), question("a"), 30) == Glance(0, 0)


@pytest.mark.parametrize(
    ("glance", "newest_seq", "expected"),
    [
        (Glance(0, 0), 0, False),
        (Glance(1, 1), 1, True),
        (Glance(1, 1), 2, True),
        (Glance(1, 1), 3, False),
        (Glance(9, 20), 29, False),
        (Glance(10, 20), 29, True),
        (Glance(1, 28), 29, True),
    ],
)
def test_when_a_rule_may_match(glance, newest_seq, expected):
    assert may_match(glance, newest_seq, settings(warningThreshold=10)) is expected


def test_one_row_in_the_order_of_the_fields():
    assert tuple(glance_statement().selected_columns.keys()) == Glance.__struct_fields__
