"""The board put together: what is there already, and then what comes."""

import sys
import time
from collections.abc import Mapping
from typing import Any

from guardd.cli.connect import asking_daemon
from guardd.cli.options import Shared
from guardd.cli.paging import newest
from guardd.cli.text import safe
from guardd.cli.watch.drawing import Drawing
from guardd.cli.watch.feed import Feed
from guardd.cli.watch.loop import Board
from guardd.cli.watch.model import KEPT, Model
from guardd.cli.watch.terminal import Terminal


def show(shared: Shared, filters: Mapping[str, Any], *, abs_time: bool) -> None:
    """Show the board until it is quit.

    Args:
        shared: Whom to ask.
        filters: The parameters of `run.list`; events are restricted to the same agent.
        abs_time: Show RFC 3339 times.

    Raises:
        Failure: There is no daemon to begin with, or it refuses.
        KeyboardInterrupt: Ctrl-C quit it.
    """
    terminal = Terminal(sys.stdout.fileno(), sys.stdout.encoding)
    try:
        model = Model(filters.get("agentId"), time.monotonic())
        with asking_daemon(shared) as daemon:
            limit = terminal.size().rows
            status = daemon.request("server.status", {})
            model.begin(newest(daemon, "event.list", "events", {}, KEPT).items[::-1])
            model.learn(status, newest(daemon, "run.list", "runs", filters, limit).items)
        drawing = Drawing(absolute=abs_time, filters=_in_words(filters))
        feed = Feed(model, shared.socket, filters, limit)
        Board(model, feed, drawing, terminal, colored=shared.colored).run()
    finally:
        terminal.close()


def _in_words(filters: Mapping[str, Any]) -> str:
    words = [f"agent {safe(filters['agentId'])}"] if "agentId" in filters else []
    return ", ".join(words + (["looping"] if filters.get("looping") else []))
