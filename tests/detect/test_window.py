"""Which calls count: the newest of the run, as many as the history is long, and none before a reset."""

import pytest
from support.windows import question, write

from guardd.detect.figures import Figures


@pytest.mark.parametrize(("history", "streak"), [(1, 0), (2, 1), (3, 1), (4, 2), (5, 3), (6, 3)])
def test_the_newest_calls_count(count, history, streak):
    figures = count("a=1 a=1 b=1 a=1 b=1", "a", history)
    assert figures.streak == figures.repeats == streak


def test_the_newest_outcome_is_looked_for_in_the_window_only(count):
    assert count("a=1 a=1 a? b=1", "a", 2).streak == 0
    assert count("b=1 a=2 a? b=1", "a", 3).streak == 1


def test_an_alternation_is_cut_where_the_window_ends(count):
    assert count("a=1 b=1 a=1 b=1 a=1", "b", 3).tail == 3


def test_misses_are_cut_where_the_window_ends(count):
    assert count("a-gone " * 5, "a", 3).unknown_streak == 3


def test_an_empty_window(count):
    assert count("", "a") == Figures()


def test_after_a_reset_the_window_begins_anew(store):
    run = write(store, "a=1 a=1 a!")
    store.reset_run(run, None, 1)
    run = write(store, "")
    assert store.figures(run, question("a"), 30) == Figures()
    run = write(store, "a=1")
    figures = store.figures(run, question("a"), 30)
    assert (figures.streak, figures.streak_blocked, figures.repeats) == (1, 0, 1)


def test_a_long_run_costs_no_more_to_judge(store):
    """By the instructions that SQLite carries out."""
    connection = store._connection  # noqa: SLF001
    costs = []
    for _ in range(2):
        run = write(store, "a=1 b=1 " * 200)
        steps = 0

        def tick():
            nonlocal steps
            steps += 1

        connection.set_progress_handler(tick, 1)
        store.figures(run, question("a"), 30)
        connection.set_progress_handler(None, 1)
        costs.append(steps)
    assert costs[0] == costs[1] > 0
