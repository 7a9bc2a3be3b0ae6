"""Whatever a peer sends, the daemon goes on, and each request gets one reply."""

import itertools
import json
import random
import socket
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from support.daemon import Daemon
from support.fuzzing import check_streams, corpus, mutations
from support.schemas import cases, not_named

from guardd.protocol.methods import METHODS

VALUES: list[Any] = [
    *(None, True, 0, -1, 1.5, 2**70, -(2**63), 1e308),
    *("", "t", "latest", "\N{SNOWMAN}", "\ud800", "\0", "a" * 600),
    *([], {}, [1], {"a": [None]}),
    *("2026-01-01T00:00:00Z", "active", "completed", "warning"),
]
FIELDS = sorted({field for method in METHODS.values() for field in method.known_fields} - {"path"})
LINES = 1000
BY_NAME = "by name"


class Peer:
    """Makes up messages, mostly of the right form.

    Attributes:
        ids: of the requests that must be answered.
    """

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)  # noqa: S311 - it is to be the same each time
        self.ids: list[str] = []

    def lines(self) -> Iterator[bytes]:
        """Messages, a line each."""
        for _ in range(LINES):
            kind = self._random.random()
            if kind < 0.7:
                yield self._encode(self._request())
            elif kind < 0.8:
                yield self._encode([self._request() for _ in range(self._random.randrange(1, 5))])
            else:
                yield self._broken()

    def _encode(self, message: object) -> bytes:
        return json.dumps(message, ensure_ascii=True).encode() + b"\n"

    def _request(self) -> dict[str, Any]:
        self.ids.append(f"request {len(self.ids)}")
        return self._call() | {"id": self.ids[-1]}

    def _call(self) -> dict[str, Any]:
        method = self._random.choice([*METHODS, "no.such", *["tool.before", "tool.after"] * 8])
        return {"jsonrpc": "2.0", "method": method, "params": self._params()}

    def _params(self) -> Any:
        chance = self._random.random()
        if chance < 0.05:
            return self._random.choice(VALUES)
        params = {"toolName": "t", "run": "r1", "runId": self._random.choice(["r0", "r1"])}
        more = self._random.sample(FIELDS, self._random.randrange(4))
        return params | {name: self._random.choice(VALUES) for name in more}

    def _broken(self) -> bytes:
        """Most of a notification, some bytes of which were exchanged."""
        data = bytearray(self._encode(self._call()).rstrip())
        for _ in range(self._random.randrange(1, 4)):
            data[self._random.randrange(len(data))] = self._random.randrange(256)
        return bytes(data) + b"\n"


@pytest.mark.parametrize("seed", range(3))
def test_each_request_gets_one_reply(make_daemon: Callable[..., Daemon], seed: int):
    daemon = make_daemon().start()
    peer = Peer(seed)
    sent = b"".join(peer.lines())
    with daemon.connect() as client:

        def send() -> None:
            client.send(sent)
            client.socket.shutdown(socket.SHUT_WR)

        sender = threading.Thread(target=send)
        sender.start()
        messages = client.read_all()
        sender.join()
    replies = [
        reply for message in messages for reply in (message if isinstance(message, list) else [message])
    ]
    answered = [reply["id"] for reply in replies if isinstance(reply.get("id"), str)]
    assert sorted(name for name in answered if name.startswith("request ")) == sorted(peer.ids)
    assert all(("result" in reply) != ("error" in reply) for reply in replies if "method" not in reply)
    assert not [reply for reply in replies if reply.get("error", {}).get("code") == -32603]
    assert daemon.ask("db.check") == {"ok": True, "problems": []}
    assert daemon.stop() == 0
    assert " ERROR " not in daemon.log()


def test_the_kept_corpus(make_daemon: Callable[..., Daemon]):
    check_streams(make_daemon().start(), iter(corpus()))


@pytest.mark.parametrize("seed", range(2))
def test_changed_streams(make_daemon: Callable[..., Daemon], seed: int):
    check_streams(make_daemon().start(), itertools.islice(mutations(seed + 100), 400))


def test_each_parameter_of_each_method(make_daemon: Callable[..., Daemon]):
    daemon = make_daemon().start()
    daemon.ask("tool.before", runId="r", toolName="t")
    requests = [
        {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
        for number, (method, params) in enumerate(
            [
                *((method, params) for method, _field, params, _taken in cases() if method != "event.watch"),
                *not_named(),
            ]
        )
    ]
    fields = [(field, taken) for method, field, _params, taken in cases() if method != "event.watch"]
    with daemon.connect() as client:
        replies = {reply["id"]: reply for reply in client.pipeline(requests)}
    assert len(replies) == len(requests)
    for request, (field, taken) in itertools.zip_longest(requests, fields, fillvalue=(BY_NAME, False)):
        error = replies[request["id"]].get("error", {})
        assert error.get("code") != -32603, (request, error)
        if not taken:
            assert error["code"] in {-32602, -32600}, (request, error)
            assert field in error["message"] or field == BY_NAME, (request, error)
    assert daemon.stop() == 0
    assert " ERROR " not in daemon.log()
