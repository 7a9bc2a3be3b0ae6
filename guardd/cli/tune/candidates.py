"""Which thresholds are tried, and the rest of the settings that they are tried with."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import click

from guardd.cli.text import count_above_0
from guardd.config import Config
from guardd.config.trial import SWITCHED_ON, trial
from guardd.replay.trying import Candidate

LADDER: Final = (
    Candidate(3, 6, 9),
    Candidate(4, 8, 12),
    Candidate(5, 10, 15),
    Candidate(8, 16, 24),
    Candidate(10, 20, 30),  # the documented defaults
    Candidate(15, 30, 45),
    Candidate(20, 40, 60),
)
"""Tried where nothing else is asked for, as far as `historySize` lets them be counted up to."""

_LOOP = "tools.loopDetection."
_THRESHOLDS = 3


def parsed(text: str) -> Candidate:
    """Read a candidate: `5/10/15`.

    Raises:
        BadParameter: It is none.
    """
    numbers = [number for part in text.split("/") if (number := count_above_0(part))]
    if len(numbers) != _THRESHOLDS or text.count("/") != _THRESHOLDS - 1:
        raise click.BadParameter(f"{text!r} is not of three whole numbers above 0, such as 5/10/15.")
    return Candidate(*numbers)


@dataclass(frozen=True, slots=True)
class Present:
    """The settings that hold now, for everybody or for an agent.

    Attributes:
        values: By their keys in `tools.loopDetection`, as they are in effect.
        sending_tools: `guardd.sendingTools`.
        poll_tools: `guardd.pollTools`.
        known: Whether anybody said so; otherwise they are the defaults.
    """

    values: Mapping[str, Any]
    sending_tools: tuple[str, ...]
    poll_tools: tuple[str, ...]
    known: bool

    @classmethod
    def of(cls, described: Mapping[str, Any], *, known: bool) -> "Present":
        """Take them from the answer of `config.get`."""
        values = {
            key: None if setting["origin"] == SWITCHED_ON else setting["value"]
            for key, setting in described["values"].items()
        }
        return cls(
            {key.removeprefix(_LOOP): value for key, value in values.items() if key.startswith(_LOOP)},
            tuple(values.get("guardd.sendingTools") or ()),
            tuple(values.get("guardd.pollTools") or ()),
            known,
        )

    @property
    def candidate(self) -> Candidate:
        """The thresholds that hold now."""
        keys = Candidate(0, 0, 0).document()
        return Candidate(*(self.values[key] for key in keys))

    @property
    def is_on(self) -> bool:
        """Whether loop detection is switched on."""
        return self.values["enabled"] is True

    @property
    def history_size(self) -> int:
        """How many calls are counted over."""
        return int(self.values["historySize"])

    def tried(self, own: Sequence[Candidate]) -> list[Candidate]:
        """The present thresholds, and with them those asked for, or else the ladder."""
        ladder = [one for one in LADDER if one.breaker <= self.history_size]
        return [self.candidate, *(own or ladder)]

    def with_thresholds(self, candidate: Candidate) -> Config:
        """A configuration with these settings and other thresholds, for every agent, and detection on.

        Raises:
            ConfigError: A threshold is too large.
        """
        changed = {**self.values, **candidate.document(), "enabled": True}
        config = trial(None, [f"{key}={json.dumps(value)}" for key, value in changed.items()])
        tools = replace(config.settings, sending_tools=self.sending_tools, poll_tools=self.poll_tools)
        return replace(config, settings=tools)

    def remark(self, asked: Candidate, used: Candidate) -> str | None:
        """What is to be said of a candidate that cannot work as it looks.

        Args:
            asked: As it was given.
            used: As it is in effect.
        """
        if asked != used:
            return f"{asked} is tried as {used}: each threshold is raised above the one before it."
        if beyond := [key for key, value in asked.document().items() if value > self.history_size]:
            return (
                f"{asked}: {', '.join(beyond)} above historySize, {self.history_size}: "
                "no count gets there, but for retries of a blocked call."
            )
        return None


def block(candidate: Candidate, agent: str | None) -> str:
    """The JSON5 of thresholds, to be pasted into a configuration; for an agent, as its own block."""
    loop = ["enabled: true,", *(f"{key}: {value}," for key, value in candidate.document().items())]
    before, after = "tools: { loopDetection: {", "} },"
    if agent is not None:
        before = f"agents: {{ list: [{{ id: {json.dumps(agent)}, {before}"
        after = "} } }] },"
    return "\n".join(["{", f"  {before}", *(f"    {line}" for line in loop), f"  {after}", "}"])
