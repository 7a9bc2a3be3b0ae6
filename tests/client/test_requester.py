"""The part of the blocking client that asks for anything; `test_blocking` and `test_clients` hold what it shares."""

from typing import Any

import pytest

from guardd.client import GuardClient
from guardd.client.requester import Requester
from guardd.protocol.errors import RunNotFound


def test_it_asks_for_any_method(daemon: Any):
    with Requester(daemon.path, timeout=5) as requester:
        assert requester.request("run.list", {"limit": 2})["echo"]["limit"] == 2  # type: ignore[index]
        daemon.script = [lambda peer, request: peer.refuse(request, -32003, "none", kind="run_not_found")]
        with pytest.raises(RunNotFound, match="none"):
            requester.request("run.get", {"run": "x"})
    assert daemon.connections == 1


def test_the_blocking_client_is_one():
    assert issubclass(GuardClient, Requester)
    with pytest.raises(ValueError, match="above 0"):
        Requester(timeout=0)
