"""What `guardctl bench` prints with `--json`."""

from typing import Literal, TypedDict


class Machine(TypedDict):
    """The machine that the figures of a `Benchmark` are of.

    Attributes:
        cpu: The processor's model.
        cores: How many of its cores could be used.
        python: The version of Python.
        sqlite: The version of SQLite.
        fileSystem: The type of the file system that the databases were on.
        load: The load of the last minute before, as `uptime` shows it.
    """

    cpu: str
    cores: int
    python: str
    sqlite: str
    fileSystem: str
    load: float


class Figure(TypedDict):
    """A figure of a `Benchmark`.

    Attributes:
        figure: Its name.
        title: What it is, in words.
        unit: Of ``floor`` and ``guardd``.
        floor: What guardd is compared with, measured in turns with it; null where with nothing.
        guardd: What guardd needs, or achieves.
        ratio: guardd's by the floor's, the median of the turns; null where that says nothing.
        spread: Between these lie the half of the ratios, or of the figures where there is no ratio; null where
            it was measured once.
        target: The bound of the ratio, or of the figure where there is no ratio; null where there is none.
        targetIs: Which kind of bound it is; null where there is none.
        met: Whether it is kept; null where there is none.
    """

    figure: str
    title: str
    unit: str
    floor: float | None
    guardd: float
    ratio: float | None
    spread: list[float] | None
    target: float | None
    targetIs: Literal["atMost", "atLeast"] | None
    met: bool | None


class Benchmark(TypedDict):
    """A machine's figures, all of one run.

    Attributes:
        machine: The machine.
        figures: The figures.
    """

    machine: Machine
    figures: list[Figure]
