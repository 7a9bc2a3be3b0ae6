import logging

import pytest

from guardd.daemon.errors import LONGEST_NAME_REPEATED, bug, no_method, not_admitted


def test_a_bug_is_told_to_the_log_alone(caplog: pytest.LogCaptureFixture):
    error = bug(ValueError("a secret"))
    assert (error.code, "secret" in error.message) == (-32603, False)
    (record,) = caplog.records
    assert record.levelno == logging.ERROR
    assert record.getMessage() == "a request failed inside guardd; this is a bug"


@pytest.mark.parametrize("name", ["tool.during", "x", "a_b.c", "n" * LONGEST_NAME_REPEATED])
def test_a_method_that_is_not_there_is_named(name: str):
    assert no_method(name).message == f"there is no method {name!r}"


@pytest.mark.parametrize(
    "name", ["", ".", "sk-4711", "a b", "tööl", "tool.before\n", "n" * (LONGEST_NAME_REPEATED + 1)]
)
def test_what_is_no_name_is_not_repeated(name: str):
    assert no_method(name).message == "there is no method of that name"


def test_who_has_no_role_is_told_where_to_get_one():
    assert not_admitted(4711).message == (
        "user 4711 may not connect; name it in guardd.socket.gateways or .readers"
    )
