"""A request that is repeated after a lost reply gets the first reply again, with nothing counted twice.

The id belongs to (source, method). What is kept is a keyed digest of the parameters and the reply; failed requests
are not remembered.
"""

from collections.abc import Callable
from hashlib import blake2b

import msgspec

from guardd.fingerprint import Arguments
from guardd.protocol import jsonrpc
from guardd.protocol.errors import InvalidParams
from guardd.store.names import stored_name
from guardd.store.store import Store

REMEMBERED_MS = 2 * 60 * 60 * 1000
"""How long an id is remembered, in milliseconds; protocol.md asks for an hour."""
_NO_SOURCE = "default"


def answered_once(
    store: Store,
    key: bytes,
    method: str,
    params: msgspec.Struct,
    raw_params: bytes | None,
    now: int,
    work: Callable[[], object],
) -> bytes:
    """The JSON of a request's result: the first one again if its id is known, else that of doing it now.

    Args:
        store: in a transaction.
        key: the secret of the database.
        method: the method's name.
        params: its parameters.
        raw_params: the same as JSON text.
        now: milliseconds since the epoch.
        work: does what the request asks for.

    Raises:
        InvalidParams: the id was used with other parameters.
    """
    request_id = getattr(params, "request_id", None)
    if request_id is None:
        return jsonrpc.encode(work())
    source = stored_name(getattr(params, "source", _NO_SOURCE))
    request_id = stored_name(request_id)
    digest = blake2b(Arguments.parse(raw_params).canonical, key=key, digest_size=16).digest()
    known = store.find_reply(source, method, request_id)
    if known is not None:
        known_digest, reply = known
        if known_digest != digest:
            raise InvalidParams("requestId was used before with other parameters", field="requestId")
        return reply
    reply = jsonrpc.encode(work())
    store.keep_reply(source, method, request_id, digest, reply, now)
    return reply
