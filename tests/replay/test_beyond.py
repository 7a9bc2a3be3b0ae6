"""A run that the rules beyond the documented ones judged gets the same verdicts from its export."""

from pathlib import Path
from typing import Any

import pytest
from support.guarding import Guarded, config

from guardd.replay import export
from guardd.replay.engine import Engine
from guardd.replay.findings import Findings
from guardd.store.connecting import reading_engine
from guardd.store.reading import describe_run, run_history
from guardd.store.reading.history import HistoryPage

LOOP = {"enabled": True, "warningThreshold": 4, "criticalThreshold": 6, "historySize": 60}


def volatile(guarded: Guarded) -> None:
    for number in range(6):
        guarded.call("probe", {}, f"down since 2026-06-17T10:00:{number:02}Z")


def changing(guarded: Guarded) -> None:
    for number in range(12):
        if number == 5:
            guarded.call("edit", {"path": "x"}, "done")
        guarded.call("exec", {"command": "make"}, "2 failed")


def going_round(guarded: Guarded) -> None:
    for number in range(11):
        tool = "abc"[number % 3]
        guarded.call(tool, {"x": tool}, f"of {tool}")


def failing(guarded: Guarded) -> None:
    for number in range(9):
        guarded.before("exec", {"n": number})
        guarded.after("exec", {"n": number}, error=f"refused after {number}.5s")


def failing_beside_each_other(guarded: Guarded) -> None:
    for number in range(24):
        guarded.before("exec", {"n": number}, f"c{number}")
        if number % 3 == 2:
            for one in range(number - 2, number + 1):
                guarded.after("exec", {"n": one}, f"c{one}", error="refused")


def exported(guarded: Guarded) -> list[dict[str, Any]]:
    engine = reading_engine(guarded.path)
    try:
        with engine.connect() as connection:
            run = describe_run(connection, guarded.run().id)
            page = run_history(connection, guarded.run().id, HistoryPage(100), None)
    finally:
        engine.dispose()
    return list(export.lines(run, page["calls"], page["markers"]))  # type: ignore[arg-type]


@pytest.mark.parametrize("story", [volatile, changing, going_round, failing, failing_beside_each_other])
def test_an_export_gets_the_verdicts_of_its_run(tmp_path: Path, story: Any):
    guarded = Guarded(tmp_path / "guardd.db", LOOP, profile="extended")
    story(guarded)
    expected = [
        (event.verdict.seq, event.verdict.detection.detector.value, event.verdict.detection.count)
        for event in guarded.events
        if event.verdict.detection
    ]
    lines = exported(guarded)
    guarded.close()
    assert expected
    (turn,) = export.turns(lines, Findings("x", None, None).skipped)
    findings = Findings("x", None, None)
    with Engine(config(LOOP, profile="extended")) as engine:
        engine.play(turn, findings)
    assert [(found.seq, found.detector, found.counted) for found in findings.detections] == expected
