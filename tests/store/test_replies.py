"""Replies to requests that may come another time."""

import sqlite3

import pytest


@pytest.fixture
def replies(store):
    return store.replies


def test_a_reply_is_kept_by_source_method_and_id(replies):
    assert replies.find("s", "m", "1") is None
    replies.keep("s", "m", "1", b"digest", b'{"a":1}', 5)
    assert replies.find("s", "m", "1") == (b"digest", b'{"a":1}')
    for other in (("t", "m", "1"), ("s", "n", "1"), ("s", "m", "2")):
        assert replies.find(*other) is None


def test_a_reply_is_kept_once(replies):
    replies.keep("s", "m", "1", b"digest", b"{}", 5)
    with pytest.raises(sqlite3.IntegrityError):
        replies.keep("s", "m", "1", b"other", b"{}", 6)
