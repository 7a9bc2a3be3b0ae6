"""What the board would show, once: where there is no terminal to draw it on, and as JSON."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from guardd.cli import forms
from guardd.cli.connect import Daemon
from guardd.cli.paging import newest

LOOK_BACK = 1000
"""Events that are looked through for those of one agent."""


class Snapshot(NamedTuple):
    """The daemon, the newest runs and the newest events, newest first."""

    status: dict[str, Any]
    runs: list[dict[str, Any]]
    events: list[dict[str, Any]]

    def document(self) -> dict[str, Any]:
        """Its JSON form: of each, the form of commands.md."""
        return self._asdict()


def take(daemon: Daemon, filters: Mapping[str, Any], limit: int) -> Snapshot:
    """Ask for a snapshot.

    Args:
        daemon: Whom to ask.
        filters: The parameters of `run.list`; events are restricted to the same agent.
        limit: How many runs and events at most.
    """
    agent = filters.get("agentId")
    status = daemon.request("server.status", {})
    runs = newest(daemon, "run.list", "runs", filters, limit).items
    events = newest(daemon, "event.list", "events", {}, limit if agent is None else LOOK_BACK).items
    return Snapshot(status, runs, [event for event in events if agent in (None, event["agentId"])][:limit])


def show(snapshot: Snapshot, filters: Mapping[str, Any], *, abs_time: bool, colored: bool) -> None:
    """Print a snapshot for a person.

    Args:
        snapshot: What was found.
        filters: What it was restricted to, as for `take`.
        abs_time: Show RFC 3339 times.
        colored: Whether to use colours.
    """
    from guardd.cli import events_table, runs_table, tables  # noqa: PLC0415 - brings rich
    from guardd.cli.text import plural, safe  # noqa: PLC0415
    from guardd.cli.times import length  # noqa: PLC0415

    status = snapshot.status
    about = (
        f"guardd {safe(status['version'])}",
        safe(status["mode"]),
        f"up {length(int(status['uptimeSeconds']))}",
        plural(status["connections"], "connection"),
        plural(status["runs"], "run"),
        plural(status["calls"], "call"),
    )
    tables.headline(about, colored=colored)
    forms.say("")
    if snapshot.runs:
        runs_table.show(snapshot.runs, abs_time=abs_time, colored=colored)
    else:
        forms.say("No run is like that." if filters else "No runs yet.")
    forms.say("")
    if snapshot.events:
        events_table.show(snapshot.events, abs_time=abs_time, colored=colored)
    else:
        forms.say(nothing_happened(filters.get("agentId")))


def nothing_happened(agent: str | None) -> str:
    """What to say where there are no events, of an agent or at all."""
    return "No events yet: nothing has looped." if agent is None else "No events of this agent."
