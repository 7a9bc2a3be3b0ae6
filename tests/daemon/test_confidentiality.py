"""Neither the log nor, without previews, the database holds what tools were given and gave."""

import contextlib
import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from typing import Any

import pytest
from support.daemon import Daemon, RawClient

CANARY = "canary7f3a"
"""Stands in everything that is somebody's: arguments, results, errors, metadata."""
SECRETS: dict[str, Any] = {
    "args": {CANARY: f"args {CANARY}", "nested": [{"token": f"tok-{CANARY}"}]},
    "result": {"content": [{"type": "text", "text": f"result {CANARY}"}], "details": {"x": CANARY}},
    "error": f"error {CANARY}: permission denied",
}


def work(client: RawClient, run_id: str) -> None:
    """A run that is warned, blocked and aborted, with secrets all over."""
    client.ask("run.start", runId=run_id, metadata={"prompt": "nothing secret here"})
    args = SECRETS["args"]
    for number in range(12):
        outcome = "error" if number == 0 else "result"
        client.ask("tool.before", runId=run_id, toolName="t", args=args, requestId=f"{run_id} {number}")
        client.ask("tool.after", runId=run_id, toolName="t", args=args, **{outcome: SECRETS[outcome]})
    client.ask("compaction.record", runId=run_id)
    client.ask("tool.after", runId=run_id, toolName="late", args=args, result=CANARY)


def mistakes(client: RawClient, run_id: str) -> None:
    """Requests that are wrong in every way that there is, each quoting the secret."""
    before = client.request("tool.before", runId=run_id, toolName="t")
    for wrong in (
        {"toolName": {CANARY: CANARY}},
        {"toolName": "t", "runId": [CANARY]},
        {"toolName": "t", "requestId": "r 0", "args": SECRETS["args"]},
        [CANARY],
        {"toolName": "t", "args": CANARY, "durationMs": CANARY},
    ):
        client.send_line(before | {"params": wrong})
        client.read_line()
    client.send_line(before | {"method": f"no.{CANARY}"}, before | {"id": [CANARY]}, [CANARY], CANARY)
    for _ in range(4):
        client.read_line()
    for broken in (CANARY.encode(), b'{"jsonrpc":"2.0","id":"%b","args":NaN}' % CANARY.encode(), b"\xff"):
        client.send(broken + b"\n")
        client.read_line()
    for name in ("run.get", "run.reset", "event.watch"):
        assert client.call(name, run=CANARY)["error"]["data"]["kind"] == "run_not_found"
    with contextlib.suppress(BrokenPipeError, ConnectionResetError):
        client.send(CANARY.encode() * 200_000)
    assert client.read_all()[0]["error"]["code"] == -32001


def break_database(daemon: Daemon) -> None:
    """Make the next calls fail inside the daemon, as a bug would."""
    with closing(sqlite3.connect(daemon.database)) as other:
        other.execute("delete from fingerprint_keys")
        other.commit()


@pytest.mark.parametrize("form", ["text", "json"])
def test_the_log_never_holds_what_is_somebodys(make_daemon: Callable[..., Daemon], form: str):
    limits = {"limits": {"frameMB": 1}}
    loops = {
        "enabled": True,
        "warningThreshold": 3,
        "criticalThreshold": 5,
        "globalCircuitBreakerThreshold": 8,
    }
    daemon = make_daemon(
        {"tools": {"loopDetection": loops}, "guardd": limits},
        arguments=["--log-level", "debug", "--log-format", form],
    ).start()
    with daemon.connect() as client:
        work(client, "r")
        actions = {call["action"] for call in client.ask("run.history", run="r")["calls"]}
        assert actions == {"allow", "warn", "block", "abort"}
        mistakes(client, "r")
    break_database(daemon)
    with daemon.connect() as client:
        reply = client.call("tool.before", runId="r2", toolName="t", args=SECRETS["args"])
        assert reply["error"] == {"code": -32603, "message": "internal error; the daemon's log says more"}
    daemon.configure(f"{{ {CANARY}: ")
    log = daemon.log()
    assert "this is a bug" in log
    assert "IntegrityError" in log
    assert CANARY not in log
    assert "7f3a" not in log
    if form == "json":
        assert all(json.loads(line) for line in log.splitlines())


def stored(daemon: Daemon) -> bytes:
    """Every byte that the daemon keeps."""
    return b"".join(path.read_bytes() for path in daemon.directory.glob("guardd.db*"))


def test_without_previews_the_database_holds_fingerprints_only(make_daemon: Callable[..., Daemon]):
    daemon = make_daemon({"guardd": {"privacy": {"previews": "off"}}}).start()
    with daemon.connect() as client:
        work(client, "r")
        assert {call["preview"] for call in client.ask("run.history", run="r")["calls"]} == {None}
        assert CANARY.encode() not in stored(daemon)
    daemon.stop()
    assert CANARY.encode() not in stored(daemon)


def test_keys_in_the_configuration_are_not_told(make_daemon: Callable[..., Daemon]):
    header = f"Authorization: Bearer {CANARY}{CANARY}"
    notify = {"command": ["curl", "-H", header, "https://example.com"]}
    daemon = make_daemon({"guardd": {"notify": notify}}, arguments=["--log-level", "debug"]).start()
    told = daemon.ask("config.get")
    shown = told["values"]["guardd.notify.command"]["value"]
    assert shown == ["curl -H 'Authorization: ***' https://example.com"]
    assert CANARY not in str(told)
    daemon.configure({"guardd": {"notify": {"command": f"curl -H '{header}'"}}})
    with daemon.connect() as client:
        error = client.call("config.reload")["error"]
    assert "guardd.notify.command" in error["message"]
    assert CANARY not in error["message"]
    assert CANARY not in daemon.log()


@pytest.mark.parametrize("metadata", ["[" * 5000 + "]" * 5000, "1" + "0" * 5000, '{"a": 1e999}'])
def test_metadata_that_cannot_be_looked_through_is_not_kept(daemon: Daemon, metadata: str):
    with daemon.connect() as client:
        request = json.dumps(client.request("run.start", runId="r", metadata=0)).replace(
            '"metadata": 0', f'"metadata": {metadata}'
        )
        client.send(request.encode() + b"\n")
        assert "metadata must be plain JSON" in client.read_line()["error"]["message"]


def test_previews_mask_what_looks_secret(make_daemon: Callable[..., Daemon]):
    daemon = make_daemon({}).start()
    args = {"path": "/etc/hosts", "password": CANARY, "headers": {"Authorization": f"Bearer {CANARY}"}}
    daemon.ask("tool.before", runId="r", toolName="t", args=args)
    daemon.ask("tool.after", runId="r", toolName="t", args=args, result=CANARY)
    (call,) = daemon.ask("run.history", run="r")["calls"]
    assert "/etc/hosts" in call["preview"]
    daemon.stop()
    assert CANARY.encode() not in stored(daemon)
