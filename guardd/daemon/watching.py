"""`event.watch`: detections are sent to those who asked, after they are committed."""

from __future__ import annotations

import logging
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from guardd.daemon.answers import event_line, event_of
from guardd.daemon.logs import fields
from guardd.store.reading.events import EventFilter, events_between

if TYPE_CHECKING:
    from guardd.daemon.connection import Connection
    from guardd.daemon.server import Server
    from guardd.guard import Event

logger = logging.getLogger("guardd.watching")

PAGE = 1000
"""Older events that are sent at once."""


@dataclass(slots=True, eq=False)
class Watcher:
    """One connection's wish to be told.

    Attributes:
        connection: where to send events.
        wanted: which ones.
        live: it has been sent all older ones, and gets each as it comes.
    """

    connection: Connection
    wanted: EventFilter
    live: bool = False


class Watchers:
    """All that watch, and the events of the transaction under way."""

    def __init__(self) -> None:
        self._watchers: list[Watcher] = []
        self._uncommitted: list[Event] = []

    def __contains__(self, watcher: Watcher) -> bool:
        return watcher in self._watchers

    def is_watching(self, connection: Connection) -> bool:
        """Whether a connection has asked for events."""
        return any(watcher.connection is connection for watcher in self._watchers)

    def publish(self, event: Event) -> None:
        """Take an event; it is sent when its transaction is committed."""
        self._uncommitted.append(event)

    def discard(self) -> None:
        """Forget the events of a transaction that was undone."""
        self._uncommitted.clear()

    def committed(self) -> list[Event]:
        """Send the events of a transaction that is committed, and return them."""
        if not self._uncommitted:
            return []
        events, self._uncommitted = self._uncommitted, []
        for event in events if self._watchers else ():
            self._send(event)
        return events

    def add(self, connection: Connection, wanted: EventFilter) -> Watcher:
        """Watch for a connection, in place of what it watched before; `catch_up` makes it live."""
        self.remove(connection)
        watcher = Watcher(connection, wanted)
        if not connection.is_closing:
            self._watchers.append(watcher)
        return watcher

    def remove(self, connection: Connection) -> None:
        """Forget a connection."""
        self._watchers = [watcher for watcher in self._watchers if watcher.connection is not connection]

    def _send(self, event: Event) -> None:
        line = event_line(event_of(event))
        for watcher in [one for one in self._watchers if one.live and _is_wanted(event, one.wanted)]:
            if not watcher.connection.send_event(line):
                self.remove(watcher.connection)


async def catch_up(server: Server, watcher: Watcher, after: int) -> None:
    """Send a watcher what was detected meanwhile, as it takes it, until nothing is missing; then it is live.

    Args:
        server: whose database and watchers.
        watcher: one that was just added.
        after: the id of the last detection that it needs not be told of.
    """
    newest = server.database.store.newest_detection()
    try:
        while watcher in server.watchers:
            if after >= newest:  # what has come since then is no older event, whatever the clock says
                watcher.wanted = replace(watcher.wanted, since=None)
                newest = server.database.store.newest_detection()
            if after >= newest:
                watcher.live = True
                return
            after = await _send_page(server, watcher, after, newest)
            await watcher.connection.drained()
    except Exception as error:  # a watcher with a gap would not know of it
        logger.exception("older events could not be sent", extra=fields(error=type(error).__name__))
        watcher.connection.close(abort=True)


async def _send_page(server: Server, watcher: Watcher, after: int, newest: int) -> int:
    page = await server.readers.ask(
        lambda connection: events_between(connection, watcher.wanted, after, newest, PAGE)
    )
    for _detection_id, event in page if watcher in server.watchers else ():
        watcher.connection.send_event(event_line(event))
    return int(page[-1][0]) if len(page) == PAGE else newest


def _is_wanted(event: Event, wanted: EventFilter) -> bool:
    """Whether an event that happens now is one of those; `since` is about older ones, whatever the clock says."""
    detection = event.verdict.detection
    return (
        detection is not None
        and wanted.run_id in (None, event.run.id)
        and wanted.detector in (None, detection.detector)
        and wanted.level in (None, detection.level)
    )
