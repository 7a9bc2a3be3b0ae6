import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from support.daemon import Daemon

from guardd.cli.report.gathering import gather

Make = Callable[..., dict[str, Any]]


class Asked:
    """Answers methods from a mapping, and remembers what was asked."""

    def __init__(self, answers: dict[str, Any]) -> None:
        self.answers = answers
        self.methods: list[str] = []

    def request(self, method: str, _params: Any) -> Any:
        self.methods.append(method)
        return self.answers[method]

    def close(self) -> None: ...


@pytest.fixture
def answers(make_run: Make, make_call: Make, make_event: Make) -> dict[str, Any]:
    values = {
        "guardd.mode": "observe",
        "tools.loopDetection.enabled": None,
        "tools.loopDetection.historySize": 30,
    }
    return {
        "run.get": make_run("r", calls=3, endedAt=None),
        "run.history": {"run": "r", "calls": [make_call(2), make_call(3)], "markers": []},
        "event.list": {"events": [make_event(3)]},
        "run.explain": {"counted": [2, 3], "text": "One.\nTwo."},
        "config.get": {
            "values": {key: {"value": value, "origin": "default"} for key, value in values.items()},
            "warnings": ["this looks wrong"],
        },
    }


def test_what_a_reader_must_know_is_noted(answers: dict[str, Any]) -> None:
    report = gather(Asked(answers), "r", live=True)
    assert [notice.split(":")[0] for notice in report.notices] == [
        "1 earlier call is not stored any more, and not on this page.",
        "guardd only observes now",
        "Loop detection is off for this agent now",
        "Configuration",
    ]
    assert report.loops[0].reasons == ["One.", "Two."]
    assert [(one.key, one.value) for one in report.settings or ()] == [
        ("guardd.mode", "observe"),
        ("enabled", None),
        ("historySize", 30),
    ]


def test_a_file_is_not_asked_what_it_does_not_know(answers: dict[str, Any]) -> None:
    asked = Asked(answers)
    report = gather(asked, "r", live=False)
    assert set(asked.methods) == {"run.get", "run.history", "event.list"}
    assert (report.settings, report.loops[0].counted) == (None, None)
    assert "holds neither settings nor reasons" in report.notices[-1]


def test_the_document_has_what_the_daemon_says(report: Any, told: Daemon) -> None:
    document = json.loads(report("story/looping", "--json").stdout)
    assert document["run"] == told.ask("run.get", run="story/looping")
    history = told.ask("run.history", run="story/looping")
    assert (document["calls"], document["markers"]) == (history["calls"], history["markers"])
    loops = document["loops"]
    assert [(loop["firstSeq"], loop["lastSeq"], loop["calls"], loop["action"]) for loop in loops] == [
        (6, 10, 5, "warn"),
        (11, 18, 8, "abort"),
        (21, 29, 9, "abort"),
    ]
    assert loops[2]["counted"] == list(range(21, 29))
    assert [kind["calls"] for kind in document["legend"]] == [1] * 5 + [5, 5, 5, 12]


def test_a_backup_is_read_too(report: Any, guardctl: Any, told: Daemon, tmp_path: Path) -> None:
    backup = tmp_path / "backup.db"
    told.ask("db.backup", path=str(backup))
    document = json.loads(guardctl("report", "story/looping", "--db", str(backup), "--json").stdout)
    live = json.loads(report("story/looping", "--json").stdout)
    same = ("run", "calls", "markers", "legend")
    assert {key: document[key] for key in same} == {key: live[key] for key in same}
    assert [len(loop["steps"]) for loop in document["loops"]] == [1, 3, 3]
    assert document["settings"] is None
