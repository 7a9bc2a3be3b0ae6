"""What is measured, in figures that stand beside each other: percentiles, and ratios with their spread.

A machine is in another mood each second, so what is compared is measured in turns: each round measures all of it
once, and gives one ratio. The figure is the rounds' median, its spread the two quartiles.
"""

import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

Taken = TypeVar("Taken")


@dataclass(frozen=True, slots=True)
class Target:
    """What a figure must reach.

    Attributes:
        value: The bound, of the ratio where there is one, else of the figure itself.
        at_least: Whether less misses it; else more does.
    """

    value: float
    at_least: bool = False

    def is_met(self, value: float) -> bool:
        """Whether a value reaches it."""
        return value >= self.value if self.at_least else value <= self.value


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure of guardd's, with what it is compared with.

    Attributes:
        name: For programs.
        title: For people.
        unit: Of both.
        floor: What it is compared with.
        guardd: What was measured of guardd.
        ratio: guardd's by the floor's; None where that says nothing.
        spread: Of the ratio, else of the figure: between these lay the half of the rounds.
        target: What must be reached; None where nothing was demanded.
    """

    name: str
    title: str
    unit: str
    floor: float | None
    guardd: float
    ratio: float | None = None
    spread: tuple[float, float] | None = None
    target: Target | None = None

    @property
    def is_met(self) -> bool | None:
        """Whether the target is reached; None without one."""
        judged = self.guardd if self.ratio is None else self.ratio
        return None if self.target is None else self.target.is_met(judged)

    def document(self) -> dict[str, Any]:
        """The figure as JSON."""
        target = self.target
        return {
            "figure": self.name,
            "title": self.title,
            "unit": self.unit,
            "floor": self.floor,
            "guardd": self.guardd,
            "ratio": self.ratio,
            "spread": None if self.spread is None else list(self.spread),
            "target": None if target is None else target.value,
            "targetIs": None if target is None else "atLeast" if target.at_least else "atMost",
            "met": self.is_met,
        }


def in_turns(measures: Mapping[str, Callable[[int], Taken]], rounds: int) -> dict[str, list[Taken]]:
    """Measure several things in turns; each is given the number of the round, and returns what it measured."""
    taken: dict[str, list[Taken]] = {name: [] for name in measures}
    for number in range(rounds):
        # Whoever is first after a change of mood is sometimes worse off: take turns in that, too.
        for name in list(measures)[:: -1 if number % 2 else 1]:
            taken[name].append(measures[name](number))
    return taken


def compared(
    name: str,
    title: str,
    unit: str,
    floor: Sequence[float],
    guardd: Sequence[float],
    target: Target | None = None,
) -> Figure:
    """The figure of rounds in which both were measured."""
    ratios = [one / other for one, other in zip(guardd, floor, strict=True)]
    return Figure(
        name=name,
        title=title,
        unit=unit,
        floor=statistics.median(floor),
        guardd=statistics.median(guardd),
        ratio=statistics.median(ratios),
        spread=quartiles(ratios),
        target=target,
    )


def quartiles(values: Sequence[float]) -> tuple[float, float]:
    """Below which a quarter of the values lies, and three quarters."""
    return percentile(values, 25), percentile(values, 75)


def percentile(values: Sequence[float], percent: float) -> float:
    """The value below which so many percent lie."""
    ordered = sorted(values)
    place = (len(ordered) - 1) * percent / 100
    low = int(place)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (ordered[high] - ordered[low]) * (place - low)
