"""A run that the rules beyond the documented ones judged gets the same verdicts from its export."""

from pathlib import Path
from typing import Any

import pytest
from support.guarding import Guarded, config

from guardd.replay import export
from guardd.replay.engine import Engine
from guardd.replay.findings import Findings
from guardd.replay.turns import Call, Result, Turn
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


def failing_commands(guarded: Guarded) -> None:
    for number in range(9):
        failed = {"status": "failed", "exitCode": 1, "aggregated": f"refused after {number}.5s"}
        guarded.call("exec", {"n": number}, {"details": failed})


def writing_nothing(guarded: Guarded) -> None:
    for number in range(12):
        guarded.call("write", {"path": number % 3}, {"details": {"changed": False, "at": number}})


def exported(guarded: Guarded) -> list[dict[str, Any]]:
    engine = reading_engine(guarded.path)
    try:
        with engine.connect() as connection:
            run = describe_run(connection, guarded.run().id)
            page = run_history(connection, guarded.run().id, HistoryPage(100), None)
    finally:
        engine.dispose()
    return list(export.lines(run, page["calls"], page["markers"]))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("story", "profile"),
    [
        (volatile, "extended"),
        (changing, "extended"),
        (going_round, "extended"),
        (failing, "extended"),
        (failing_beside_each_other, "extended"),
        (failing_commands, "openclaw-2026.9"),
        (writing_nothing, "openclaw-2026.9"),
    ],
)
def test_an_export_gets_the_verdicts_of_its_run(tmp_path: Path, story: Any, profile: str):
    guarded = Guarded(tmp_path / "guardd.db", LOOP, profile=profile)
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
    with Engine(config(LOOP, profile=profile)) as engine:
        engine.play(turn, findings)
    assert [(found.seq, found.detector, found.counted) for found in findings.detections] == expected


def test_a_transcript_is_judged_by_the_profile():
    """As the daemon would: the engine makes the fingerprints that it would have made."""
    printed = [f"down since 2026-06-17T10:00:{number:02}Z" for number in range(8)]
    failed = [Call("exec", {"n": n}, None, Result(_failed(text))) for n, text in enumerate(printed)]
    volatile_text = [Call("probe", {}, None, Result(text)) for text in printed]
    assert _found(failed, "documented") == _found(volatile_text, "openclaw-2026.9", "block") == []
    assert _found(failed, "openclaw-2026.9") == [("generic_repeat", 6), ("generic_repeat", 7)]
    assert _found(volatile_text, "documented", "block") == []
    assert _found(volatile_text, "extended", "block") == [("generic_repeat", 6), ("generic_repeat", 7)]


def _failed(printed: str) -> dict[str, Any]:
    return {"details": {"status": "failed", "exitCode": 1, "aggregated": printed}}


def _found(calls: list[Call], profile: str, action: str | None = None) -> list[tuple[str, int]]:
    findings = Findings("x", None, None)
    with Engine(config(LOOP, profile=profile)) as engine:
        engine.play(Turn("t", [*calls]), findings)
    return [(one.detector, one.counted) for one in findings.detections if action in (None, one.action)]
