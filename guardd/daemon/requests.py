"""A request that is repeated after a lost reply gets the first reply again, with nothing counted twice.

The id belongs to (source, method). What is kept is a keyed digest of the parameters and the reply; failed requests
are not remembered.
"""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable
from hashlib import blake2b
from typing import NamedTuple
from weakref import WeakValueDictionary

import msgspec

from guardd.daemon.writer import Writer
from guardd.fingerprint import Arguments
from guardd.protocol import jsonrpc
from guardd.protocol.errors import InvalidParams, RpcError
from guardd.store.names import stored_name
from guardd.store.store import Store
from guardd.vocabulary import DEFAULT_SOURCE

REMEMBERED_MS = 2 * 60 * 60 * 1000
"""How long an id is remembered, in milliseconds; protocol.md asks for an hour."""


class RequestOnce(NamedTuple):
    """A request that is to be done once, however often it comes.

    Attributes:
        source: the kind of gateway.
        method: the method's name.
        request_id: what the client calls it.
        digest: of its parameters.
    """

    source: str
    method: str
    request_id: str
    digest: bytes


def request_of(
    key: bytes, method: str, params: msgspec.Struct, raw_params: bytes | None
) -> RequestOnce | None:
    """What identifies a request; None where it has no id.

    Args:
        key: the secret of the database.
        method: the method's name.
        params: its parameters.
        raw_params: the same as JSON text.
    """
    request_id = getattr(params, "request_id", None)
    if request_id is None:
        return None
    return RequestOnce(
        stored_name(getattr(params, "source", DEFAULT_SOURCE)),
        method,
        stored_name(request_id),
        blake2b(Arguments.parse(raw_params).canonical, key=key, digest_size=16).digest(),
    )


def known_reply(store: Store, request: RequestOnce) -> bytes | None:
    """The JSON of the result that a request got before; None if it is new.

    Raises:
        InvalidParams: its id was used with other parameters.
    """
    known = store.replies.find(request.source, request.method, request.request_id)
    if known is None:
        return None
    digest, reply = known
    if digest != request.digest:
        raise InvalidParams("requestId was used before with other parameters", field="requestId")
    return reply


def answered_once(store: Store, request: RequestOnce, now: int, work: Callable[[], object]) -> bytes:
    """The JSON of a request's result: the first one again if it is known, else that of doing it now.

    Args:
        store: in a transaction.
        request: what identifies it.
        now: milliseconds since the epoch.
        work: does what the request asks for.

    Raises:
        InvalidParams: its id was used with other parameters.
    """
    reply = known_reply(store, request)
    if reply is None:
        reply = jsonrpc.encode(work())
        store.replies.keep(*request, reply, now)
    return reply


class Once:
    """Does what is no transaction of the writer's once for each request id; two of the same id take turns.

    Args:
        store: remembers the replies.
        writer: whose transactions that takes.
    """

    def __init__(self, store: Store, writer: Writer) -> None:
        self._store = store
        self._writer = writer
        self._turns: WeakValueDictionary[RequestOnce, asyncio.Lock] = WeakValueDictionary()

    async def do(self, request: RequestOnce, work: Callable[[], Awaitable[object]]) -> object:
        """The result of a request: the first one again if it is known, else that of doing it now.

        Raises:
            InvalidParams: its id was used with other parameters.
            RpcError: it failed, and is not remembered.
        """
        turn = self._turns.setdefault(request._replace(digest=b""), asyncio.Lock())
        async with turn:
            known = await self._writer.run(lambda _now: known_reply(self._store, request))
            if known is not None:
                return msgspec.Raw(known)
            result = await work()
            with contextlib.suppress(RpcError):  # it is done, even if that cannot be remembered
                await self._writer.run(lambda now: answered_once(self._store, request, now, lambda: result))
            return result
