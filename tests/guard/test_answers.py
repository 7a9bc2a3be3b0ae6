import pytest

from guardd.guard import Verdict
from guardd.guard.answers import DISARMED
from guardd.vocabulary import Action


@pytest.mark.parametrize("action", Action)
def test_what_was_meant(action):
    assert Verdict(action, 1).meant is action
    assert Verdict(Action.ALLOW, 1, would_be=action).meant is action


def test_a_disarmed_guard_has_nothing_left():
    assert (DISARMED.armed, DISARMED.remaining) == (False, 0)
