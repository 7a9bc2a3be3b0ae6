"""All that a report needs, asked of the daemon or of a database file."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import guardd
from guardd.cli import times
from guardd.cli.connect import Caller
from guardd.cli.options import ALL
from guardd.cli.paging import History, exactly, history, newest, with_aborts
from guardd.cli.report.loops import WINDOW, episodes, with_calls
from guardd.cli.report.model import Loop, Report, Setting
from guardd.cli.text import plural
from guardd.cli.timeline import timeline
from guardd.protocol.errors import InvalidParams

SECTION = "tools.loopDetection."
MODE = "guardd.mode"

MOST_EXPLAINED = 100
"""Of so many loops the daemon is asked for reasons; each is a request."""


def gather(asked: Caller, name: str, *, live: bool) -> Report:
    """A run's report.

    Args:
        asked: Whom to ask.
        name: The run, as a person names it.
        live: It is a daemon, which knows its configuration and explains; a database file does neither.
    """
    run = asked.request("run.get", {"run": name})
    past = history(asked, run, ALL)
    events = newest(asked, "event.list", "events", {"run": exactly(run)}, ALL).items[::-1]
    config = asked.request("config.get", {"agentId": run["agentId"]}) if live else None
    values = {} if config is None else config["values"]
    window = values.get(f"{SECTION}historySize", {"value": WINDOW})["value"]
    loops = episodes(past, events, window)
    if live:
        loops[:MOST_EXPLAINED] = [_explained(asked, run, loop) for loop in loops[:MOST_EXPLAINED]]
    return Report(
        past=past,
        drawn=timeline(with_aborts(asked, past)),
        loops=[with_calls(loop, past) for loop in loops],
        settings=None if config is None else _settings(values),
        notices=_notices(past, config),
        version=guardd.__version__,
        made_at=times.rfc3339(times.now()),
    )


def _explained(asked: Caller, run: Mapping[str, Any], loop: Loop) -> Loop:
    """A loop with what its strongest verdict counted, and why."""
    seq = loop.strongest["seq"]
    if seq is None:
        return loop
    try:
        explained = asked.request("run.explain", {"run": exactly(run), "seq": seq})
    except InvalidParams:  # the call was pruned
        return loop
    return replace(loop, counted=explained["counted"], reasons=explained["text"].splitlines())


def _settings(values: Mapping[str, Mapping[str, Any]]) -> list[Setting]:
    """Those of loop detection, and whether verdicts are enforced."""
    return [
        Setting(key.removeprefix(SECTION), setting["value"], setting["origin"])
        for key, setting in values.items()
        if key.startswith(SECTION) or key == MODE
    ]


def _notices(past: History, config: Mapping[str, Any] | None) -> Sequence[str]:
    notices = []
    missing = past.run["calls"] - len(past.calls)
    if missing > 0:
        are = "is" if missing == 1 else "are"
        notices.append(f"{plural(missing, 'earlier call')} {are} not stored any more, and not on this page.")
    if config is None:
        return [*notices, "Made from a copy of the database, which holds neither settings nor reasons."]
    values = config["values"]
    if values[MODE]["value"] == "observe":
        notices.append(
            "guardd only observes now: it lets every call through, and notes what it would have said."
        )
    if not values[f"{SECTION}enabled"]["value"]:
        notices.append("Loop detection is off for this agent now: only the guard after a compaction looks.")
    return [*notices, *(f"Configuration: {warning}." for warning in config["warnings"])]
