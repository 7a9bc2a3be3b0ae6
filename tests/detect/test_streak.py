"""What three rules count: calls with one signature that made no progress, newest first."""

import pytest


@pytest.mark.parametrize(
    ("tokens", "streak"),
    [
        ("", 0),
        ("a=1", 1),
        ("a=1 a=1 a=1", 3),
        ("a=2 a=1 a=1", 2),
        ("a=1 a=2 a=1", 1),
        ("a=1 b=9 a2=8 a=1 b=7", 2),  # other calls in between neither count nor break it
        ("a=1 a? a=1 a?", 2),  # nor do those that are not known yet
        ("a? a?", 0),
        ("a=2 a? a=1", 1),
        ("a2=1 a2=1", 0),
        ("a=1 a! a~", 3),  # a blocked attempt is one more
        ("a! a! a!", 3),
        ("a=2 a! a=1 a!", 3),
        ("a=2 a! a=1 b! a!", 3),
        ("a! a=2 a=1", 1),
        ("a-gone a-gone", 2),  # an error is an outcome
        ("a-gone a-lost", 1),
    ],
)
def test_streaks(count, tokens, streak):
    assert count(tokens, "a").streak == streak


@pytest.mark.parametrize(
    ("tokens", "blocked"), [("a=1 a=1", 0), ("a=1 a! a~ a=1", 2), ("a! a=2 a=1 a!", 1), ("b! a=1", 0)]
)
def test_blocked_attempts_in_it(count, tokens, blocked):
    assert count(tokens, "a").streak_blocked == blocked


@pytest.mark.parametrize(
    ("tokens", "repeats"),
    [("", 0), ("a? a=1 a=2 a! a~ a-gone", 6), ("a2=1 b=1", 0), ("b? a? b? a?", 2)],
)
def test_repeats_are_all_calls_of_the_signature_whatever_came_of_them(count, tokens, repeats):
    assert count(tokens, "a").repeats == repeats
