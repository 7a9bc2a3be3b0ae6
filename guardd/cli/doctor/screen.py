"""The findings for people: a line each, with what to do below it where something is to be done."""

from collections import Counter
from collections.abc import Mapping

from guardd.cli import forms, tables
from guardd.cli.doctor.finding import Finding, State
from guardd.cli.painting import ARROW
from guardd.cli.text import plural, safe

WORDS = {State.OK: "ok", State.WARNING: "WARNING", State.FAILED: "FAILED", State.SKIPPED: "skipped"}
"""What needs somebody is in capitals, to show without colour too."""

COLUMNS = (
    tables.Column("STATE"),
    tables.Column("CHECK", least=13, fold=True),
    tables.Column("FOUND", least=30, fold=True, alone=True),
)


def show(findings: Mapping[str, Finding], *, colored: bool) -> None:
    """Print all findings, and how many there are of each kind."""
    rows = []
    for name, finding in findings.items():
        rows.append((WORDS[finding.state], name, safe(finding.detail)))
        if finding.fix:
            rows.append(("", "", f"{ARROW}{safe(finding.fix)}"))
    tables.show(COLUMNS, rows, colored=colored)
    forms.say(f"\n{summary(findings)}")


def summary(findings: Mapping[str, Finding]) -> str:
    """How many findings there are of each kind: `18 checks: 16 ok, 2 warnings`."""
    found = Counter(finding.state for finding in findings.values())
    words = [f"{found[State.OK]} ok"]
    if found[State.WARNING]:
        words.append(plural(found[State.WARNING], "warning"))
    words += [f"{found[state]} {state}" for state in (State.FAILED, State.SKIPPED) if found[state]]
    return f"{plural(len(findings), 'check')}: {', '.join(words)}."
