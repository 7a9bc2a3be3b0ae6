"""The figures as tables of plain text."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from evaluation.corpus import Kind
from evaluation.judging import ACTIONS, Judgement

Row = Sequence[object]


def by_label(judgements: Iterable[Judgement]) -> str:
    """For each label the runs that were warned, blocked and aborted, and the calls that each rule spoke at."""
    labels: dict[str, list[Judgement]] = {}
    for judgement in judgements:
        labels.setdefault(judgement.run.label, []).append(judgement)
    rows = [(label, len(ours), *_counts(ours), _rules(ours)) for label, ours in labels.items()]
    return _layout(("label", "runs", *ACTIONS, "calls, by rule"), rows)


def summary(judged: Mapping[str, Sequence[Judgement]]) -> str:
    """For each judge how many runs of each kind it said anything of, and how many of those it stopped."""
    kinds = sorted(
        {judgement.run.kind for ours in judged.values() for judgement in ours}, key=list(Kind).index
    )
    head = ["warned / stopped", *kinds]
    return _layout(head, [(name, *(_caught(ours, kind) for kind in kinds)) for name, ours in judged.items()])


def mistakes(judgements: Iterable[Judgement]) -> str:
    """The stuck runs that nothing was said of, and the others of which something was."""
    rows = []
    for judgement in judgements:
        run = judgement.run
        if (run.kind is Kind.STUCK) != judgement.warned:
            words = [f"{word.action} at {word.at} by {word.rule}" for word in judgement.first.values()]
            rows.append((run.kind, run.label, run.turn.id, ", ".join(words) or "nothing said"))
    return _layout(("", "label", "run", "first words"), rows)


def _counts(judgements: Sequence[Judgement]) -> list[int]:
    return [sum(action in judgement.first for judgement in judgements) for action in ACTIONS]


def _rules(judgements: Sequence[Judgement]) -> str:
    rules: Counter[str] = sum((judgement.rules for judgement in judgements), Counter())
    return ", ".join(f"{rule} {calls}" for rule, calls in sorted(rules.items()))


def _caught(judgements: Sequence[Judgement], kind: Kind) -> str:
    ours = [judgement for judgement in judgements if judgement.run.kind is kind]
    warned, stopped = (sum(getattr(one, step) for one in ours) for step in ("warned", "stopped"))
    return f"{warned} / {stopped} of {len(ours)}"


def _layout(head: Row, rows: Iterable[Row]) -> str:
    cells = [[str(cell) for cell in row] for row in (head, *rows)]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    lines = ("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) for row in cells)
    return "\n".join(line.rstrip() for line in lines)
