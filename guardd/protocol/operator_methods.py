"""Parameters of the methods for people."""

from datetime import datetime
from typing import Annotated

import msgspec
from msgspec import Meta

from guardd.protocol.gateway_methods import MAX_INTEGER
from guardd.times import to_milliseconds
from guardd.vocabulary import Detector, Level, RunStatus

RunReference = Annotated[str, Meta(min_length=1)]
Reason = Annotated[str, Meta(max_length=4096)]
Limit = Annotated[int, Meta(ge=1, le=MAX_INTEGER)]
Cursor = Annotated[str, Meta(max_length=4096)]
SeqNumber = Annotated[int, Meta(ge=0, le=MAX_INTEGER)]
Moment = Annotated[datetime, Meta(tz=True)]
FilePath = Annotated[str, Meta(min_length=1, max_length=4096)]


class RunList(msgspec.Struct, frozen=True, kw_only=True, rename="camel", gc=False):
    """Parameters of ``run.list``.

    Attributes:
        status: Only runs that stand so.
        agent_id: Only this agent's runs.
        source: Only runs of this kind of gateway.
        since: Only runs with activity at or after this time.
        looping: Only runs in which something was found since the last reset, observed or not; or, if false, nothing.
        limit: At most so many runs; fewer may come, with a cursor for more.
        cursor: The ``nextCursor`` of the page before.
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
        run: An exact id, source/id, the beginning of an id that only one run has, or ``latest``, the run with the
            newest activity.
    """

    run: RunReference


class RunHistory(RunGet, frozen=True, kw_only=True, rename="camel", gc=False):
    """Parameters of ``run.history``.

    Attributes:
        limit: At most so many calls; fewer may come, with a cursor for more.
        cursor: The ``nextCursor`` of the page before.
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
        reason: Why; it is stored with the run.
        request_id: Put it in again when the request is repeated: nothing is done twice.
    """

    reason: Reason | None = None
    request_id: str | None = None


class RunAbort(RunGet, frozen=True, kw_only=True, rename="camel", gc=False):
    """Parameters of ``run.abort``.

    Attributes:
        reason: Why; it is stored with the run, and the model is told.
        request_id: Put it in again when the request is repeated: nothing is done twice.
    """

    reason: Reason
    request_id: str | None = None


class EventWatch(msgspec.Struct, frozen=True, kw_only=True, rename="camel", gc=False):
    """Parameters of ``event.watch``.

    Attributes:
        run: Only this run's events; named as in ``run.get``.
        detector: Only this detector's.
        level: Only those of this level.
        since: Only those at or after this time; of those that happen from now on, all.
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
        since: Only those at or after this time.
        limit: At most so many events; fewer may come, with a cursor for more.
        cursor: The ``nextCursor`` of the page before.
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

    request_id: str | None = None


class DatabaseBackup(msgspec.Struct, frozen=True, kw_only=True, rename="camel", gc=False):
    """Parameters of ``db.backup``.

    Attributes:
        path: The file to write: an absolute path, in the daemon's file system, where nothing is yet.
        request_id: Put it in again when the request is repeated: nothing is done twice.
    """

    path: FilePath
    request_id: str | None = None


class DatabasePrune(msgspec.Struct, frozen=True, kw_only=True, rename="camel", gc=False):
    """Parameters of ``db.prune``.

    Attributes:
        older_than: Runs without activity since then; by the configured retention where absent.
        dry_run: Only say what would go.
        request_id: Put it in again when the request is repeated: nothing is done twice.
    """

    older_than: Moment | None = None
    dry_run: bool = False
    request_id: str | None = None

    @property
    def older_than_ms(self) -> int | None:
        """`older_than` in milliseconds since 1970."""
        return None if self.older_than is None else to_milliseconds(self.older_than)
