"""What a judge says of a run; guardd's engine as one of them."""

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from evaluation.corpus import Run

from guardd.config import parse
from guardd.replay.engine import Engine
from guardd.replay.findings import Findings
from guardd.replay.turns import Call, Turn, text_of

ACTIONS = ("warn", "block", "abort")
"""Goes on with a word; does not make this call; ends the run."""

THRESHOLDS = ((10, 20, 30), (5, 8, 12), (3, 5, 8))
"""Those that the documentation gives, and two for runs as short as episodes are."""
PROFILES = ("documented", "extended", "openclaw-2026.9")


class Word(NamedTuple):
    """Something that a judge said: at which call of the run (from 1), what, and by which of its rules."""

    at: int
    action: str
    rule: str


Judge = Callable[[Turn], Iterable[Word]]
"""Says, in order, what it would have said of a run's calls; what follows after the run was ended is left out."""


@dataclass
class Judgement:
    """What a judge said of a run: the first word of each kind, and how many calls each rule spoke at."""

    run: Run
    first: dict[str, Word] = field(default_factory=dict)
    rules: Counter[str] = field(default_factory=Counter)

    @property
    def warned(self) -> bool:
        """Anything at all was said."""
        return bool(self.first)

    @property
    def stopped(self) -> bool:
        """A call was not made, or the run was ended."""
        return not {"block", "abort"}.isdisjoint(self.first)


def judge_all(runs: Iterable[Run], judge: Judge) -> list[Judgement]:
    """Ask a judge about each run."""
    judgements = []
    for run in runs:
        judgement = Judgement(run)
        for word in judge(run.turn):
            judgement.first.setdefault(word.action, word)
            judgement.rules[f"{word.rule} {word.action}"] += 1
        judgements.append(judgement)
    return judgements


def guardd(profile: str, thresholds: tuple[int, int, int]) -> Judge:
    """Guardd's engine; the other settings are the defaults."""
    warning, critical, breaker = thresholds
    loop = {
        "enabled": True,
        "warningThreshold": warning,
        "criticalThreshold": critical,
        "globalCircuitBreakerThreshold": breaker,
    }
    config = parse(json.dumps({"tools": {"loopDetection": loop}, "guardd": {"profile": profile}}))

    def judge(turn: Turn) -> Iterator[Word]:
        findings = Findings(turn.id)
        with Engine(config) as engine:
            engine.play(turn, findings)
        return (Word(found.seq, found.action, found.detector) for found in findings.detections)

    return judge


def arguments_of(call: Call) -> dict[str, Any]:
    """The arguments, for judges that take an object only."""
    return call.args if isinstance(call.args, dict) else {"value": call.args}


def output_of(call: Call) -> str | None:
    """The outcome as text, for judges that take nothing else; None: the transcript does not say."""
    if call.outcome is None:
        return None
    value = text_of(call.outcome.value)
    return value if isinstance(value, str) else json.dumps(value, sort_keys=True)
