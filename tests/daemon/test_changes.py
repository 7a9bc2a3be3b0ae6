"""From parameters to the guard: scopes, names, and what is kept."""

import json
from typing import Any

import pytest
from support.daemon import Daemon, RawClient

from guardd.daemon.changes import LONGEST_METADATA, scope_of
from guardd.protocol.errors import InvalidParams
from guardd.protocol.methods import METHODS, decode_params
from guardd.store.names import LONGEST_NAME
from guardd.store.rows import Scope
from guardd.vocabulary import ScopeKind


@pytest.mark.parametrize(
    ("given", "scope"),
    [
        ({"runId": "r", "sessionKey": "s", "source": "x"}, Scope("x", ScopeKind.RUN, "r", "s")),
        ({"sessionKey": "s", "source": "x"}, Scope("x", ScopeKind.SESSION, "s")),
        ({"source": "x"}, Scope("x", ScopeKind.SOURCE, "x")),
        ({}, Scope("default", ScopeKind.SOURCE, "default")),
        ({"runId": "", "sessionKey": "s"}, Scope("default", ScopeKind.SESSION, "s")),
        ({"runId": None, "sessionKey": None, "source": ""}, Scope("default", ScopeKind.SOURCE, "default")),
    ],
)
def test_the_scope_is_the_narrowest_that_is_named(given: dict[str, Any], scope: Scope):
    params = decode_params(METHODS["run.start"], json.dumps(given).encode())
    assert scope_of(params) == scope


def test_scopes_of_one_name_are_different_runs(client: RawClient, run_id: str):
    for scope in (
        {"runId": run_id},
        {"sessionKey": run_id},
        {"source": run_id},
        {"runId": run_id, "source": "x"},
    ):
        assert client.ask("tool.before", toolName="t", **scope)["seq"] == 1
    found = {run["run"] for run in client.ask("run.list")["runs"] if run_id in run["run"]}
    assert found == {run_id, f"session:{run_id}", f"source:{run_id}"}


def test_names_of_any_length_are_judged_like_others(client: RawClient, run_id: str):
    long = {
        "runId": run_id + "r" * 5000,
        "toolName": "t" * 5000,
        "toolCallId": "c" * 5000,
        "agentId": "a" * 5000,
    }
    actions = [client.ask("tool.before", **long)["action"] for _ in range(4)]
    assert actions == ["allow"] * 3 + ["warn"]
    assert client.ask("tool.before", **long | {"toolName": "t" * 5001})["action"] == "allow"
    call = client.ask("run.history", run=run_id)["calls"][0]
    assert len(call["toolName"]) <= LONGEST_NAME
    assert client.ask("tool.after", **long, result="x")["seq"] == 4


def test_metadata_is_bounded(client: RawClient, run_id: str):
    fits = "m" * (LONGEST_METADATA - 2)
    assert client.ask("run.start", runId=run_id, metadata=fits)["resumed"] is False
    with pytest.raises(InvalidParams, match="at most 16384 bytes") as caught:
        client.ask("run.start", runId=run_id + "'", metadata=fits + "m")
    assert caught.value.field == "metadata"
    assert not [run for run in client.ask("run.list")["runs"] if run["run"] == run_id + "'"]


def test_a_run_begins_goes_on_and_ends(client: RawClient, run_id: str):
    assert client.ask("run.start", runId=run_id) == {"resumed": False, "calls": 0, "status": "active"}
    client.ask("tool.before", runId=run_id, toolName="t")
    assert client.ask("run.start", runId=run_id) == {"resumed": True, "calls": 1, "status": "active"}
    assert client.ask("run.end", runId=run_id, status="completed", reason="done") == {}
    run = client.ask("run.get", run=run_id)
    assert (run["status"], run["endReason"]) == ("completed", "done")
    assert run["endedAt"] is not None
    assert client.ask("run.start", runId=run_id, fresh=True)["resumed"] is False
    kinds = [marker["kind"] for marker in client.ask("run.history", run=run_id)["markers"]]
    assert kinds == ["gateway_restart", "reset"]


def test_an_operator_aborts_and_forgives(shared: Daemon, run_id: str):
    shared.ask("tool.before", runId=run_id, toolName="t")
    assert shared.ask("run.abort", run=run_id, reason="not on my disk") == {
        "run": run_id,
        "source": "default",
        "status": "aborted",
        "mode": "enforce",
    }
    verdict = shared.ask("tool.before", runId=run_id, toolName="t")
    detection = verdict["detection"]
    assert verdict["action"] == "abort"
    assert (detection["detector"], detection["level"], detection["count"]) == ("operator", "critical", 0)
    assert "not on my disk" in detection["message"]
    assert shared.ask("run.reset", run=run_id)["status"] == "active"
    assert shared.ask("tool.before", runId=run_id, toolName="t")["action"] == "allow"


def test_a_compaction_arms_the_guard_and_says_so_in_the_log(shared: Daemon, run_id: str):
    params = {"runId": run_id, "reason": "overflow", "tokensBefore": 90_000, "tokensAfter": 20_000}
    assert shared.ask("compaction.record", **params) == {"armed": True, "remaining": 3}
    shared.ask("tool.before", runId=run_id, toolName="t")
    after = shared.ask("tool.after", runId=run_id, toolName="t", result="x", durationMs=1.6)
    assert after["compactionGuard"] == {"armed": True, "remaining": 2}
    assert shared.ask("compaction.record", runId=run_id, willRetry=False) == {"armed": True, "remaining": 2}
    assert f'post-compaction guard armed for 3 attempts run="{run_id}"' in shared.log()
    (call,) = shared.ask("run.history", run=run_id)["calls"]
    assert call["durationMs"] == 2


def test_a_compaction_of_a_session_is_one_of_its_newest_run(client: RawClient, run_id: str):
    scopes = [{"runId": f"{run_id}-{turn}", "sessionKey": run_id} for turn in (1, 2)]
    for scope in (*scopes, {"runId": f"{run_id}-other", "sessionKey": f"{run_id}-other"}):
        client.ask("tool.before", toolName="t", **scope)

    def compactions() -> list[int]:
        names = [scope["runId"] for scope in scopes]
        return [len(client.ask("run.history", run=name)["markers"]) for name in names]

    client.ask("compaction.record", sessionKey=run_id, newestRun=True)
    assert compactions() == [0, 1]
    client.ask("tool.before", toolName="t", **scopes[0])
    client.ask("compaction.record", sessionKey=run_id, newestRun=True)
    assert compactions() == [1, 1]
    client.ask("compaction.record", sessionKey=run_id)
    client.ask("compaction.record", newestRun=True, **scopes[1])
    assert compactions() == [1, 2]
    assert len(client.ask("run.history", run=f"session:{run_id}")["markers"]) == 1


def test_a_session_without_runs_is_its_own_newest(client: RawClient, run_id: str):
    client.ask("compaction.record", sessionKey=run_id, newestRun=True)
    assert len(client.ask("run.history", run=f"session:{run_id}")["markers"]) == 1


def test_what_may_be_reported_more_than_once_counts_once(client: RawClient, run_id: str):
    call = {"runId": run_id, "toolName": "t", "toolCallId": "c", "args": {"a": 1}, "once": True}
    assert client.ask("tool.before", **call) == client.ask("tool.before", **call)
    assert client.ask("tool.after", **call, result="x") == client.ask("tool.after", **call, result="x")
    compacted = {"runId": run_id, "once": True}
    assert client.ask("compaction.record", **compacted) == client.ask("compaction.record", **compacted)
    history = client.ask("run.history", run=run_id)
    assert (len(history["calls"]), len(history["markers"])) == (1, 1)
