"""The findings as people see them."""

import pytest

from guardd.cli.doctor.finding import failed, ok, skipped, warning
from guardd.cli.doctor.screen import show, summary

FINDINGS = {
    "daemon": ok("guardd 1.0 at /s\x1b"),
    "disk": failed("12 MB free of 1 GB", "Free some space"),
    "mode": warning("observe", "enforce"),
    "schema": skipped("needs the daemon"),
}

SCREEN = """\
STATE    CHECK   FOUND
ok       daemon  guardd 1.0 at /s\\e
FAILED   disk    12 MB free of 1 GB
                 → Free some space
WARNING  mode    observe
                 → enforce
skipped  schema  needs the daemon

4 checks: 1 ok, 1 warning, 1 failed, 1 skipped.
"""


def test_each_finding_has_a_line_and_its_fix_below(capsys: pytest.CaptureFixture[str]) -> None:
    show(FINDINGS, colored=False)
    assert capsys.readouterr().out == SCREEN


def test_colours_only_add_to_the_words(capsys: pytest.CaptureFixture[str]) -> None:
    show(FINDINGS, colored=True)
    assert "\x1b[1;31mFAILED" in capsys.readouterr().out


def test_a_narrow_terminal_folds_what_was_found(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    show({"write-ahead log": failed("much of it " * 5, "restart the daemon " * 3)}, colored=False)
    lines = capsys.readouterr().out.splitlines()
    assert max(map(len, lines)) <= 40
    assert len(lines) > 6


def test_summary() -> None:
    assert summary({"a": ok("x")}) == "1 check: 1 ok."
    assert summary({"a": warning("x", "y"), "b": warning("x", "y")}) == "2 checks: 0 ok, 2 warnings."
