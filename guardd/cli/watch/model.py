"""What the board knows: the daemon, the newest runs and events, and counts. No clock, no socket, no screen."""

from collections import Counter, deque
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from typing import Any, NamedTuple

KEPT = 500
"""Events that are remembered to be shown: more than any terminal has lines."""

WINDOW = 5
"""Seconds over which events per second are averaged."""

REMEMBERED = 10_000
"""Events that are known again if they are sent again."""

BEGINNING = "1970-01-01T00:00:00.000Z"
_BUCKETS_PER_SECOND = 4
_IDENTITY = ("source", "run", "seq", "action", "detector", "at")

Object = dict[str, Any]


class Trouble(NamedTuple):
    """Why what the board shows may be old.

    Attributes:
        text: For a person.
        since: When it began, by the clock that the model is told.
    """

    text: str
    since: float


class Tail:
    """How far the stream of events was followed, so that after a break none is missing and none comes twice.

    `since` is the time of the last new event, even where that is earlier than the one before: the clock may have
    been set back. The daemon sends again what happened at that time or later, so many events are remembered.
    """

    def __init__(self) -> None:
        self.since = BEGINNING
        self._seen: dict[tuple[Any, ...], None] = {}  # the oldest first

    def is_new(self, event: Mapping[str, Any]) -> bool:
        """Take note of an event; False if it was seen before."""
        key = tuple(event[field] for field in _IDENTITY)
        if key in self._seen:
            return False
        self.since = event["at"]
        self._seen[key] = None
        if len(self._seen) > REMEMBERED:
            del self._seen[next(iter(self._seen))]
        return True


class Model:
    """What the board knows.

    Args:
        agent: Whose events count; None for everybody's.
        now: When the board opens, in seconds, by any clock that only goes forward.

    Attributes:
        agent: As it was given.
        status: The daemon's newest `server.status`.
        counts: Events since the board opened, by verdict: an action, or one that was only observed in brackets.
        trouble: Why all this may be old; None while the daemon answers.
        tail: How far events were followed.
    """

    def __init__(self, agent: str | None, now: float) -> None:
        self.status: Object = {}
        self.counts: Counter[str] = Counter()
        self.trouble: Trouble | None = None
        self.tail = Tail()
        self.agent = agent
        self._opened = now
        self._runs: Sequence[Object] = ()
        self._events: deque[Object] = deque(maxlen=KEPT)
        self._frozen: tuple[Sequence[Object], Sequence[Object]] | None = None
        self._rate: deque[tuple[int, int]] = deque()

    @property
    def is_paused(self) -> bool:
        """Whether runs and events are held as they were."""
        return self._frozen is not None

    def pause(self) -> None:
        """Hold runs and events as they are, while counting goes on; or let go of them again."""
        self._frozen = (self._runs, list(self._events)) if self._frozen is None else None

    @property
    def runs(self) -> Sequence[Object]:
        """The runs to show, newest activity first."""
        return self._runs if self._frozen is None else self._frozen[0]

    def newest_events(self, count: int) -> list[Object]:
        """The last events to show, newest last."""
        events = self._events if self._frozen is None else self._frozen[1]
        return list(islice(reversed(events), max(0, count)))[::-1]

    @property
    def events_kept(self) -> int:
        """How many events there are to show."""
        return len(self._events if self._frozen is None else self._frozen[1])

    @property
    def resume_at(self) -> str:
        """From when on events are asked for: not from a time that the daemon's clock has not reached again."""
        return min(self.tail.since, str(self.status.get("time", self.tail.since)))

    def learn(self, status: Object, runs: Sequence[Object]) -> None:
        """Take the daemon's answers."""
        self.status, self._runs = status, runs

    def begin(self, events: Iterable[Object]) -> None:
        """Take the events from before the board opened, oldest first: they are shown and not counted."""
        for event in events:
            if self.tail.is_new(event) and self._is_wanted(event):
                self._events.append(event)

    def happened(self, events: Iterable[Object], now: float) -> None:
        """Take events as the daemon sent them."""
        new = 0
        for event in events:
            if self.tail.is_new(event) and self._is_wanted(event):
                self._events.append(event)
                self.counts[_verdict(event)] += 1
                new += 1
        if new:
            self._count(int(now * _BUCKETS_PER_SECOND), new)

    def age(self, now: float) -> float:
        """Seconds since the board opened."""
        return now - self._opened

    def per_second(self, now: float) -> float:
        """Events per second over the last `WINDOW` seconds, or since the board opened."""
        first = int((now - WINDOW) * _BUCKETS_PER_SECOND)
        total = sum(count for bucket, count in self._rate if bucket > first)
        return total / min(WINDOW, max(1.0, self.age(now)))

    def _is_wanted(self, event: Object) -> bool:
        return self.agent is None or event["agentId"] == self.agent

    def _count(self, bucket: int, new: int) -> None:
        if self._rate and self._rate[-1][0] == bucket:
            new += self._rate.pop()[1]
        self._rate.append((bucket, new))
        while self._rate[0][0] < bucket - WINDOW * _BUCKETS_PER_SECOND:
            self._rate.popleft()


def _verdict(event: Object) -> str:
    would_be = event.get("wouldBe")
    return f"({would_be})" if would_be else str(event["action"])
