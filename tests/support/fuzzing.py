"""Streams that nobody would send: a kept corpus, changed at random, and what has to hold of each.

The corpus in `tests/data/fuzz` holds streams by which a fuzzer guided by coverage (Atheris) reached new code, and every
stream that ever broke something, under a name that says what.
"""

import functools
import itertools
import json
import os
import random
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from support.daemon import Daemon, RawClient

from guardd.fingerprint import Arguments, Fingerprinter
from guardd.fingerprint.previews import PREVIEW_LENGTH, preview
from guardd.protocol import jsonrpc
from guardd.protocol.errors import FrameTooLarge, RpcError
from guardd.protocol.framer import Framer
from guardd.protocol.methods import METHODS, decode_params, raw_bytes

CORPUS = Path(__file__).parent.parent / "data" / "fuzz"
LIMIT = 4096
"""Of a frame, in bytes."""
_PIECES = (
    *(b'"', b"\\", b"{", b"}", b"[", b"]", b",", b":", b"\n", b"\r\n", b" ", b"\0", b"\xff", b"\xc3"),
    *(
        b"null",
        b"true",
        b"-0",
        b"1e999",
        b"9" * 40,
        b"NaN",
        b'"\\ud800"',
        b"[" * 600,
        b'{"a":' * 300,
        b"]" * 600,
    ),
    *(
        b'"jsonrpc":"2.0",',
        b'"id":1,',
        b'"method":"tool.after",',
        b'"params":{}',
        b'"args":',
        b'"error":null,',
    ),
    *(b"password=x ", b"://a:b@", b"-----BEGIN PRIVATE KEY-----", b"unknown tool: ", b'"toolName":"t",'),
)
_FINGERPRINTER = Fingerprinter(b"k" * 32)
_TOOLS = ("t", "exec", "process", "message")


def inputs(usual: int) -> int:
    """How many inputs a long run tries: `$GUARDD_FUZZ_INPUTS`, else the usual number."""
    return int(os.environ.get("GUARDD_FUZZ_INPUTS", usual))


@functools.cache
def corpus() -> list[bytes]:
    """The kept streams."""
    return [path.read_bytes() for path in sorted(CORPUS.iterdir())]


def mutations(seed: int) -> Iterator[bytes]:
    """Streams of the corpus, changed in a few places; without end, the same for the same seed."""
    chance = random.Random(seed)  # noqa: S311 - it is to be the same each time
    while True:
        data = bytearray(chance.choice(corpus()))
        for _ in range(chance.choice((1, 1, 2, 3, 8))):
            _change(data, chance)
        yield bytes(data[: 2 * LIMIT])


def _change(data: bytearray, chance: random.Random) -> None:
    at = chance.randrange(len(data) + 1)
    match chance.randrange(6):
        case 0:
            data[at : at + 1] = bytes([chance.randrange(256)])
        case 1:
            del data[at : at + chance.randrange(1, 20)]
        case 2:
            data[at:at] = chance.choice(_PIECES)
        case 3:
            data[at : at + chance.randrange(1, 9)] = chance.choice(_PIECES)
        case 4:
            other = chance.choice(corpus())
            data[at:] = other[chance.randrange(len(other) + 1) :]
        case _:
            data[at:at] = data[at : at + chance.randrange(1, 60)]


def frames_of(stream: bytes, size: int, limit: int = LIMIT) -> list[bytes]:
    """The frames of a stream that comes in pieces of a size, up to one above the limit."""
    framer, frames = Framer(limit), []
    try:
        for start in range(0, len(stream), size):
            framer.feed(stream[start : start + size])
            frames += iter(framer.next_frame, None)
    except FrameTooLarge:
        pass
    return frames


def check_stream(stream: bytes) -> int:
    """Lead a stream all the way to fingerprints and previews; returns how many calls were in it.

    Nothing but `RpcError` may be raised, however it is cut, and each frame has at least one call or refusal.
    """
    frames = frames_of(stream, max(1, len(stream)))
    assert frames == frames_of(stream, 1 + len(stream) % 7)
    calls = [call for frame in frames for call in jsonrpc.read(frame).calls]
    assert len(calls) >= len(frames)
    for call in calls:
        if isinstance(call, jsonrpc.Rejected):
            assert b"\n" not in jsonrpc.failure(call.id, call.error)
            continue
        json.loads(call.id or b"null")
        _check_call(call)
    return len(calls)


def _check_call(call: jsonrpc.Request) -> None:
    for name in (call.method, "tool.after", "run.history"):
        if name not in METHODS:
            continue
        try:
            params: Any = decode_params(METHODS[name], call.params)
        except RpcError as error:
            json.loads(jsonrpc.failure(b"null", error))
            continue
        if name == "tool.after":
            _check_fingerprints(params)


def _check_fingerprints(params: Any) -> None:
    arguments = Arguments.parse(raw_bytes(params.args))
    line = preview(arguments)
    assert len(line) <= PREVIEW_LENGTH
    assert line.isprintable()
    for tool in _TOOLS:
        assert len(_FINGERPRINTER.signature(tool, arguments)) == 16
        _FINGERPRINTER.outcome(tool, arguments, raw_bytes(params.result), raw_bytes(params.error))


def expected_replies(stream: bytes) -> int:
    """How many lines a daemon has to answer: one for each message that is not of notifications alone."""
    return sum(
        any(isinstance(call, jsonrpc.Rejected) or call.id is not None for call in message.calls)
        for message in _messages(stream)
    )


def calls_method(stream: bytes, name: str) -> bool:
    """Whether a method is called, rightly or wrongly."""
    return any(
        isinstance(call, jsonrpc.Request) and call.method == name
        for message in _messages(stream)
        for call in message.calls
    )


def _messages(stream: bytes) -> list[jsonrpc.Message]:
    return [jsonrpc.read(frame) for frame in frames_of(stream, len(stream), len(stream))]


def send_stream(client: RawClient, stream: bytes) -> list[Any]:
    """Send bytes and no more; every message that comes until the daemon closes the connection."""
    client.send(stream)
    client.socket.shutdown(socket.SHUT_WR)
    return client.read_all()


def check_streams(daemon: Daemon, streams: Iterator[bytes]) -> None:
    """Each stream is answered on its connection, as many messages as are due, and another connection goes on."""
    with daemon.connect() as other:
        for stream in streams:
            if calls_method(stream + b"\n", "db.backup"):  # which could write anywhere
                continue
            with daemon.connect() as client:
                replies = [reply for reply in send_stream(client, stream + b"\n") if "method" not in reply]
            assert len(replies) == expected_replies(stream + b"\n"), stream
            for reply in itertools.chain.from_iterable(
                [reply] if isinstance(reply, dict) else reply for reply in replies
            ):
                assert reply.get("error", {}).get("code") != -32603, stream
            assert "result" in other.call("config.get"), stream
        assert other.ask("db.check") == {"ok": True, "problems": []}
    assert daemon.stop() == 0
    assert " ERROR " not in daemon.log().replace("ERROR server: the configuration was not changed", "")
