"""Lists that come in pages, followed as far as they were asked for."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from guardd.cli.connect import Caller

PAGE = 1000


class Page(NamedTuple):
    """What a list held, and whether it holds more than was asked for."""

    items: list[dict[str, Any]]
    more: bool


def newest(daemon: Caller, method: str, field: str, filters: Mapping[str, object], limit: int) -> Page:
    """The newest entries of a list method, following its cursors.

    Args:
        daemon: Whom to ask.
        method: `run.list` or `event.list`.
        field: Where its result has the entries.
        filters: Its parameters; those that are None are left out.
        limit: How many at most.
    """
    params = {name: value for name, value in filters.items() if value is not None}
    items: list[dict[str, Any]] = []
    while True:
        params["limit"] = min(PAGE, limit - len(items))
        result = daemon.request(method, params)
        items += result[field]
        cursor = result.get("nextCursor")
        if cursor is None or len(items) >= limit:
            return Page(items, more=cursor is not None)
        params["cursor"] = cursor


class History(NamedTuple):
    """Calls of a run, in order, with the markers among them."""

    run: dict[str, Any]
    calls: list[dict[str, Any]]
    markers: list[dict[str, Any]]
    more: bool
    """Whether the daemon has more of them than were asked for."""

    def document(self) -> dict[str, Any]:
        """The form of commands.md."""
        return {"run": self.run["run"], "calls": self.calls, "markers": self.markers}


def exactly(run: Mapping[str, Any]) -> str:
    """How to name a run that was found, so that a second request means the same one."""
    return f"{run['source']}/{run['run']}"


def history(daemon: Caller, run: Mapping[str, Any], limit: int, after: int = 0) -> History:
    """The newest calls of a run, or the first after one, following cursors.

    Args:
        daemon: Whom to ask.
        run: The run, as `run.get` gave it.
        limit: How many at most.
        after: Not the newest calls, but the first with a higher seq than this.
    """
    params: dict[str, Any] = {"run": exactly(run)} | ({"afterSeq": after} if after else {})
    calls: dict[int, dict[str, Any]] = {}
    markers: dict[tuple[Any, ...], dict[str, Any]] = {}
    while True:
        params["limit"] = min(PAGE, limit - len(calls))
        result = daemon.request("run.history", params)
        calls |= {call["seq"]: call for call in result["calls"]}
        markers |= {marker_key(marker): marker for marker in result["markers"]}
        params["cursor"] = result.get("nextCursor")
        if params["cursor"] is None or len(calls) >= limit:
            break
    ordered = [calls[seq] for seq in sorted(calls)]
    first = ordered[0]["seq"] if ordered else after + 1
    among = [marker for marker in markers.values() if marker["afterSeq"] >= first - 1]
    among.sort(key=lambda marker: (marker["afterSeq"], marker["at"]))
    return History(dict(run), ordered, among, more=params["cursor"] is not None)


def with_aborts(daemon: Caller, past: History) -> History:
    """A history with a marker for each time that the run was aborted by hand: for people, not for `--json`."""
    wanted = {"run": exactly(past.run), "detector": "operator"}
    markers = list(past.markers)
    for event in newest(daemon, "event.list", "events", wanted, PAGE).items:
        before = [call["seq"] for call in past.calls if call["at"] <= event["at"]]
        if before or not past.calls or past.calls[0]["seq"] == 1:
            markers.append(_abort(event, before[-1] if before else 0))
    markers.sort(key=lambda marker: (marker["afterSeq"], marker["at"]))
    return past._replace(markers=markers)


def _abort(event: Mapping[str, Any], after: int) -> dict[str, Any]:
    _words, _colon, reason = event["message"].partition(": ")
    return {
        "kind": "abort",
        "afterSeq": after,
        "armed": False,
        "reason": reason.removesuffix("."),
        "observed": bool(event.get("wouldBe")),
        "at": event["at"],
    }


def marker_key(marker: Mapping[str, Any]) -> tuple[Any, ...]:
    """What tells one marker from another: all of it, since several can come within a millisecond."""
    return tuple(marker.items())
