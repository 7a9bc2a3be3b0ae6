from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from rich.cells import cell_len
from support.statuses import STATUS

from guardd.cli.tables import Styled
from guardd.cli.watch.drawing import Drawing, Size, split
from guardd.cli.watch.model import Model, Trouble

Make = Callable[..., dict[str, Any]]
ROOMY = """\
guardd 0.1.0 · enforce · up 3 min · 4 connections · 340 runs · 1,204 calls
3 WARN · 0 BLOCK · 1 ABORT · 0.8 events/s · watched for 5 s
── runs · 3 of 340 ────────────────────────────────────────────────────────────
RUN                                  AGENT  STATUS   CALLS  LOOPS   LAST ACTIVE
3f2a9c71-0000-4000-8000-00000000000  main   aborted     12  ABORT   4 min ago
other                                main   active       1  allow   4 min ago
observed                             main   active      12  (WARN)  4 min ago
── events ─────────────────────────────────────────────────────────────────────
TIME      ACTION  RUN               TOOL                  DETECTOR        COUNT
11:00:01  WARN    3f2a9c71-0000-4…  exec                  generic_repeat  10/10
11:00:02  WARN    other             read + list\\tfiles    ping_pong       10/10
11:00:03  ABORT   3f2a9c71-0000-4…  exec                  operator
11:00:04  (WARN)  observed          mcp__🔧\\n\\e[31mmmmm…  generic_repeat  10/10



q quit   p pause"""

SMALL = """\
3 WARN · 0 BLOCK · 1 ABORT · 0.8/s
RUN          CALLS  LOOPS   LAST ACTIVE
3f2a9c71-0…     12  ABORT   4 min ago
other            1  allow   4 min ago
observed        12  (WARN)  4 min ago
TIME      ACTION  RUN          TOOL
11:00:02  WARN    other        read +…
11:00:03  ABORT   3f2a9c71-0…  exec
11:00:04  (WARN)  observed     mcp__🔧…
q quit   p pause          3 of 340 runs"""


@pytest.fixture(autouse=True)
def _now(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("guardd.cli.times.now", lambda: datetime(2026, 3, 1, 11, 4, tzinfo=UTC))


@pytest.fixture
def model(make_run: Make, make_event: Make) -> Model:
    looping = "3f2a9c71-0000-4000-8000-00000000000"
    model = Model(None, 0)
    model.learn(
        STATUS,
        [
            make_run(looping, verdict="abort", status="aborted"),
            make_run("other", calls=1),
            make_run("observed", wouldBe="warn"),
        ],
    )
    model.happened(
        [
            make_event(1, run=looping),
            make_event(2, run="other", detector="ping_pong", toolName="read", pairedToolName="list\tfiles"),
            make_event(3, run=looping, action="abort", detector="operator", count=0, threshold=0),
            make_event(
                4,
                run="observed",
                action="allow",
                wouldBe="warn",
                toolName="mcp__🔧\ufe0f\n\x1b[31m" + "m" * 50,
            ),
        ],
        5,
    )
    model.counts["warn"], model.counts["(warn)"] = 3, 0
    return model


def drawn(model: Model, columns: int, rows: int, drawing: Drawing | None = None) -> list[str]:
    lines = (drawing or Drawing(absolute=False)).lines(model, Size(columns, rows), 5)
    assert len(lines) == rows
    return ["".join(line).rstrip() for line in lines]


def test_a_usual_terminal_has_it_all(model: Model):
    assert drawn(model, 80, 17) == ROOMY.splitlines()


def test_a_small_one_has_what_matters(model: Model):
    assert drawn(model, 40, 10) == SMALL.splitlines()


def test_a_wide_one_has_the_message_as_far_as_it_fits(model: Model, make_event: Make):
    model.happened([make_event(5, message="First\nsecond " + "word " * 40)], 5)
    lines = drawn(model, 120, 20)
    event = next(line for line in lines if "11:00:05" in line)
    assert "First\\nsecond word" in event
    assert event.endswith("…")
    assert cell_len(event) <= 119


def test_without_runs_and_events_it_says_so():
    empty = Model(None, 0)
    empty.learn(STATUS | {"runs": 0}, [])
    lines = drawn(empty, 80, 24)
    assert lines[3] == "No runs yet."
    assert lines[5] == "No events yet: nothing has looped."
    assert set(lines[6:-1]) == {""}
    filtered = Drawing(absolute=False, filters="agent x, looping")
    lines = drawn(empty, 80, 24, filtered)
    assert lines[2].startswith("── runs · agent x, looping ───")
    assert lines[3] == "No run is like that."
    nobody = Model("x", 0)
    nobody.learn(STATUS | {"runs": 0}, [])
    assert drawn(nobody, 80, 24, filtered)[5] == "No events of this agent."


def test_what_is_restricted_says_to_what_and_whether_there_is_more(model: Model, make_run: Make):
    model.learn(STATUS, [make_run(f"run-{number}") for number in range(24)])
    drawing = Drawing(absolute=False, filters="looping")
    assert drawn(model, 80, 24, drawing)[2].startswith("── runs · looping, first 13 ───")
    assert drawn(model, 40, 10, drawing)[-1] == "q quit   p pause  looping, first 3 runs"


def test_looping_runs_stand_out(model: Model):
    lines = Drawing(absolute=False).lines(model, Size(80, 17), 5)
    styles = {
        str(piece): piece.style for line in lines[4:7] for piece in line[:1] if isinstance(piece, Styled)
    }
    assert styles == {
        "3f2a9c71-0000-4000-8000-00000000000": "bold red",
        "observed": "bold yellow",
    }


def test_columns_keep_the_width_that_they_once_needed(model: Model, make_event: Make):
    drawing = Drawing(absolute=False)
    before = next(line for line in drawn(model, 80, 17, drawing) if line.startswith("TIME"))
    model.happened([make_event(seq) for seq in range(10, 30)], 5)
    assert before in drawn(model, 80, 17, drawing)
    assert before not in drawn(model, 81, 17, drawing)


def test_times_can_be_absolute(model: Model):
    lines = drawn(model, 120, 17, Drawing(absolute=True))
    assert lines[4].endswith("2026-03-01T11:00:00.000Z")
    assert any(line.startswith("2026-03-01T11:00:04.000Z") for line in lines)


def test_what_is_held_still_says_so(model: Model):
    model.pause()
    assert drawn(model, 80, 24)[-1] == "PAUSED   p go on   q quit"


@pytest.mark.parametrize(
    ("room", "runs", "events", "lines"),
    [
        (20, 50, 50, (10, 10)),
        (21, 50, 50, (10, 11)),
        (20, 3, 50, (3, 17)),
        (20, 50, 4, (16, 4)),
        (20, 3, 4, (3, 17)),
        (0, 5, 5, (0, 0)),
        (-3, 5, 5, (0, 0)),
    ],
)
def test_the_height_is_shared_fairly(room: int, runs: int, events: int, lines: tuple[int, int]):
    assert split(room, runs, events) == lines


@pytest.mark.parametrize("rows", range(1, 12))
def test_it_is_said_how_many_runs_are_shown(model: Model, rows: int):
    lines = drawn(model, 80, rows)
    shown = sum(line.startswith(("3f2a", "other", "observed")) for line in lines)
    assert rows == 1 or lines[-1].endswith(f"  {shown} of 340 runs")
    filtered = drawn(model, 80, rows, Drawing(absolute=False, filters="looping"))[-1]
    assert rows == 1 or filtered.endswith(f"looping, first {shown} runs" if shown < 3 else "looping runs")


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60, deadline=None)
@given(
    size=st.builds(Size, st.integers(1, 160), st.integers(1, 60)),
    text=st.text(max_size=60),
    is_empty=st.booleans(),
    trouble=st.none() | st.builds(Trouble, st.text(max_size=60), st.just(0.0)),
)
def test_nothing_is_ever_wider_or_higher_than_the_terminal(
    make_run: Make, make_event: Make, size: Size, text: str, trouble: Trouble | None, *, is_empty: bool
):
    model = Model(None, 0)
    model.learn(STATUS, [] if is_empty else [make_run(text), make_run("x", source=text, agentId=text)])
    model.happened(
        [make_event(number, run=text, toolName=text, message=text) for number in range(0 if is_empty else 5)],
        1,
    )
    model.trouble = trouble
    lines = Drawing(absolute=False).lines(model, size, 5)
    assert len(lines) == size.rows
    for line in lines:
        shown = "".join(line)
        assert cell_len(shown) < size.columns
        assert shown.isprintable()
