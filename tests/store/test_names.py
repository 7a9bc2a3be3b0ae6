import pytest
from hypothesis import given
from hypothesis import strategies as st

from guardd.store.names import LONGEST_NAME, stored_name


@pytest.mark.parametrize("length", [0, 1, LONGEST_NAME])
def test_a_name_of_usual_length_is_stored_as_it_is(length):
    assert stored_name("n" * length) == "n" * length


def test_a_longer_name_is_cut_and_stays_distinct():
    one, other = "n" * LONGEST_NAME + "1", "n" * LONGEST_NAME + "2"
    stored = stored_name(one)
    assert len(stored) <= LONGEST_NAME
    assert stored.startswith("n" * 400 + "…")
    assert stored == stored_name(one)
    assert stored != stored_name(other)


def test_what_is_stored_stays_what_it_is():
    stored = stored_name("n" * 10_000)
    assert stored_name(stored) == stored


@given(st.text(min_size=LONGEST_NAME + 1, max_size=LONGEST_NAME + 40))
def test_any_long_name_can_be_stored(name):
    assert len(stored_name(name)) <= LONGEST_NAME


def test_a_long_name_that_utf_8_does_not_know():
    assert stored_name("\ud800" * 600) != stored_name("\ud801" * 600)
