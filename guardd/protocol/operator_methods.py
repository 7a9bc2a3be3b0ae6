"""Parameters of the methods for people."""

from datetime import datetime
from typing import Annotated

import msgspec
from msgspec import Meta

from guardd.protocol.gateway_methods import MAX_INTEGER, RequestId
from guardd.times import to_milliseconds
from guardd.vocabulary import Detector, Level, RunStatus

RunReference = Annotated[
    str,
    Meta(
        min_length=1, description="An exact id, source/id, a unique prefix, or latest (the newest activity)."
    ),
]
Reason = Annotated[str, Meta(max_length=4096, description="Why; it is recorded.")]
Limit = Annotated[
    int, Meta(ge=1, le=MAX_INTEGER, description="At most so many; fewer may come, with nextCursor.")
]
Cursor = Annotated[str, Meta(max_length=4096, description="The nextCursor of the page before.")]
SeqNumber = Annotated[int, Meta(ge=0, le=MAX_INTEGER)]
Moment = Annotated[datetime, Meta(tz=True)]
FilePath = Annotated[str, Meta(min_length=1, max_length=4096, description="An absolute path.")]


class RunList(msgspec.Struct, frozen=True, kw_only=True, rename="camel", gc=False):
    """Parameters of ``run.list``.

    Attributes:
        status: Only runs that stand so.
        agent_id: Only this agent's runs.
        source: Only runs of this kind of gateway.
        since: Only runs with activity at or after this time.
        looping: Only runs in which something was found since the last reset, observed or not; or, if false, nothing.
        limit: The greatest number of runs.
        cursor: Where the page before ended.
    """

    status: RunStatus | None = None
    agent_id: str | None = None
    source: str | None = None
    since: Moment | None = None
    looping: bool | None = None
    limit: Limit | None = None
    cursor: Cursor | None = None

    @property
    def since_ms(self) -> int | None:
        """`since` in milliseconds since 1970."""
        return None if self.since is None else to_milliseconds(self.since)


class RunGet(msgspec.Struct, frozen=True, kw_only=True, rename="camel", gc=False):
    """Parameters of ``run.get``.

    Attributes:
        run: The run.
    """

    run: RunReference


class RunHistory(RunGet, frozen=True, kw_only=True, rename="camel", gc=False):
    """Parameters of ``run.history``.

    Attributes:
        limit: The greatest number of calls.
        cursor: Where the page before ended.
        before_seq: Only calls with a smaller number.
        after_seq: Only calls with a greater number.
    """

    limit: Limit | None = None
    cursor: Cursor | None = None
    before_seq: SeqNumber | None = None
    after_seq: SeqNumber | None = None


class RunExplain(RunGet, frozen=True, kw_only=True, rename="camel", gc=False):
    """Parameters of ``run.explain``.

    Attributes:
        seq: The call; the newest whose verdict is not allow where absent.
    """

    seq: SeqNumber | None = None


class RunReset(RunGet, frozen=True, kw_only=True, rename="camel", gc=False):
    """Parameters of ``run.reset``.

    Attributes:
        reason: Why.
        request_id: Makes a repeated request count once.
    """

    reason: Reason | None = None
    request_id: RequestId = None


class RunAbort(RunGet, frozen=True, kw_only=True, rename="camel", gc=False):
    """Parameters of ``run.abort``.

    Attributes:
        reason: Why; the model is told.
        request_id: Makes a repeated request count once.
    """

    reason: Reason
    request_id: RequestId = None


class EventWatch(msgspec.Struct, frozen=True, kw_only=True, rename="camel", gc=False):
    """Parameters of ``event.watch``.

    Attributes:
        run: Only this run's events.
        detector: Only this detector's.
        level: Only those of this level.
        since: Only those at or after this time.
    """

    run: RunReference | None = None
    detector: Detector | None = None
    level: Level | None = None
    since: Moment | None = None

    @property
    def since_ms(self) -> int | None:
        """`since` in milliseconds since 1970."""
        return None if self.since is None else to_milliseconds(self.since)


class EventList(EventWatch, frozen=True, kw_only=True, rename="camel", gc=False):
    """Parameters of ``event.list``.

    Attributes:
        limit: The greatest number of events.
        cursor: Where the page before ended.
    """

    limit: Limit | None = None
    cursor: Cursor | None = None


class ConfigGet(msgspec.Struct, frozen=True, kw_only=True, rename="camel", gc=False):
    """Parameters of ``config.get``.

    Attributes:
        agent_id: Whose effective values; the global ones where absent.
    """

    agent_id: str | None = None


class ConfigReload(msgspec.Struct, frozen=True, kw_only=True, rename="camel", gc=False):
    """Parameters of ``config.reload``.

    Attributes:
        request_id: Accepted as everywhere; reloading twice does the same.
    """

    request_id: RequestId = None


class DatabaseBackup(msgspec.Struct, frozen=True, kw_only=True, rename="camel", gc=False):
    """Parameters of ``db.backup``.

    Attributes:
        path: The file to write, in the daemon's file system.
        request_id: Makes a repeated request count once.
    """

    path: FilePath
    request_id: RequestId = None


class DatabasePrune(msgspec.Struct, frozen=True, kw_only=True, rename="camel", gc=False):
    """Parameters of ``db.prune``.

    Attributes:
        older_than: Runs without activity since then; by the configured retention where absent.
        dry_run: Only say what would go.
        request_id: Makes a repeated request count once.
    """

    older_than: Moment | None = None
    dry_run: bool = False
    request_id: RequestId = None

    @property
    def older_than_ms(self) -> int | None:
        """`older_than` in milliseconds since 1970."""
        return None if self.older_than is None else to_milliseconds(self.older_than)
