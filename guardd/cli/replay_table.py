"""What a replay found, for people."""

from typing import TYPE_CHECKING

from guardd.cli import forms, tables
from guardd.cli.text import plural, safe

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from guardd.replay.findings import Finding, Findings

_STOPS = ("abort", "block", "warn")
SKIPS = {
    "not_json": "not JSON",
    "not_an_object": "no object",
    "nested_too_deeply": "nested too deeply",
    "malformed": "malformed",
    "outcome_without_call": "an outcome without its call",
    "cut_off": "the file is cut off",
}


def show(found: "Sequence[Findings]", *, colored: bool) -> None:
    """Print each file's sums, and its findings by detector and action."""
    for findings in found:
        tables.headline([*_about(findings), *_actions(findings)], colored=colored)
        if findings.detections:
            rows = [_row(group) for group in _grouped(findings.detections).values()]
            tables.show(_COLUMNS, rows, colored=colored)
        _note_stopped(findings)


def compare(found: "Sequence[Findings]", *, colored: bool) -> None:
    """Print, for each file, how many findings there are with each of two configurations."""
    for left, right in zip(found[::2], found[1::2], strict=True):
        tables.headline(_about(left), colored=colored)
        if left.format is None:
            continue
        names = [safe(left.config or ""), safe(right.config or "")]
        columns = (
            tables.Column("", fold=True),
            tables.Column("VERDICT"),
            *(tables.Column(name, least=8, right=True) for name in names),
            *(tables.Column(f"FIRST IN {name}", least=10, drop=1) for name in ("A", "B")),
        )
        rows: list[tables.Row] = [
            ("all calls", _word(action), *(str(one.actions[action]) for one in (left, right)), "", "")
            for action in ("allow", *reversed(_STOPS))
        ]
        groups = [_grouped(one.detections) for one in (left, right)]
        for key in sorted({*groups[0], *groups[1]}, key=_order):
            sides = [group.get(key, []) for group in groups]
            counts = [str(len(side)) for side in sides]
            rows.append((key[0], _word(key[1]), *counts, *(_place(side) for side in sides)))
        tables.show(columns, rows, colored=colored)
        _note_stopped(left)


_COLUMNS = (
    tables.Column("DETECTOR", least=14),
    tables.Column("VERDICT"),
    tables.Column("FOUND", right=True, drop=1),
    tables.Column("TURNS", right=True, drop=2),
    tables.Column("FIRST IN", least=10),
    tables.Column("SEQ", right=True),
    tables.Column("COUNT", right=True, drop=3),
    tables.Column("TOOL", least=8, drop=4),
)

_Group = tuple[str, str]


def _about(findings: "Findings") -> list[str]:
    about = [safe(findings.file), findings.format or "not a transcript that guardd knows"]
    if findings.format is not None:
        about += [plural(findings.turns, "turn"), plural(findings.calls, "call")]
    if skipped := findings.skipped.total():
        why = ", ".join(f"{SKIPS[kind]} {number}" for kind, number in sorted(findings.skipped.items()))
        about.append(f"{skipped:,} skipped ({why})")
    return about


def _note_stopped(findings: "Findings") -> None:
    """Say that no outcome is known of what guardd kept from being done, and so no count can grow by it."""
    if findings.stopped:
        were = "was" if findings.stopped == 1 else "were"
        they = "it" if findings.stopped == 1 else "they"
        forms.note(
            f"{plural(findings.stopped, 'call')} {were} stopped by guardd when recorded: what {they} would have "
            "brought is not known, so higher thresholds may find less than they would have."
        )


def _actions(findings: "Findings") -> list[str]:
    if findings.format is None:
        return []
    stopped = [
        f"{_word(action)} {findings.actions[action]:,}" for action in _STOPS if findings.actions[action]
    ]
    return stopped or ["nothing found"]


def _grouped(detections: "Iterable[Finding]") -> "dict[_Group, list[Finding]]":
    """The findings by detector and action, the strongest first."""
    groups: dict[_Group, list[Finding]] = {}
    for finding in detections:
        groups.setdefault((finding.detector, finding.action), []).append(finding)
    return dict(sorted(groups.items(), key=lambda item: _order(item[0])))


def _order(group: _Group) -> tuple[int, str]:
    return _STOPS.index(group[1]), group[0]


def _row(group: "Sequence[Finding]") -> tables.Row:
    first = group[0]
    tool = safe(first.tool)
    paired = first.paired_tool
    return (
        first.detector,
        _word(first.action),
        f"{len(group):,}",
        f"{len({finding.turn for finding in group}):,}",
        safe(first.turn),
        str(first.seq),
        f"{first.counted}/{first.threshold}",
        f"{tool} + {safe(paired)}" if paired and paired != first.tool else tool,
    )


def _place(group: "Sequence[Finding]") -> str:
    return f"{safe(group[0].turn)} #{group[0].seq}" if group else ""


def _word(action: str) -> str:
    return action if action == "allow" else action.upper()
