"""A request that is repeated counts once."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from support.daemon import Daemon, RawClient
from support.databases import open_new

from guardd.daemon.requests import REMEMBERED_MS, answered_once, known_reply, request_of
from guardd.protocol.errors import InvalidParams
from guardd.protocol.methods import METHODS, decode_params
from guardd.store.opening import Database
from guardd.store.pruning import forget_requests

HOUR_MS = 60 * 60 * 1000


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    with open_new(tmp_path / "guardd.db") as database:
        yield database


def do(database: Database, raw: str, now: int = 0, method: str = "tool.before") -> bytes:
    """Answer a request whose work is to give the time."""
    params = decode_params(METHODS[method], raw.encode())
    request = request_of(database.key, method, params, raw.encode())
    assert request is not None
    return answered_once(database.store, request, now, lambda: {"now": now})


PARAMS = '{"requestId":"q","toolName":"t","args":{"a":[1,"x"],"b":2}}'


def test_without_an_id_a_request_has_no_identity(database: Database):
    params = decode_params(METHODS["tool.before"], b'{"toolName":"t"}')
    assert request_of(database.key, "tool.before", params, b'{"toolName":"t"}') is None


@pytest.mark.parametrize(
    "again",
    [
        PARAMS,
        '{ "args" : {"b":2,\t"a":[ 1, "x" ]} , "toolName":"t","requestId":"q"}',
        '{"requestId":"q","toolName":"\\u0074","args":{"a":[1.0,"x"],"b":2}}',
    ],
)
def test_the_first_reply_comes_again(database: Database, again: str):
    first = do(database, PARAMS, now=1)
    assert json.loads(first) == {"now": 1}
    assert do(database, again, now=2) == first


@pytest.mark.parametrize(
    "other",
    [
        '{"requestId":"q","toolName":"T","args":{"a":[1,"x"],"b":2}}',
        '{"requestId":"q","toolName":"t","args":{"a":["x",1],"b":2}}',
        '{"requestId":"q","toolName":"t"}',
        '{"requestId":"q","toolName":"t","args":{"a":[1,"x"],"b":2},"newer":1}',
    ],
)
def test_other_parameters_under_the_same_id_are_an_error(database: Database, other: str):
    do(database, PARAMS)
    with pytest.raises(InvalidParams, match="used before with other parameters") as caught:
        do(database, other)
    assert caught.value.field == "requestId"


def test_an_id_belongs_to_its_source_and_method(database: Database):
    do(database, '{"requestId":"q","toolName":"t"}', now=1)
    assert json.loads(do(database, '{"requestId":"q","toolName":"t","source":"s"}', now=2)) == {"now": 2}
    assert json.loads(do(database, '{"requestId":"q","toolName":"t"}', 3, "tool.after")) == {"now": 3}


def test_an_id_of_any_length_is_remembered(database: Database):
    long = json.dumps({"requestId": "q" * 100_000, "toolName": "t"})
    first = do(database, long, now=1)
    assert do(database, long, now=2) == first
    assert json.loads(do(database, long.replace('qq"', 'qr"'), now=3)) == {"now": 3}


def test_work_that_fails_is_not_remembered(database: Database):
    params = decode_params(METHODS["tool.before"], PARAMS.encode())
    request = request_of(database.key, "tool.before", params, PARAMS.encode())
    assert request is not None

    def fail() -> object:
        raise InvalidParams("no")

    with pytest.raises(InvalidParams, match="no"):
        answered_once(database.store, request, 0, fail)
    assert known_reply(database.store, request) is None


def test_a_digest_says_nothing_without_the_databases_key(database: Database):
    params = decode_params(METHODS["tool.before"], PARAMS.encode())
    ours, others = (
        request_of(key, "tool.before", params, PARAMS.encode()) for key in (database.key, bytes(32))
    )
    assert ours is not None
    assert others is not None
    assert ours.digest != others.digest


def test_requests_are_remembered_for_an_hour_at_least_and_then_forgotten(database: Database):
    def forget(now: int) -> None:
        forget_requests(database.connection, now - REMEMBERED_MS)

    assert REMEMBERED_MS >= HOUR_MS
    do(database, PARAMS, now=0)
    forget(REMEMBERED_MS)
    assert json.loads(do(database, PARAMS, now=REMEMBERED_MS)) == {"now": 0}
    forget(REMEMBERED_MS + 1)
    assert database.connection.execute("select count(*) from requests").fetchone() == (0,)
    assert json.loads(do(database, PARAMS, now=REMEMBERED_MS + 1)) == {"now": REMEMBERED_MS + 1}


# On a real daemon


def report(client: RawClient, run_id: str, request_id: str, **params: Any) -> dict[str, Any]:
    return client.request("tool.before", runId=run_id, toolName="read", requestId=request_id, **params)


def test_a_repeated_request_counts_once_on_any_connection(shared: Daemon, run_id: str):
    replies = []
    for _ in range(3):
        with shared.connect() as client:
            replies += client.pipeline([report(client, run_id, run_id)] * 2)
    assert all(reply == replies[0] for reply in replies)
    assert shared.ask("run.get", run=run_id)["calls"] == 1


def test_a_repeated_request_counts_once_in_a_batch(client: RawClient, run_id: str):
    once, twice = report(client, run_id, run_id), report(client, run_id, run_id)
    client.send_line([once, twice, report(client, run_id, run_id + "'"), once])
    assert [reply["result"]["seq"] for reply in client.read_line()] == [1, 1, 2, 1]


def test_the_others_of_a_batch_are_not_harmed_by_a_wrong_repetition(client: RawClient, run_id: str):
    batch = [report(client, run_id, run_id, args={"n": number}) for number in (1, 2)]
    client.send_line([*batch, report(client, run_id, run_id + "'")])
    first, second, third = client.read_line()
    assert (first["result"]["seq"], third["result"]["seq"]) == (1, 2)
    assert second["error"]["code"] == -32602
    assert second["error"]["data"] == {"field": "requestId"}


def test_a_failed_request_may_be_sent_again(client: RawClient, run_id: str):
    with pytest.raises(InvalidParams):
        client.ask("run.start", runId=run_id, requestId=run_id, metadata="m" * 100_000)
    assert client.ask("run.start", runId=run_id, requestId=run_id)["resumed"] is False


def test_the_first_reply_survives_a_kill(make_daemon: Callable[..., Daemon]):
    daemon = make_daemon().start()
    params = {"runId": "r", "toolName": "read", "requestId": "q"}
    for number in range(4):
        daemon.ask("tool.before", runId="r", toolName="read", requestId=f"other {number}")
    first = daemon.ask("tool.before", **params)
    assert (first["action"], first["seq"]) == ("warn", 5)
    daemon.ask("run.reset", run="r", requestId="q")
    daemon.restart()
    assert daemon.ask("tool.before", **params) == first
    assert daemon.ask("run.reset", run="r", requestId="q")["status"] == "active"
    with pytest.raises(InvalidParams):
        daemon.ask("tool.before", **params, args={"other": True})
    assert daemon.ask("run.get", run="r")["calls"] == 5
    resets = [marker["kind"] for marker in daemon.ask("run.history", run="r")["markers"]]
    assert resets.count("reset") == 1


def test_what_the_daemon_does_outside_of_a_transaction_counts_once_too(
    make_daemon: Callable[..., Daemon], tmp_path: Path
):
    daemon = make_daemon().start()
    daemon.ask("run.end", runId="r", status="completed")
    copy = {"path": str(tmp_path / "copy.db"), "requestId": "q"}
    with daemon.connect() as client:
        first, second = (
            reply["result"] for reply in client.pipeline([client.request("db.backup", **copy)] * 2)
        )
    assert first == second
    assert msgspec.convert(first, METHODS["db.backup"].result).path == copy["path"]
    daemon.restart()
    assert daemon.ask("db.backup", **copy) == first
    with pytest.raises(InvalidParams, match="other parameters"):
        daemon.ask("db.backup", **copy | {"path": str(tmp_path / "another.db")})
    with pytest.raises(InvalidParams, match="exists already"):
        daemon.ask("db.backup", path=copy["path"])


@pytest.mark.parametrize("method", ["config.reload", "db.prune"])
def test_and_so_do_these(client: RawClient, method: str):
    assert client.ask(method, requestId=method) == client.ask(method, requestId=method)
