import pytest

from guardd.detect.figures import Across, Figures, Further


def test_of_nothing_there_is_nothing():
    assert Figures() == (None,) * 8 + (0,) * 8 + (Further(), Across())


@pytest.mark.parametrize(
    ("streak", "failures", "counted"),
    [((5, 1), (4, 3), (5, 1)), ((5, 1), (5, 3), (5, 1)), ((5, 1), (6, 3), (6, 3)), ((0, 0), (0, 0), (0, 0))],
)
def test_without_progress_is_the_larger_count_and_the_streak_of_equal_ones(streak, failures, counted):
    figures = Figures(
        streak=streak[0],
        streak_blocked=streak[1],
        across=Across(failures=failures[0], failures_blocked=failures[1]),
    )
    assert (figures.no_progress, figures.no_progress_blocked) == counted
    assert figures.fails_across is (counted != streak)


def test_the_newest_call(count):
    figures = count("b=1 a~gone", "b")
    assert figures[:8] == (
        "a", b"call a          ", "gone", 4, "unknown_tool_repeat", 7, None, "key of a",
    )  # fmt: skip


def test_a_newest_call_that_was_answered_with_nothing(count):
    assert count("a! b-gone", "a")[:8] == ("b", b"call b          ", "gone", 3, None, None, None, None)
