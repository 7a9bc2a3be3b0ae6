"""What a report says, before it has a form."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from guardd.cli.paging import History
from guardd.cli.timeline import Timeline

ORDER = ("allow", "warn", "block", "abort")
"""The actions from the weakest to the strongest."""


@dataclass(frozen=True, slots=True)
class Setting:
    """A setting in force.

    Attributes:
        key: Its name in a configuration file.
        value: What holds for the run's agent.
        origin: Where it was set, or `default`.
    """

    key: str
    value: Any
    origin: str

    def document(self) -> dict[str, Any]:
        """Its form in JSON."""
        return {"key": self.key, "value": self.value, "origin": self.origin}


@dataclass(frozen=True, slots=True)
class Step:
    """What one detector answered in one way, in a loop.

    Attributes:
        detector: Which.
        action: What was answered, or would have been.
        observed: It was only observed: the calls were let through.
        events: Of each time, in order.
    """

    detector: str
    action: str
    observed: bool
    events: Sequence[Mapping[str, Any]]

    def document(self) -> dict[str, Any]:
        """Its form in JSON."""
        first, last = self.events[0], self.events[-1]
        return {
            "detector": self.detector,
            "action": self.action,
            "observed": self.observed,
            "times": len(self.events),
            "firstSeq": first["seq"],
            "lastSeq": last["seq"],
            "firstCount": first["count"],
            "lastCount": last["count"],
            "threshold": last["threshold"],
            "message": last["message"],
            "firstAt": first["at"],
            "lastAt": last["at"],
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Loop:
    """An episode: the same call, or the same calls in turn, found again and again.

    Attributes:
        events: What was found, in order.
        signatures: Of the calls that it consists of, in their order.
        calls: How many of these the run made in it, attempts included; None where they are not stored.
        counted: The calls that the strongest verdict counted; None where nobody could say.
        begun_with: The calls that the first verdict counted, of those that are stored.
        reasons: The words of that verdict's explanation, a paragraph each.
    """

    events: Sequence[Mapping[str, Any]]
    signatures: Sequence[str] = ()
    calls: int | None = None
    counted: Sequence[int] | None = None
    begun_with: Sequence[int] = ()
    reasons: Sequence[str] = ()

    @property
    def steps(self) -> list[Step]:
        """The verdicts by detector, action and whether they were only observed, in the order of their first."""
        together: dict[tuple[str, str, bool], list[Mapping[str, Any]]] = {}
        for event in self.events:
            key = (event["detector"], said(event), bool(event.get("wouldBe")))
            together.setdefault(key, []).append(event)
        return [Step(*key, events) for key, events in together.items()]

    @property
    def strongest(self) -> Mapping[str, Any]:
        """The newest of the strongest verdicts; what was answered comes before what was only observed."""
        return max(self.events, key=_strength)

    @property
    def span(self) -> tuple[int, int] | None:
        """Its first and last call, those included that were counted before the first verdict."""
        numbers = [event["seq"] for event in self.events if event["seq"] is not None]
        numbers += [*(self.counted or ()), *self.begun_with]
        return (min(numbers), max(numbers)) if numbers else None

    def document(self) -> dict[str, Any]:
        """Its form in JSON."""
        strongest = self.strongest
        first, last = self.span or (None, None)
        return {
            "detectors": [detector for detector, _ in groupby(step.detector for step in self.steps)],
            "action": said(strongest),
            "observed": bool(strongest.get("wouldBe")),
            "toolName": strongest["toolName"],
            "pairedToolName": strongest["pairedToolName"],
            "firstSeq": first,
            "lastSeq": last,
            "signatures": list(self.signatures),
            "calls": self.calls,
            "counted": None if self.counted is None else list(self.counted),
            "message": strongest["message"],
            "reasons": list(self.reasons),
            "firstAt": self.events[0]["at"],
            "lastAt": self.events[-1]["at"],
            "steps": [step.document() for step in self.steps],
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """A run, and all that its page says.

    Attributes:
        past: The run, its calls and markers, as the daemon has them.
        drawn: The same as cells, with a marker for each time that it was aborted by hand.
        loops: The episodes, in the order of their first verdicts.
        settings: The settings in force; None where there is no daemon to say.
        notices: What to know before believing the rest.
        version: Of guardd.
        made_at: When the report was made, as the wire has times.
    """

    past: History
    drawn: Timeline
    loops: Sequence[Loop]
    settings: Sequence[Setting] | None
    notices: Sequence[str]
    version: str
    made_at: str

    @property
    def run(self) -> Mapping[str, Any]:
        """The run, as `run.get` has it."""
        return self.past.run

    @property
    def strongest(self) -> Mapping[str, Any] | None:
        """The strongest verdict of the run's whole life; None where nothing was found."""
        found = [loop.strongest for loop in self.loops]
        return max(found, key=_strength, default=None)

    def document(self, story: Sequence[str]) -> dict[str, Any]:
        """The form of `--json`, with the words that say what happened."""
        drawn = self.drawn.document()
        return {
            "run": dict(self.run),
            "story": list(story),
            "notices": list(self.notices),
            "loops": [loop.document() for loop in self.loops],
            "settings": None if self.settings is None else [one.document() for one in self.settings],
            "legend": drawn["legend"],
            "calls": self.past.calls,
            "markers": self.past.markers,
            "version": self.version,
            "madeAt": self.made_at,
        }


def _strength(event: Mapping[str, Any]) -> tuple[bool, int]:
    """What a verdict weighs: what was answered comes before what was only observed."""
    return not event.get("wouldBe"), ORDER.index(said(event))


def said(event: Mapping[str, Any]) -> str:
    """What was answered, or would have been."""
    word: str = event.get("wouldBe") or event["action"]
    return word
