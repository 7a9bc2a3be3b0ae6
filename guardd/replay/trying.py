"""Thresholds tried on a history: whom they would have warned and stopped, and whether that would have been right."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

from guardd.config import Config
from guardd.replay.engine import Engine
from guardd.replay.findings import Finding, Findings
from guardd.replay.past import Afterwards, Past
from guardd.replay.recorded import RecordedFingerprinter
from guardd.replay.turns import Turn
from guardd.vocabulary import Detector

COUNTED: Final = (
    Detector.GLOBAL_CIRCUIT_BREAKER,
    Detector.KNOWN_POLL_NO_PROGRESS,
    Detector.PING_PONG,
    Detector.GENERIC_REPEAT,
)
"""The rules that go by the three thresholds; the others have settings of their own."""

STEPS: Final = {"warned": ("warn",), "blocked": ("block", "abort"), "aborted": ("abort",)}
"""What can happen to a run, and the actions the first of which makes it so."""


class Candidate(NamedTuple):
    """Three thresholds to try, in the order of `LoopSettings`; the lowest sorts first."""

    warning: int
    critical: int
    breaker: int

    def document(self) -> dict[str, int]:
        """By their keys in `tools.loopDetection`."""
        return {
            "warningThreshold": self.warning,
            "criticalThreshold": self.critical,
            "globalCircuitBreakerThreshold": self.breaker,
        }

    def __str__(self) -> str:
        """As it is named on a command line: `10/20/30`."""
        return "/".join(map(str, self))


class Step(NamedTuple):
    """The first warning, block or abort of a run."""

    found: Finding
    afterwards: Afterwards

    def document(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "seq": self.found.seq,
            "detector": self.found.detector,
            "toolName": self.found.tool,
            "count": self.found.counted,
            "afterwards": self.afterwards.value,
        }


class Concerned(NamedTuple):
    """A run that a candidate would have warned or stopped.

    Attributes:
        origin: Names the run, for JSON.
        steps: What would have happened to it first, by `STEPS`; what would not is left out.
    """

    origin: Mapping[str, str]
    steps: Mapping[str, Step]

    def document(self) -> dict[str, Any]:
        """For JSON."""
        steps = {name: self.steps[name].document() if name in self.steps else None for name in STEPS}
        return {**self.origin, **steps}


@dataclass(slots=True)
class Tried:
    """What a candidate would have done.

    Attributes:
        candidate: The thresholds, raised as a file's would be.
        calls: Calls that would have been answered so, by `STEPS`; for `aborted` those from the abort to the
            run's end.
        concerned: The runs that would have been warned or stopped, in the order of the history.
    """

    candidate: Candidate
    calls: Counter[str] = field(default_factory=Counter)
    concerned: list[Concerned] = field(default_factory=list)

    def runs(self, step: str, *afterwards: Afterwards) -> int:
        """How many runs it would have happened to; with what came afterwards, those alone."""
        steps = (run.steps[step] for run in self.concerned if step in run.steps)
        return sum(not afterwards or one.afterwards in afterwards for one in steps)

    def document(self) -> dict[str, Any]:
        """For JSON."""
        steps = {
            step: {"runs": self.runs(step), "calls": self.calls[step]}
            | {afterwards.value: self.runs(step, afterwards) for afterwards in Afterwards}
            for step in STEPS
        }
        runs = [run.document() for run in self.concerned]
        return {**self.candidate.document(), **steps, "concerned": runs}


class Trying:
    """Judges turns by several candidates at once.

    Attributes:
        tried: What each would have done so far, the lowest first.
        runs: How many turns were judged.
        quiet: How many of them repeat too little for any candidate.
        calls: How many calls they hold.

    Args:
        engines: What judges by each candidate, the lowest first.
        fingerprinter: For what was recorded without fingerprints.
        history_size: How many calls all of them count over.
    """

    def __init__(
        self,
        engines: Sequence[tuple[Candidate, Engine]],
        fingerprinter: RecordedFingerprinter,
        history_size: int,
    ) -> None:
        self.tried = [Tried(candidate) for candidate, _ in engines]
        self.runs = self.quiet = self.calls = 0
        self._engines = [engine for _, engine in engines]
        self._fingerprinter = fingerprinter
        self._history_size = history_size

    def judge(self, turn: Turn, origin: Mapping[str, str]) -> None:
        """Judge a turn that holds calls, named by its origin."""
        past = Past(turn, self._fingerprinter, self._history_size)
        self.runs += 1
        self.calls += len(turn.calls)
        self.quiet += all(past.most < tried.candidate.warning for tried in self.tried)
        for tried, engine in zip(self.tried, self._engines, strict=True):
            if past.most >= tried.candidate.warning:  # below, no rule that is counted can speak
                findings = Findings(turn.id)
                engine.play(turn, findings)
                _add(tried, [one for one in findings.detections if one.detector in COUNTED], past, origin)


def _add(tried: Tried, found: Sequence[Finding], past: Past, origin: Mapping[str, str]) -> None:
    steps = {}
    for step, actions in STEPS.items():
        first = next((finding for finding in found if finding.action in actions), None)
        if first is not None:
            steps[step] = Step(first, past.afterwards(first))
    if steps:
        tried.concerned.append(Concerned(origin, steps))
    tried.calls["warned"] += sum(finding.action == "warn" for finding in found)
    tried.calls["blocked"] += sum(finding.action == "block" for finding in found)
    if "aborted" in steps:
        tried.calls["aborted"] += past.calls_from(steps["aborted"].found)


@contextmanager
def trying(candidates: Iterable[Candidate], config_of: Callable[[Candidate], Config]) -> Iterator[Trying]:
    """Engines for candidates, with the lowest first.

    Args:
        candidates: The thresholds.
        config_of: Makes the configuration to judge by; it may raise thresholds.
    """
    configs = [config_of(candidate) for candidate in candidates]
    by_candidate = {effective(config): config for config in configs}
    settings = configs[0].settings
    fingerprinter = RecordedFingerprinter(
        b"of turns that are forgotten", sending_tools=settings.sending_tools, poll_tools=settings.poll_tools
    )
    with ExitStack() as stack:
        engines = [
            (candidate, stack.enter_context(Engine(config)))
            for candidate, config in sorted(by_candidate.items())
        ]
        yield Trying(engines, fingerprinter, configs[0].loop_settings(None).history_size)


def effective(config: Config) -> Candidate:
    """The thresholds of a configuration as everybody's runs are judged by them."""
    loop = config.loop_settings(None)
    return Candidate(loop.warning_threshold, loop.critical_threshold, loop.global_circuit_breaker_threshold)
