# ruff: noqa: RUF001 - the sign is meant
import json
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest

Make = Callable[..., dict[str, Any]]


@pytest.fixture(autouse=True)
def _at_a_certain_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("guardd.cli.times.now", lambda: datetime(2026, 3, 1, 11, 1, tzinfo=UTC))


@pytest.fixture
def looping(daemon: Any, make_run: Make, make_call: Make) -> Any:
    calls = [
        make_call(1, toolName="read", preview='{"path": "README.md"}', durationMs=4),
        *(make_call(2 + i, repeat=1 + i, state="error", durationMs=2300) for i in range(9)),
        *(
            make_call(11 + i, repeat=10 + i, action="warn", detector="generic_repeat", count=10 + i)
            for i in range(3)
        ),
        make_call(
            14,
            repeat=13,
            state="blocked",
            action="block",
            detector="generic_repeat",
            count=20,
            durationMs=None,
        ),
        make_call(15, toolName="日本\ntool", state="pending", preview=None, durationMs=None),
    ]
    markers = [
        {"kind": "compaction", "afterSeq": 1, "armed": True, "windowSize": 3, "at": calls[0]["at"]},
        {"kind": "daemon_restart", "afterSeq": 13, "armed": False, "at": calls[12]["at"]},
        {"kind": "reset", "afterSeq": 15, "armed": False, "at": calls[14]["at"]},
    ]
    daemon.answers["run.get"] = make_run("3f2a9c71", calls=15, verdict="block", compactions=1)

    def answer(params: dict[str, Any]) -> dict[str, Any]:
        after = params.get("afterSeq", 0)
        return {
            "run": "3f2a9c71",
            "calls": ([call for call in calls if call["seq"] > after][: params["limit"]])
            if after
            else calls[-params["limit"] :],
            "markers": [marker for marker in markers if marker["afterSeq"] >= after],
        }

    daemon.answers["run.history"] = answer
    return daemon


WIDE = """\
3f2a9c71 · BLOCK · active · agent main · 15 calls · 1 compaction
  SEQ  AGO   TOOL        PREVIEW                STATE      TOOK  REP  VERDICT  DETECTOR        COUNT
    1  59 s  read        {"path": "README.md"}  ok         4 ms       allow
── compaction, guard armed for 3 attempts · 59 s ago ──
 2-10  50 s  exec        {"command": "ls"}      error     2.3 s   ×9  allow
11-13  47 s  exec        {"command": "ls"}      ok       120 ms   ×3  WARN     generic_repeat  10-12
── guardd restarted · 47 s ago ──
   14  46 s  exec        {"command": "ls"}      blocked               BLOCK    generic_repeat     20
   15  45 s  日本\\ntool                         pending               allow
── reset: what came before no longer counts · 45 s ago ──
"""

NARROW = """\
3f2a9c71 · BLOCK · active · agent main · 15 calls · 1 compaction
  SEQ  AGO   TOOL        PREVIEW           STATE    REP  VERDICT  DETECTOR
    1  59 s  read        {"path": "READM…  ok            allow
── compaction, guard armed for 3 attempts · 59 s ago ──
 2-10  50 s  exec        {"command": "ls…  error     ×9  allow
11-13  47 s  exec        {"command": "ls…  ok        ×3  WARN     generic_repeat
── guardd restarted · 47 s ago ──
   14  46 s  exec        {"command": "ls…  blocked       BLOCK    generic_repeat
   15  45 s  日本\\ntool                    pending       allow
── reset: what came before no longer counts · 45 s ago ──
"""


def test_repeats_are_folded_and_markers_stand_between(looping: Any, guardctl: Any) -> None:
    result = guardctl("history", "latest")
    assert result.stdout == WIDE
    assert result.stderr == ""
    assert looping.params("run.get") == [{"run": "latest"}]
    assert looping.params("run.history") == [{"run": "default/3f2a9c71", "limit": 1000}]


@pytest.mark.usefixtures("looping")
def test_a_narrow_terminal_loses_details_not_the_loop(guardctl: Any) -> None:
    assert guardctl("history", "latest", COLUMNS="80").stdout == NARROW


@pytest.mark.usefixtures("looping")
def test_expanded_every_call_has_its_line(guardctl: Any) -> None:
    lines = guardctl("history", "latest", "--expand").stdout.splitlines()
    assert len(lines) == 2 + 15 + 3
    assert "×12" in lines[15]


@pytest.mark.usefixtures("looping")
def test_absolute_times(guardctl: Any) -> None:
    out = guardctl("history", "latest", "--abs-time").stdout
    assert "2026-03-01T11:00:10.000Z" in out
    assert "guardd restarted · 2026-03-01T11:00:13.000Z" in out
    assert out.splitlines()[1].split()[1] == "TIME"


@pytest.mark.usefixtures("looping")
def test_only_the_verdict_is_coloured(guardctl: Any) -> None:
    out = guardctl("--color", "always", "history", "latest").stdout
    assert "\x1b[33mWARN" in out
    assert "\x1b[31mBLOCK" in out
    assert "\x1b[31merror" in out
    assert "\x1b[35m── guardd restarted" in out


@pytest.mark.usefixtures("looping")
def test_json_has_the_three_fields_of_the_contract(guardctl: Any) -> None:
    document = json.loads(guardctl("history", "3f2a", "--json").stdout)
    assert list(document) == ["run", "calls", "markers"]
    assert document["run"] == "3f2a9c71"
    assert [call["seq"] for call in document["calls"]] == list(range(1, 16))
    assert len(document["markers"]) == 3


@pytest.mark.usefixtures("looping")
def test_a_limit_keeps_the_newest_and_says_so(guardctl: Any) -> None:
    result = guardctl("history", "latest", "--json", "--limit", "3")
    document = json.loads(result.stdout)
    assert [call["seq"] for call in document["calls"]] == [13, 14, 15]
    assert [marker["kind"] for marker in document["markers"]] == ["daemon_restart", "reset"]
    assert result.stderr == "12 earlier calls are not among these: --limit all shows what is still stored.\n"


@pytest.mark.usefixtures("looping")
def test_since_seq_includes_that_call(guardctl: Any) -> None:
    result = guardctl("history", "latest", "--json", "--since-seq", "14")
    assert [call["seq"] for call in json.loads(result.stdout)["calls"]] == [14, 15]
    assert result.stderr == ""


def test_from_a_call_on_the_limit_keeps_the_first(
    daemon: Any, guardctl: Any, make_run: Make, make_call: Make
) -> None:
    daemon.answers["run.get"] = make_run("r")
    daemon.answers["run.history"] = lambda params: {
        "run": "r",
        "calls": [make_call(params["afterSeq"] + 1 + index) for index in range(params["limit"])],
        "markers": [],
        "nextCursor": "x",
    }
    result = guardctl("history", "r", "--json", "--since-seq", "14", "--limit", "2")
    assert [call["seq"] for call in json.loads(result.stdout)["calls"]] == [14, 15]
    assert result.stderr == "There are more calls than these 2: --limit all shows them.\n"


def test_long_histories_come_in_pages(daemon: Any, guardctl: Any, make_run: Make, make_call: Make) -> None:
    everything = [make_call(seq) for seq in range(1, 2501)]

    def page(params: dict[str, Any]) -> dict[str, Any]:
        end = int(params.get("cursor") or 2500)
        start = max(0, end - params["limit"])
        marker = {"kind": "reset", "afterSeq": 1000, "armed": False, "at": "2026-03-01T11:00:00.000Z"}
        return {"run": "r", "calls": everything[start:end], "markers": [marker]} | (
            {"nextCursor": str(start)} if start else {}
        )

    daemon.answers |= {"run.get": make_run("r", calls=2500), "run.history": page}
    document = json.loads(guardctl("history", "r", "--json", "--limit", "all").stdout)
    assert [call["seq"] for call in document["calls"]] == list(range(1, 2501))
    assert len(document["markers"]) == 1
    document = json.loads(guardctl("history", "r", "--json", "--limit", "1200").stdout)
    assert [call["seq"] for call in document["calls"]] == list(range(1301, 2501))
    assert document["markers"] == []


def test_one_call_that_is_left_out_is_one(
    daemon: Any, guardctl: Any, make_run: Make, make_call: Make
) -> None:
    daemon.answers["run.get"] = make_run("r")
    daemon.answers["run.history"] = {"run": "r", "calls": [make_call(2)], "markers": []}
    result = guardctl("history", "r")
    assert result.stderr == "1 earlier call is not among these: --limit all shows what is still stored.\n"


def test_markers_of_one_moment_are_all_shown_and_why_a_run_ended(
    daemon: Any, guardctl: Any, make_run: Make, make_call: Make
) -> None:
    at = make_call(1)["at"]
    compaction = {"kind": "compaction", "afterSeq": 1, "at": at}
    markers = [
        compaction | {"armed": True, "windowSize": 3, "reason": "overflow\x1b"},
        compaction | {"armed": False, "windowSize": None, "reason": None},
    ]
    daemon.answers["run.get"] = make_run("r", status="failed", endReason="out of\nmoney", calls=1)
    daemon.answers["run.history"] = {"run": "r", "calls": [make_call(1)], "markers": markers}
    lines = guardctl("history", "r").stdout.splitlines()
    assert lines[0] == "r · failed (out of\\nmoney) · agent main · 1 call"
    assert lines[3:] == [
        "── compaction (overflow\\e), guard armed for 3 attempts · 59 s ago ──",
        "── compaction, guard not armed · 59 s ago ──",
    ]


def test_who_stopped_the_run_by_hand_stands_where_it_was(
    daemon: Any, guardctl: Any, make_run: Make, make_call: Make, make_event: Make
) -> None:
    daemon.answers["run.get"] = make_run("r", calls=3)
    daemon.answers["run.history"] = {
        "run": "r",
        "calls": [make_call(seq) for seq in (1, 2, 3)],
        "markers": [],
    }
    by_hand = {"action": "abort", "detector": "operator"}
    daemon.answers["event.list"] = {
        "events": [
            make_event(None, message="This run was stopped by an operator: no: really.", **by_hand)
            | {"at": make_call(2)["at"]},
            make_event(None, message="This run was stopped by an operator.", **by_hand)
            | {"at": "2026-02-28T11:00:00.000Z"},
        ]
    }
    lines = guardctl("history", "r").stdout.splitlines()
    assert lines[2] == "── aborted by hand · 24 h ago ──"
    assert lines[5] == "── aborted by hand (no: really) · 58 s ago ──"
    assert daemon.params("event.list") == [{"run": "default/r", "detector": "operator", "limit": 1000}]
    assert json.loads(guardctl("history", "r", "--json").stdout)["markers"] == []
    # Of a part of the history, only what happened in it.
    daemon.answers["run.history"]["calls"] = [make_call(2), make_call(3)]
    lines = guardctl("history", "r").stdout.splitlines()
    assert [line for line in lines if "by hand" in line] == ["── aborted by hand (no: really) · 58 s ago ──"]


def test_a_run_without_calls_says_so(daemon: Any, guardctl: Any, make_run: Make) -> None:
    daemon.answers["run.get"] = make_run("r", calls=0)
    daemon.answers["run.history"] = {"run": "r", "calls": [], "markers": []}
    result = guardctl("history", "r")
    assert (result.stdout, result.stderr) == ("", "No calls.\n")


@pytest.mark.usefixtures("looping")
def test_no_calls_from_there_on_are_told_from_none_at_all(guardctl: Any) -> None:
    result = guardctl("history", "latest", "--since-seq", "9999")
    assert (result.stdout, result.stderr) == ("", "No calls from 9999 on: the run has 15.\n")


@pytest.mark.parametrize(
    ("status", "told"), [("active", ""), ("completed", "The run has ended (completed); wai")]
)
def test_following_a_run_that_has_ended_says_so(
    daemon: Any,
    guardctl: Any,
    make_run: Make,
    make_call: Make,
    monkeypatch: pytest.MonkeyPatch,
    status: str,
    told: str,
) -> None:
    daemon.answers["run.get"] = make_run("r", status=status, calls=1)
    daemon.answers["run.history"] = {"run": "r", "calls": [make_call(1)], "markers": []}
    monkeypatch.setattr("guardd.cli.following.polled", lambda *_: iter([[make_call(1)]]))
    result = guardctl("history", "r", "--follow")
    assert result.stderr.startswith(told)
    assert bool(result.stderr) == bool(told)


def test_an_unknown_run_is_not_found(daemon: Any, guardctl: Any, refuse: Any) -> None:
    daemon.answers["run.get"] = refuse(-32003, "no run is called 'x'", kind="run_not_found")
    result = guardctl("history", "x…")
    assert result.exit_code == 5
    assert result.stderr == "guardctl: no run is called 'x'\n  guardctl runs shows what there is\n"
    assert daemon.params("run.get") == [{"run": "x"}]


def test_an_ambiguous_run_lists_what_may_be_meant(daemon: Any, guardctl: Any, refuse: Any) -> None:
    names = ["default/3f2a", "codex/3f2a", *(f"3f2a{n}\x1b" for n in range(10))]
    daemon.answers["run.get"] = refuse(
        -32003, "'3f' may mean several runs", kind="run_ambiguous", candidates=names
    )
    result = guardctl("history", "3f")
    assert result.exit_code == 5
    lines = result.stderr.splitlines()
    assert lines[:3] == [
        "guardctl: '3f' may mean several runs",
        "  Say more of the id, or the source before it:",
        "  default/3f2a",
    ]
    assert lines[4] == "  3f2a0\\e"
    assert lines[-1] == "  … and 2 more"


def test_an_empty_name_is_a_usage_error(guardctl: Any) -> None:
    assert guardctl("history", "").exit_code == 2
    assert guardctl("history").exit_code == 2
