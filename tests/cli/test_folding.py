from collections.abc import Callable
from typing import Any

import pytest

from guardd.cli.folding import Group, lines, marker_text

Make = Callable[..., dict[str, Any]]


def shape(entries: list[Any]) -> list[Any]:
    return [
        (entry.first["seq"], entry.last["seq"], entry.size) if isinstance(entry, Group) else entry["kind"]
        for entry in entries
    ]


def marker(kind: str, after: int, **fields: object) -> dict[str, Any]:
    return {"kind": kind, "afterSeq": after, "armed": False, "at": "2026-03-01T11:00:00.000Z"} | fields


def test_repeats_in_a_row_are_one_line(make_call: Make) -> None:
    calls = [make_call(1), *(make_call(2 + i, repeat=1 + i) for i in range(4)), make_call(6)]
    assert shape(lines(calls, [])) == [(1, 1, 1), (2, 5, 4), (6, 6, 1)]
    assert len(lines(calls, [], expand=True)) == 6


@pytest.mark.parametrize(
    "difference",
    [
        {"state": "error"},
        {"action": "warn", "detector": "generic_repeat"},
        {"wouldBe": "warn"},
        {"repeat": 1},
        {"seq": 9},
    ],
)
def test_another_outcome_verdict_or_signature_begins_a_line(
    make_call: Make, difference: dict[str, Any]
) -> None:
    calls = [make_call(1), make_call(2, repeat=2), make_call(3, repeat=3) | difference]
    assert [entry.size for entry in lines(calls, []) if isinstance(entry, Group)] == [2, 1]


def test_markers_stand_where_they_happened_and_break_a_row(make_call: Make) -> None:
    calls = [make_call(1 + i, repeat=1 + i) for i in range(4)]
    markers = [marker("reset", 0), marker("compaction", 2), marker("daemon_restart", 2), marker("reset", 4)]
    assert shape(lines(calls, markers)) == [
        "reset",
        (1, 2, 2),
        "compaction",
        "daemon_restart",
        (3, 4, 2),
        "reset",
    ]


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"kind": "compaction", "armed": True, "windowSize": 3}, "compaction, guard armed for 3 attempts"),
        ({"kind": "compaction", "armed": True, "windowSize": 1}, "compaction, guard armed for 1 attempt"),
        ({"kind": "compaction", "armed": True}, "compaction, guard armed"),
        ({"kind": "compaction", "armed": False}, "compaction, guard not armed"),
        (
            {"kind": "compaction", "armed": True, "windowSize": 3, "reason": "overflow"},
            "compaction (overflow), guard armed for 3 attempts",
        ),
        ({"kind": "reset", "reason": None}, "reset: what came before no longer counts"),
        ({"kind": "reset", "reason": "fixed"}, "reset (fixed): what came before no longer counts"),
        ({"kind": "gateway_restart"}, "the gateway restarted"),
        ({"kind": "daemon_restart"}, "guardd restarted"),
        ({"kind": "something_new"}, "something new"),
    ],
)
def test_what_markers_say(fields: dict[str, Any], words: str) -> None:
    assert marker_text(marker("", 0) | fields) == words
