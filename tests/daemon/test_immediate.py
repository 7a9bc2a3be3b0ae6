"""What the daemon says about itself."""

import os
import sqlite3
import time
from collections.abc import Callable
from datetime import datetime

import pytest
from support.daemon import Daemon, RawClient

import guardd
from guardd.protocol.methods import METHODS
from guardd.protocol.openrpc import document

MakeDaemon = Callable[..., Daemon]


def test_discover_answers_the_document(client: RawClient):
    assert client.ask("rpc.discover") == document()
    assert {method["name"] for method in client.ask("rpc.discover")["methods"]} == set(METHODS)


def test_status(shared: Daemon, run_id: str):
    before = shared.ask("server.status")
    shared.ask("tool.before", runId=run_id, toolName="t")
    status = shared.ask("server.status")
    assert (status["runs"], status["calls"]) == (before["runs"] + 1, before["calls"] + 1)
    assert (status["version"], status["pid"]) == (guardd.__version__, shared.process.pid)
    assert 0 < before["uptimeSeconds"] <= status["uptimeSeconds"]
    assert status["database"]["path"] == str(shared.database)
    assert status["database"]["bytes"] == shared.database.stat().st_size
    assert status["database"]["walBytes"] > 0
    assert (status["sqliteVersion"], status["mode"]) == (sqlite3.sqlite_version, "enforce")
    with shared.connect() as one, shared.connect() as two:
        assert two.ask("server.status")["connections"] == status["connections"] + 2
        one.ask("rpc.discover")


def test_status_says_what_only_the_daemon_knows(shared: Daemon, run_id: str):
    shared.ask("tool.before", runId=run_id, toolName="t")
    before = time.time()
    status = shared.ask("server.status")
    told = datetime.fromisoformat(status["time"]).timestamp()
    assert before - 0.001 <= told <= time.time()
    newest = shared.ask("run.list", limit=1)["runs"][0]
    assert newest["run"] == run_id
    assert status["lastActivityAt"] == newest["lastActivityAt"]
    assert (status["configPath"], status["socket"]) == (str(shared.config_file), str(shared.socket))
    assert status["waitsForRestart"] == []
    assert status["database"]["journalMode"] == "wal"
    disk = os.statvfs(shared.database.parent)
    assert 0 < status["database"]["freeBytes"] < status["database"]["diskBytes"]
    assert status["database"]["diskBytes"] == disk.f_blocks * disk.f_frsize


def test_status_of_a_daemon_that_nobody_has_asked_anything(make_daemon: Callable[..., Daemon]):
    daemon = make_daemon({}).start()
    assert daemon.ask("server.status")["lastActivityAt"] is None
    daemon.configure({"guardd": {"database": {"durability": "full"}}})
    daemon.ask("config.reload")
    waiting = ["guardd.database has changed, which takes effect at the next start"]
    assert daemon.ask("server.status")["waitsForRestart"] == waiting


def test_config_get_says_where_each_value_came_from(shared: Daemon):
    config = shared.ask("config.get", agentId="anybody")
    assert (config["agentId"], config["path"]) == ("anybody", str(shared.config_file))
    set_value = config["values"]["tools.loopDetection.warningThreshold"]
    assert set_value == {"value": 3, "origin": f"{shared.config_file}: tools.loopDetection.warningThreshold"}
    assert config["values"]["tools.loopDetection.historySize"] == {"value": 30, "origin": "default"}


def test_config_reload_says_what_was_read(shared: Daemon):
    assert shared.ask("config.reload") == {"path": str(shared.config_file), "warnings": []}


def values(client: RawClient) -> dict[str, float]:
    lines = client.ask("server.metrics").splitlines()
    return {name: float(value) for name, value in (line.rsplit(" ", 1) for line in lines if line[0] != "#")}


@pytest.mark.parametrize(
    ("metric", "grown"),
    [
        ('guardd_requests_total{method="tool.before"}', 4),
        ('guardd_requests_total{method="run.get"}', 1),
        ('guardd_verdicts_total{detector="generic_repeat",action="warn"}', 1),
        ('guardd_calls_total{action="allow"}', 3),
        ('guardd_calls_total{action="warn"}', 1),
        ('guardd_errors_total{code="-32601",kind="method_not_found"}', 2),
        ('guardd_errors_total{code="-32003",kind="run_not_found"}', 1),
        ("guardd_call_seconds_count", 4),
        ('guardd_runs{status="active"}', 1),
    ],
)
def test_metrics_count_what_happens(client: RawClient, run_id: str, metric: str, grown: int):
    before = values(client)
    for _ in range(4):
        client.ask("tool.before", runId=run_id, toolName="t")
    for method in ("no.such", "no.such.either"):
        client.call(method)
    client.call("run.get", run="nobody's")
    after = values(client)
    assert after[metric] - before.get(metric, 0) == grown


def test_commits_are_timed(client: RawClient, run_id: str):
    before = values(client)["guardd_commit_seconds_count"]
    client.ask("tool.before", runId=run_id, toolName="t")
    assert values(client)["guardd_commit_seconds_count"] > before


def test_a_call_that_is_repeated_counts_once(client: RawClient, run_id: str):
    before = values(client)
    for _ in range(3):
        client.ask("tool.before", runId=run_id, toolName="t", requestId=run_id)
    assert (
        values(client)['guardd_calls_total{action="allow"}']
        == before['guardd_calls_total{action="allow"}'] + 1
    )


def test_what_a_connection_is_refused_for_counts_too(client: RawClient, shared: Daemon):
    name = 'guardd_errors_total{code="-32001",kind="frame_too_large"}'
    before = values(client)[name]
    with shared.connect() as other:
        other.send(b"x" * (16 * 1024 * 1024 + 1))
        assert other.read_line()["error"]["code"] == -32001
    assert values(client)[name] == before + 1


def test_metrics_come_without_a_database_too(make_daemon: MakeDaemon):
    """Whatever is broken, that can be seen."""
    daemon = make_daemon().start()
    daemon.ask("run.start", runId="r")
    with daemon.database.open("r+b") as file:
        file.truncate(0)
    daemon.database.with_name(f"{daemon.database.name}-wal").unlink()
    daemon.database.with_name(f"{daemon.database.name}-shm").unlink()
    text = daemon.ask("server.metrics")
    assert "guardd_runs{" not in text
    assert "guardd_connections 1" in text


def test_gauges_are_of_the_moment(shared: Daemon, client: RawClient):
    found = values(client)
    assert found["guardd_connections"] >= 1
    assert found["guardd_buffered_bytes"] == found["guardd_queue"] == 0
    assert found["guardd_database_bytes"] == shared.database.stat().st_size
    assert found["guardd_process_id"] == shared.process.pid
