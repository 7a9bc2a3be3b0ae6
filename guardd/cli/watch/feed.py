"""Keeps a model up to date: one connection brings events, another one answers what is asked every second."""

import socket
from collections.abc import Mapping
from typing import Any

from guardd.cli.watch.line import Gone, Line
from guardd.cli.watch.model import Model, Trouble
from guardd.client.exceptions import GuardUnavailable
from guardd.client.session import Exchange
from guardd.protocol.errors import RpcError

INTERVAL = 1.0
"""Seconds between two looks at the runs and the daemon."""

RETRY = 1.0
"""Seconds between two attempts to reach a daemon that went away."""

SILENCE = 3.0
"""Seconds without an answer after which the board says so."""

PAUSE = 0.03
"""Seconds between two looks at the events that have come, so that a thousand a second wake nobody so often."""

AWAY = "went away; trying to reach it again"
SILENT = "does not answer"


class Feed:
    """What the daemon says, into a model. Never waits; times are those of the model's clock, in seconds.

    Args:
        model: Where to.
        socket_path: The daemon's socket; None for the usual places.
        filters: The parameters of `run.list`.
        limit: How many runs to ask for.
    """

    def __init__(self, model: Model, socket_path: str | None, filters: Mapping[str, Any], limit: int) -> None:
        self.limit = limit
        self._model = model
        self._socket_path = socket_path
        self._filters = filters
        self._events: Line | None = None
        self._answers: Line | None = None
        self._watch: Exchange | None = None
        self._asked: tuple[Exchange, Exchange] | None = None
        self._connect_at = 0.0
        self._ask_at = 0.0
        self._asked_at = 0.0
        self._read_at = 0.0

    def sockets(self, now: float) -> list[socket.socket]:
        """Where something to read is waited for."""
        lines = [self._answers, self._events if now >= self._read_at else None]
        return [line.socket for line in lines if line is not None]

    def due(self, now: float) -> float:
        """When to come back at the latest, whatever there is to read."""
        if self._events is None:
            return self._connect_at
        return min(self._ask_at, self._read_at) if now < self._read_at else self._ask_at

    def tick(self, now: float) -> bool:
        """Do what is due; whether the model has changed."""
        before = self._model.trouble
        try:
            if self._events is None and now >= self._connect_at:
                self._connect(now)
            if self._answers is not None and now >= self._ask_at:
                self._ask(now)
        except Gone as gone:
            self._lost(gone, now)
        return self._model.trouble != before

    def read(self, now: float) -> bool:
        """Take what has come; whether the model has changed."""
        changed = False
        try:
            if self._answers is not None:
                self._answers.receive(now)
                changed = self._take_answers()
            if self._events is not None and now >= self._read_at:
                changed = self._take_events(now) or changed
        except Gone as gone:
            self._lost(gone, now)
            return True
        return changed

    def close(self) -> None:
        """Close the connections."""
        for line in (self._events, self._answers):
            if line is not None:
                line.close()
        self._events = self._answers = self._watch = self._asked = None

    def _connect(self, now: float) -> None:
        self._connect_at = now + RETRY
        self._events = Line(self._socket_path)
        self._answers = Line(self._socket_path)
        self._watch = self._events.ask("event.watch", {"since": self._model.resume_at}, now)
        self._ask_at = now

    def _ask(self, now: float) -> None:
        assert self._answers is not None
        self._ask_at = now + INTERVAL
        if self._asked is None:
            self._asked_at = now
            self._asked = (
                self._answers.ask("server.status", {}, now),
                self._answers.ask("run.list", {**self._filters, "limit": self.limit}, now),
            )
        elif now - self._asked_at >= SILENCE and self._model.trouble is None:
            self._model.trouble = Trouble(SILENT, self._asked_at)

    def _take_answers(self) -> bool:
        if self._asked is None or not all(exchange.done for exchange in self._asked):
            return False
        status, runs = (result_of(exchange) for exchange in self._asked)
        self._asked = None
        self._model.learn(status, runs["runs"])
        if self._watch is None:
            self._model.trouble = None
        return True

    def _take_events(self, now: float) -> bool:
        assert self._events is not None
        self._read_at = now + PAUSE
        events = self._events.receive(now)
        if self._watch is not None and self._watch.done:
            result_of(self._watch)
            self._watch = None
        self._model.happened(events, now)
        return bool(events)

    def _lost(self, gone: Gone, now: float) -> None:
        self.close()
        self._connect_at = now + RETRY
        since = self._model.trouble.since if self._model.trouble else now
        self._model.trouble = Trouble(str(gone) or AWAY, since)


def result_of(exchange: Exchange) -> Any:  # noqa: ANN401 - by method
    """What was answered.

    Raises:
        Gone: An error was: what the daemon says of itself is not to be relied on until it is asked anew.
    """
    try:
        return exchange.outcome()
    except (RpcError, GuardUnavailable) as error:
        raise Gone(str(error)) from None
