import logging

import pytest

from guardd.client import operations
from guardd.client.exceptions import GuardUnavailable
from guardd.client.operations import Scope
from guardd.client.policy import MAX_MISTAKES, Policy
from guardd.protocol.errors import Denied, InvalidParams, Overloaded, ShuttingDown, StorageUnavailable

BEFORE = operations.before_call("cli", Scope(), "exec", {}, None)
END = operations.end_run("cli", Scope(), "completed", None)


def lines(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [record.getMessage() for record in caplog.records if record.name == "guardd.client"]


@pytest.mark.parametrize(
    "error", [GuardUnavailable("gone"), Denied(), Overloaded(), ShuttingDown(), StorageUnavailable()]
)
def test_an_outage_is_told_once_and_its_end_once(error: Exception, caplog: pytest.LogCaptureFixture):
    policy = Policy(fail_closed=False)
    policy.answered()
    for _ in range(5):
        assert policy.settle(BEFORE, error).degraded == str(error)
    policy.answered()
    policy.answered()
    assert lines(caplog) == [f"{error}; calls go on unguarded", "guardd answers again; it missed 5 requests"]
    policy.settle(BEFORE, error)
    policy.answered()
    assert lines(caplog)[-1] == "guardd answers again; it missed 1 requests"


def test_what_waiting_does_not_mend_is_told_once_for_each_text(caplog: pytest.LogCaptureFixture):
    policy = Policy(fail_closed=False)
    for number in (1, 1, 2, 1):
        assert policy.settle(BEFORE, InvalidParams(f"field {number}")).allowed
    assert lines(caplog) == [
        "guardd did not take tool.before: field 1",
        "guardd did not take tool.before: field 2",
    ]
    for number in range(2 * MAX_MISTAKES):
        policy.settle(BEFORE, InvalidParams(f"field {number}"))
    assert len(lines(caplog)) == MAX_MISTAKES


def test_an_unexpected_error_is_logged_with_its_traceback(caplog: pytest.LogCaptureFixture):
    assert Policy(fail_closed=False).settle(BEFORE, ZeroDivisionError()).degraded == "ZeroDivisionError"
    [record] = caplog.records
    assert record.levelno == logging.ERROR
    assert record.exc_info


def test_fail_closed_raises_before_a_call_only(caplog: pytest.LogCaptureFixture):
    policy = Policy(fail_closed=True)
    with pytest.raises(GuardUnavailable, match="gone"):
        policy.settle(BEFORE, GuardUnavailable("gone"))
    with pytest.raises(InvalidParams):
        policy.settle(BEFORE, InvalidParams())
    assert policy.settle(END, GuardUnavailable("gone")) is False
    assert lines(caplog)[0] == "gone; calls are refused until it answers"
