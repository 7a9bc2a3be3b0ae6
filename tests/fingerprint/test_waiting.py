import json

import pytest

from guardd.fingerprint import Arguments
from guardd.fingerprint.waiting import without_waiting


def arguments(value: object) -> Arguments:
    return Arguments.parse(json.dumps(value).encode())


@pytest.mark.parametrize(
    "key",
    [
        "timeout", "timeoutMs", "timeout_ms", "timeoutSeconds", "wait", "waitMs", "wait_ms", "waitSeconds",
        "yield_time_ms", "yieldMs", "delay", "delay_ms", "block_until_ms",
    ],
)  # fmt: skip
def test_how_long_to_wait_is_left_out(key: str):
    assert without_waiting(arguments({"a": 1, key: 60000})) == arguments({"a": 1})
    assert without_waiting(arguments({key: 0.5})) == arguments(None)
    assert without_waiting(arguments({key: 10**60})) == arguments({})


@pytest.mark.parametrize(
    "value",
    [
        None, [], 5, "wait", [{"wait": 5}], {"a": {"wait": 5}}, {"wait": True}, {"wait": "5"}, {"wait": None},
        {"waiter": 5}, {"waiting": 5}, {"timeouts": 5}, {"await": 5}, {"Timeout": 5}, {"delayed": 5}, {"limit": 5},
        {"block_until": True}, {"block_until_ms": True}, {"block_until": 5}, {"blocker": 5}, {"block_until_ms_": 5},
    ],
)  # fmt: skip
def test_anything_else_stays(value: object):
    call = arguments(value)
    assert without_waiting(call) is call


def test_arguments_that_are_too_deep_stay():
    call = Arguments.parse(b"[" * 200_000 + b"]" * 200_000)
    assert without_waiting(call) is call


def test_nothing_is_changed_in_place():
    call = arguments({"a": 1, "wait": 5})
    without_waiting(call)
    assert call == arguments({"a": 1, "wait": 5})
