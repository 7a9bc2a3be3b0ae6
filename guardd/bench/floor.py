"""The floor: the same work by the shortest path, to measure guardd against.

A bare uvloop server decodes with msgspec, runs one simple window query, one insert and one update through raw
sqlite3 (WAL, `synchronous=NORMAL`), each request its own commit, and answers. It knows no runs, no settings and
no rules, checks nothing, and is of no use but as a measure:

    python -m guardd.bench.floor SOCKET DATABASE

It ends when its stdin does, so that it never outlives who started it.
"""

import asyncio
import os
import sqlite3
import sys
from collections.abc import Callable
from hashlib import blake2b
from pathlib import Path
from typing import cast

import msgspec
import uvloop

SCHEMA = """
create table calls(
  run text not null,
  seq integer not null,
  tool text not null,
  signature blob not null,
  outcome blob,
  primary key (run, seq)
) without rowid, strict
"""

WINDOW = """
select count(*) filter (where same), count(outcome) filter (where same and not changes)
from (
  select outcome, signature = :signature as same, sum(signature = :signature and outcome <> (
      select outcome from calls
      where run = :run and signature = :signature and outcome is not null order by seq desc limit 1
    )) over (order by seq desc rows unbounded preceding) as changes
  from calls where run = :run and seq > (select max(seq) from calls where run = :run) - 30
)
"""
"""Of the run's 30 newest calls: how many are this one, and how many of those ended alike, up to the newest.

Of the ways to write that with a window over the 30 rows, the quickest that was found.
"""

INSERT = """
insert into calls (run, seq, tool, signature)
values (:run, (select coalesce(max(seq), 0) + 1 from calls where run = :run), :tool, :signature)
returning seq
"""

UPDATE = """
update calls set outcome = :outcome
where run = :run and seq = (select max(seq) from calls where run = :run)
"""
"""A run has one call at a time here, so an outcome is that of the newest."""


WARNING = 10
CRITICAL = 20


class Params(msgspec.Struct):
    """What is read of a call; `args` and `result` stay as they are written."""

    runId: str  # noqa: N815 - as on the wire
    toolName: str  # noqa: N815
    args: msgspec.Raw = msgspec.Raw(b"{}")
    result: msgspec.Raw = msgspec.Raw(b"null")


class Request(msgspec.Struct):
    """A `tool.before` or `tool.after`."""

    method: str
    params: Params
    id: int


class Verdict(msgspec.Struct):
    """What is answered before a call."""

    action: str
    seq: int
    repeats: int
    streak: int


class Done(msgspec.Struct):
    """What is answered after a call."""

    action: str = "allow"


class Reply(msgspec.Struct):
    """A reply."""

    id: int
    result: Verdict | Done
    jsonrpc: str = "2.0"


decode = msgspec.json.Decoder(Request).decode
encode = msgspec.json.Encoder().encode


class Work:
    """What is done for a request.

    Args:
        path: The database, which is made.
    """

    def __init__(self, path: Path) -> None:
        # Each statement that writes is then a transaction of its own, with nothing said about it.
        connection = sqlite3.connect(path, isolation_level=None)
        connection.execute("pragma journal_mode = wal")
        connection.execute("pragma synchronous = normal")
        connection.execute(SCHEMA)
        self.connection = connection
        self._execute = connection.execute

    def answer(self, frame: bytes) -> bytes:
        """Carry out a request, and return the reply."""
        request = decode(frame)
        params = request.params
        result = self._before(params) if request.method == "tool.before" else self._after(params)
        return encode(Reply(request.id, result)) + b"\n"

    def _before(self, params: Params) -> Verdict:
        signature = blake2b(params.args, digest_size=16).digest()
        call = {"run": params.runId, "tool": params.toolName, "signature": signature}
        repeats, streak = self._execute(WINDOW, call).fetchone()
        [seq] = self._execute(INSERT, call).fetchone()
        action = "block" if streak >= CRITICAL else "warn" if repeats >= WARNING else "allow"
        return Verdict(action, seq, repeats, streak)

    def _after(self, params: Params) -> Done:
        outcome = blake2b(params.result, digest_size=16).digest()
        self._execute(UPDATE, {"run": params.runId, "outcome": outcome})
        return Done()


class Connection(asyncio.Protocol):
    """A connection: a line is a request, and is answered at once.

    Args:
        work: What to do for each.
    """

    def __init__(self, work: Work) -> None:
        self._work = work
        self._begun: list[bytes] = []

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Keep where to write."""
        self._transport = cast("asyncio.Transport", transport)

    def data_received(self, data: bytes) -> None:
        """Answer what is whole."""
        *frames, rest = data.split(b"\n")
        if frames and self._begun:
            frames[0] = b"".join((*self._begun, frames[0]))
            self._begun.clear()
        if rest:
            self._begun.append(rest)
        for frame in frames:
            self._transport.write(self._work.answer(frame))


async def serve(socket: Path, database: Path, make_work: Callable[[Path], Work] = Work) -> None:
    """Serve until stdin ends; `make_work` may do other things for a request."""
    loop = asyncio.get_running_loop()
    work = make_work(database)
    ended = asyncio.Event()
    loop.add_reader(sys.stdin.fileno(), ended.set)
    server = await loop.create_unix_server(lambda: Connection(work), os.fspath(socket))
    await ended.wait()
    server.close()
    work.connection.close()


if __name__ == "__main__":
    uvloop.run(serve(Path(sys.argv[1]), Path(sys.argv[2])))
