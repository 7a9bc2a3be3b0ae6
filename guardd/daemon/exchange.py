"""The replies to one frame, gathered until all are there."""

from collections.abc import Callable

from guardd.protocol import jsonrpc
from guardd.protocol.errors import RpcError


class Exchange:
    """A frame that was received, and its answers as they come, in whatever order.

    Args:
        size: how many calls are in it.
        batch: whether they came as an array.
        send: takes the bytes of the reply, which may be none.
    """

    __slots__ = ("_batch", "_replies", "_send", "_waiting")

    def __init__(self, size: int, *, batch: bool, send: Callable[[bytes], None]) -> None:
        self._batch = batch
        self._send = send
        self._waiting = size
        self._replies: list[bytes | None] = [None] * size

    def answer(self, index: int, call_id: bytes | None, outcome: bytes | RpcError) -> None:
        """Take the outcome of one call; a notification, whose id is None, gets no reply whatever it is."""
        if call_id is not None:
            self._replies[index] = (
                jsonrpc.failure(call_id, outcome)
                if isinstance(outcome, RpcError)
                else jsonrpc.success(call_id, outcome)
            )
        self._waiting -= 1
        if self._waiting == 0:
            replies = [reply for reply in self._replies if reply is not None]
            self._send(jsonrpc.frame(replies, batch=self._batch))
