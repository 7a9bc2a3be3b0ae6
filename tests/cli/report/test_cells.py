from collections.abc import Callable
from typing import Any

import pytest

from guardd.cli.paging import History
from guardd.cli.report.cells import MANY, PER_DENSE_LINE, PER_LINE, Line, timeline_lines, verdict_words
from guardd.cli.timeline import timeline

Make = Callable[..., dict[str, Any]]


@pytest.fixture
def drawn(make_run: Make) -> Callable[..., list[Line]]:
    def draw(calls: list[dict[str, Any]], markers: list[dict[str, Any]] = []) -> list[Line]:  # noqa: B006
        return timeline_lines(timeline(History(make_run("r"), calls, markers, more=False)), with_day=False)

    return draw


def sizes(lines: list[Line]) -> list[tuple[int, list[int]]]:
    return [(line.number, [piece.size for piece in line.pieces]) for line in lines]


def test_repeats_are_one_piece_which_a_line_may_cut(drawn: Any, make_call: Make) -> None:
    calls = [make_call(seq, repeat=seq) for seq in range(1, PER_LINE + 11)]
    lines = drawn(calls)
    assert sizes(lines) == [(1, [PER_LINE]), (PER_LINE + 1, [10])]
    assert {piece.target for line in lines for piece in line.pieces} == {"c1"}


def test_markers_take_no_room_from_calls(drawn: Any, make_call: Make) -> None:
    marker = {"kind": "compaction", "armed": False, "at": "2026-03-01T11:00:00Z"}
    calls = [make_call(seq) for seq in range(1, PER_LINE + 2)]
    lines = drawn(calls, [marker | {"afterSeq": after} for after in (0, 1, PER_LINE)])
    assert [(line.number, len(line.pieces)) for line in lines] == [
        (0, 1),
        (1, PER_LINE + 2),
        (PER_LINE + 1, 1),
    ]
    assert lines[0].pieces[0].target == "m1"
    assert lines[1].pieces[-1].words == "compaction, guard not armed · 11:00:00"


def test_calls_in_turn_lead_to_the_line_that_they_are_folded_into(drawn: Any, make_call: Make) -> None:
    (line,) = drawn([make_call(seq, signature="ab"[seq % 2]) for seq in range(1, 11)])
    assert [piece.target for piece in line.pieces] == ["c1", "c2", *["c3"] * 8]


def test_many_calls_are_drawn_small(drawn: Any, make_call: Make) -> None:
    lines = drawn([make_call(seq, preview="x" * 100) for seq in range(1, MANY + 1)])
    assert len(lines) == MANY // PER_DENSE_LINE
    assert len(lines[0].pieces[0].words) < 60


def test_the_words_of_a_verdict(make_call: Make) -> None:
    assert verdict_words(make_call(1, action="block")) == "block"
    assert verdict_words(make_call(1, wouldBe="abort")) == "would abort"
