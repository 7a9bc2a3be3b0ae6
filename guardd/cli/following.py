"""What `--follow` waits for: a run's history growing, by asking again, and events, which the daemon sends.

Neither ends by itself. A daemon that goes away, perhaps to be restarted, is waited for; stderr says so.
"""

import time
from collections.abc import Callable, Iterator
from typing import Any

from guardd.cli import forms
from guardd.cli.connect import Daemon, asking_daemon
from guardd.cli.errors import Failure, Status
from guardd.cli.options import ALL, Shared
from guardd.cli.paging import History, history, marker_key, newest

INTERVAL = 0.5
"""Seconds between two looks at a history."""

RETRY = 1.0
"""Seconds between two attempts to reach a daemon that went away."""

LOOK_BACK = 100
"""How many calls back an outcome is still noticed."""

Batch = list[dict[str, Any]]
"""Calls and markers, or events, that were noticed at once."""

_CHANGING = ("state", "action", "durationMs")


class Follower:
    """Knows what of a run has been shown, and so what is news.

    Args:
        past: The history at the start, none of it shown yet.
    """

    def __init__(self, past: History) -> None:
        self.run = past.run
        self._newest = 0
        self._shown: dict[int, tuple[Any, ...]] = {}
        self._markers: set[tuple[Any, ...]] = set()

    @property
    def after(self) -> int:
        """The seq after which calls may be new or have changed."""
        waiting = [seq for seq, shown in self._shown.items() if shown[0] == "pending"]
        return min(waiting, default=self._newest + 1) - 1

    def news(self, recent: History) -> Batch:
        """The calls and markers that are new, and calls whose outcome has come, in order."""
        found: list[tuple[int, dict[str, Any]]] = []
        for marker in recent.markers:
            if marker_key(marker) not in self._markers:
                self._markers.add(marker_key(marker))
                found.append((marker["afterSeq"] + 1, marker))
        for call in recent.calls:
            seen = tuple(call[field] for field in _CHANGING)
            if self._shown.get(call["seq"]) != seen:
                self._shown[call["seq"]] = seen
                self._newest = max(self._newest, call["seq"])
                found.append((call["seq"], call))
        for seq in [seq for seq in self._shown if seq <= self._newest - LOOK_BACK]:
            del self._shown[seq]
        return [one for _, one in sorted(found, key=lambda pair: pair[0])]


def polled(shared: Shared, past: History) -> Iterator[Batch]:
    """What a run's history holds and then gains, for ever."""
    follower = Follower(past)
    yield follower.news(past)

    def looks(daemon: Daemon) -> Iterator[Batch]:
        while True:
            yield follower.news(history(daemon, follower.run, ALL, follower.after))
            time.sleep(INTERVAL)

    yield from _persistently(shared, looks, reached=True)


def watched(shared: Shared, filters: dict[str, str], limit: int) -> Iterator[Batch]:
    """The newest events and then each that happens, for ever; none twice, and none left out while connected.

    Args:
        shared: Whom to ask.
        filters: The parameters of `event.list` and `event.watch`.
        limit: How many to begin with, and to look back for after the daemon was away.
    """
    seen: set[tuple[Any, ...]] = set()

    def looks(daemon: Daemon) -> Iterator[Batch]:
        # Watching begins before the list is asked for, so that nothing falls between the two.
        with daemon.events(filters) as coming:
            listed = newest(daemon, "event.list", "events", filters, limit).items[::-1]
            yield [event for event in listed if _key(event) not in seen]
            seen.update(map(_key, listed))
            for event in coming:
                if _key(event) not in seen:
                    yield [event]
                    seen.add(_key(event))

    yield from _persistently(shared, looks, reached=False)


def _key(event: dict[str, Any]) -> tuple[Any, ...]:
    return event["source"], event["run"], event["seq"], event["action"], event["at"]


def _persistently(
    shared: Shared, looks: Callable[[Daemon], Iterator[Batch]], *, reached: bool
) -> Iterator[Batch]:
    """What is seen by looking, which begins anew whenever the daemon was away; empty batches are left out."""
    away = False
    while True:
        try:
            with asking_daemon(shared) as daemon:
                for batch in looks(daemon):
                    if away:
                        forms.note("guardd is back.")
                    reached, away = True, False
                    if batch:
                        yield batch
        except Failure as failure:
            if not reached or failure.status != Status.NO_DAEMON:
                raise
            if not away:
                forms.note("guardd went away; waiting until it is back.")
            away = True
        time.sleep(RETRY)
