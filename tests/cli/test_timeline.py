import json
import re
from collections.abc import Callable
from typing import Any

import pytest

from guardd.cli.timeline import LABELS

Make = Callable[..., dict[str, Any]]

AT = "2026-03-01T11:00:00.000Z"


def marker(kind: str, after: int) -> dict[str, Any]:
    return {"kind": kind, "afterSeq": after, "armed": kind == "compaction", "windowSize": 3, "at": AT}


@pytest.fixture
def serve(daemon: Any, make_run: Make) -> Callable[..., None]:
    """Has the daemon answer with these calls and markers."""

    def serve(calls: list[dict[str, Any]], markers: list[dict[str, Any]] = [], **run: Any) -> None:  # noqa: B006
        daemon.answers["run.get"] = make_run("3f2a9c71", calls=len(calls), **run)

        def page(params: dict[str, Any]) -> dict[str, Any]:
            end = int(params.get("cursor") or len(calls))
            start = max(0, end - params["limit"])
            return {"run": "3f2a9c71", "calls": calls[start:end], "markers": markers} | (
                {"nextCursor": str(start)} if start else {}
            )

        daemon.answers["run.history"] = page

    return serve


@pytest.fixture
def looping(serve: Any, make_call: Make) -> None:
    read = {"toolName": "read", "preview": '{"path": "README.md"}', "signature": "01" * 16}
    wrench = {"toolName": "🔧\nfix", "preview": None, "signature": "02" * 16}
    generic = {"detector": "generic_repeat", "count": 10}
    calls = [
        make_call(1, **read),
        *(make_call(seq) for seq in range(2, 12)),
        make_call(12, **wrench),
        *(make_call(seq, action="warn", **generic) for seq in range(13, 16)),
        make_call(16, **wrench),
        make_call(17, **wrench, wouldBe="warn"),
        *(make_call(seq, action="block", state="blocked", **generic) for seq in range(18, 20)),
        make_call(20, action="abort", state="blocked", **generic),
    ]
    markers = [
        marker("compaction", 1),
        marker("gateway_restart", 11),
        marker("daemon_restart", 16),
        marker("reset", 20),
    ]
    serve(calls, markers, verdict="abort", compactions=1, status="aborted")


WIDE = """\
3f2a9c71 · ABORT · aborted · agent main · 20 calls · 1 compaction
 1  A % B B B B B B B B B B < C B!B!B!C > C?B#B#B*=

! warned of · # blocked · * aborted · ? would warn · % compaction · = reset · < the gateway restarted
> guardd restarted

     TOOL     PREVIEW                CALLS  FIRST  LAST  VERDICT
 A   read     {"path": "README.md"}      1      1     1
 B   exec     {"command": "ls"}         16      2    20  ABORT
 C   🔧\\nfix                             3     12    17  (WARN)
"""

NARROW = """\
3f2a9c71 · ABORT · aborted · agent main
  20 calls · 1 compaction
 1  A % B B B B B B B B
10  B B < C B!B!B!C > C?
18  B#B#B*=

! warned of · # blocked · * aborted
? would warn · % compaction · = reset
< the gateway restarted
> guardd restarted

     TOOL     PREVIEW     CALLS  VERDICT
 A   read     {"path":…       1
 B   exec     {"command…     16  ABORT
 C   🔧\\nfix                  3  (WARN)
"""


@pytest.mark.usefixtures("looping")
@pytest.mark.parametrize(("columns", "screen"), [("120", WIDE), ("40", NARROW)])
def test_a_run_in_cells(guardctl: Any, columns: str, screen: str) -> None:
    result = guardctl("timeline", "latest", COLUMNS=columns)
    assert (result.stdout, result.stderr) == (screen, "")


@pytest.mark.usefixtures("looping")
def test_at_80_columns_lines_are_of_round_numbers(guardctl: Any) -> None:
    lines = guardctl("timeline", "latest", COLUMNS="80").stdout.splitlines()
    assert lines[1].startswith(" 1  A % B")
    assert all(len(line) <= 80 for line in lines)


@pytest.mark.usefixtures("looping")
def test_the_same_call_has_the_same_colour_and_what_came_once_has_none(guardctl: Any) -> None:
    out = guardctl("timeline", "latest", "--color", "always").stdout
    assert "\x1b[2mA \x1b[0m" in out
    assert "\x1b[1;35m% \x1b[0m" in out
    assert out.count("\x1b[30;46mB \x1b[0m") == 10
    assert out.count("\x1b[30;46mB\x1b[0m\x1b[30;43m!") == 3
    assert "\x1b[30;46mB\x1b[0m\x1b[37;41m#" in out
    assert "\x1b[30;46mB\x1b[0m\x1b[1;37;41m*" in out
    assert "\x1b[30;42mC \x1b[0m" in out
    assert "\x1b[30;46m B " in out  # in the legend


@pytest.mark.usefixtures("looping")
def test_colours_change_nothing_else(guardctl: Any) -> None:
    coloured = guardctl("timeline", "latest", "--color", "always").stdout
    bare = [line.rstrip() for line in re.sub(r"\x1b\[[\d;]*m", "", coloured).splitlines()]
    assert bare == WIDE.splitlines()


@pytest.mark.usefixtures("looping")
def test_json_has_the_cells_and_what_they_stand_for(guardctl: Any) -> None:
    document = json.loads(guardctl("timeline", "latest", "--json").stdout)
    assert list(document) == ["run", "cells", "legend"]
    assert [cell.get("label", cell.get("kind")) for cell in document["cells"][:3]] == ["A", "compaction", "B"]
    assert document["cells"][0] == {
        "label": "A",
        "seq": 1,
        "toolName": "read",
        "signature": "01" * 16,
        "state": "ok",
        "action": "allow",
        "detector": None,
    }
    assert [cell["wouldBe"] for cell in document["cells"] if "wouldBe" in cell] == ["warn"]
    assert document["legend"][1] == {
        "label": "B",
        "signature": "0f" * 16,
        "toolName": "exec",
        "preview": '{"command": "ls"}',
        "calls": 16,
        "firstSeq": 2,
        "lastSeq": 20,
    }


def test_what_was_only_observed_is_told_apart_without_colour(
    serve: Any, guardctl: Any, make_call: Make
) -> None:
    serve([make_call(seq, wouldBe=what) for seq, what in enumerate(("warn", "block", "abort"), start=1)])
    lines = guardctl("timeline", "r").stdout.splitlines()
    assert lines[1:4] == ["1  A?A+A^", "", "? would warn · + would block · ^ would abort"]


def test_the_most_frequent_calls_have_labels(serve: Any, guardctl: Any, make_call: Make) -> None:
    rare = [make_call(seq, signature=f"{seq:032x}") for seq in range(1, 101)]
    loop = [make_call(seq, signature="ff" * 16) for seq in range(101, 111)]
    serve(rare + loop)
    document = json.loads(guardctl("timeline", "r", "--json").stdout)
    assert [kind["label"] for kind in document["legend"]].count(None) == 101 - len(LABELS)
    assert document["legend"][-1]["label"] == LABELS[-1]
    out = guardctl("timeline", "r").stdout
    assert "99999" not in out
    assert "9 9 9 9 9 9 9 9 9 9" in out
    assert re.search(r"^ · +39 other calls +39$", out, re.MULTILINE)


def test_a_long_run_in_pages(serve: Any, guardctl: Any, make_call: Make) -> None:
    serve([make_call(seq, signature=f"{seq % 3:032x}") for seq in range(1, 10_001)])
    out = guardctl("timeline", "r", "--limit", "all", COLUMNS="80").stdout
    lines = out.splitlines()
    assert lines[1] == "    1  " + "A B C " * 9 + "A B C"
    assert lines[334].startswith(" 9991  ")
    assert re.search(r"^ A +exec .* 3,334 +1 +10000$", out, re.MULTILINE)


def test_the_newest_are_drawn_and_the_rest_is_told(serve: Any, guardctl: Any, make_call: Make) -> None:
    serve([make_call(seq) for seq in range(1, 1502)])
    result = guardctl("timeline", "r", "--limit", "20")
    assert "1482  A A" in result.stdout
    assert result.stderr.startswith("1,481 earlier calls are not among these")


def test_a_run_without_calls(serve: Any, guardctl: Any) -> None:
    serve([])
    result = guardctl("timeline", "r")
    assert (result.stdout, result.stderr, result.exit_code) == ("", "No calls.\n", 0)
    assert json.loads(guardctl("timeline", "r", "--json").stdout)["cells"] == []


def test_a_run_with_nothing_but_a_marker(serve: Any, guardctl: Any) -> None:
    serve([], [marker("reset", 0)])
    assert guardctl("timeline", "r").stdout.splitlines()[1:] == ["  =", "", "= reset"]
