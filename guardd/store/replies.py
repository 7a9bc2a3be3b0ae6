"""The replies to requests that may come another time, in the transactions of `store.Store`."""

import sqlite3

from guardd.store import statements


class Replies:
    """What requests with an id were answered with; every method may raise `sqlite3.Error`.

    Args:
        connection: the store's.
    """

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._execute = connection.execute

    def find(self, source: str, method: str, request_id: str) -> tuple[bytes, bytes] | None:
        """The digest of the parameters and the reply of a request that was answered before."""
        row: tuple[bytes, bytes] | None = self._execute(
            statements.FIND_REQUEST,
            {"in_source": source, "in_method": method, "in_request_id": request_id},
        ).fetchone()
        return row

    def keep(
        self, source: str, method: str, request_id: str, params_digest: bytes, reply: bytes, now: int
    ) -> None:
        """Remember the reply to a request, so that its repetition changes nothing."""
        self._execute(
            statements.INSERT_REQUEST,
            {
                "source": source,
                "method": method,
                "request_id": request_id,
                "params_digest": params_digest,
                "reply": reply,
                "at": now,
            },
        )
