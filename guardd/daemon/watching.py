"""`event.watch`: detections are sent to those who asked, after they are committed."""

from dataclasses import dataclass, field

from guardd.daemon.connection import Connection
from guardd.guard import Event
from guardd.protocol import jsonrpc
from guardd.store.reading.events import EventFilter, wire_event


@dataclass(slots=True)
class Watcher:
    """One connection's wish to be told.

    Attributes:
        connection: where to send events.
        wanted: which ones.
        held: events that came while older ones were still being looked up; None once those are sent.
    """

    connection: Connection
    wanted: EventFilter
    held: list[bytes] | None = field(default_factory=list)


class Watchers:
    """All that watch, and the events of the transaction under way."""

    def __init__(self) -> None:
        self._watchers: list[Watcher] = []
        self._uncommitted: list[Event] = []

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
        """Tell a connection of events from now on; they are held until `release`."""
        watcher = Watcher(connection, wanted)
        self._watchers.append(watcher)
        return watcher

    def release(self, watcher: Watcher, older: list[object]) -> None:
        """Send a watcher the older events, then those that came meanwhile, then each as it comes."""
        for event in older:
            watcher.connection.send_event(_line(event))
        for line in watcher.held or ():
            watcher.connection.send_event(line)
        watcher.held = None

    def remove(self, connection: Connection) -> None:
        """Forget a connection."""
        self._watchers = [watcher for watcher in self._watchers if watcher.connection is not connection]

    def _send(self, event: Event) -> None:
        line = _line(event_of(event))
        for watcher in [watcher for watcher in self._watchers if _is_wanted(event, watcher.wanted)]:
            if watcher.held is not None:
                watcher.held.append(line)
            elif not watcher.connection.send_event(line):
                self.remove(watcher.connection)


def _line(event: object) -> bytes:
    return jsonrpc.frame([jsonrpc.notification("event", event)])


def event_of(event: Event) -> dict[str, object]:
    """An event in the form of the protocol."""
    assert event.verdict.detection is not None
    return wire_event(
        event.run.scope,
        event.run.agent_id,
        event.verdict.seq,
        event.verdict.detection,
        observed=event.verdict.would_be is not None,
        at=event.at,
    )


def _is_wanted(event: Event, wanted: EventFilter) -> bool:
    detection = event.verdict.detection
    return (
        detection is not None
        and wanted.run_id in (None, event.run.id)
        and wanted.detector in (None, detection.detector)
        and wanted.level in (None, detection.level)
        and (wanted.since is None or event.at >= wanted.since)
    )
