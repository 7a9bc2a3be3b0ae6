from collections.abc import Callable
from typing import Any

import pytest

from guardd.cli.folding import Again, Group, again_text, in_turn, lines, marker_text

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


def in_circles(make_call: Make, letters: str) -> list[Any]:
    """Calls of the tools that the letters name, one after another, put into lines."""
    calls = []
    for seq, letter in enumerate(letters, start=1):
        repeat = calls[-1]["repeat"] + 1 if calls and calls[-1]["toolName"] == letter else 1
        calls.append(make_call(seq, toolName=letter, signature=letter, repeat=repeat))
    return in_turn(lines(calls, []))


@pytest.mark.parametrize(
    ("letters", "shown"),
    [
        ("ABAB", "A B A B"),
        ("ABABAB", "A B 2x2:3-6"),
        ("XABABABABY", "X A B 2x3:4-9 Y"),
        ("ABABABA", "A B 2x2:3-6 A"),
        ("ABCABCABC", "A B C 3x2:4-9"),
        ("ABCDEFABCDEFABCDEF", "A B C D E F 6x2:7-18"),
        ("ABCDEFGABCDEFGABCDEFG", "A B C D E F G A B C D E F G A B C D E F G"),
        ("AABAABAAB", "A B 2x2:4-9"),
        ("AAAAAA", "A"),
    ],
)
def test_what_comes_in_turn_is_shown_once(make_call: Make, letters: str, shown: str) -> None:
    entries = in_circles(make_call, letters)
    assert (
        " ".join(
            f"{one.of}x{one.times}:{one.first['seq']}-{one.last['seq']}"
            if isinstance(one, Again)
            else one.first["toolName"]
            for one in entries
        )
        == shown
    )


def test_another_verdict_or_a_marker_ends_a_circle(make_call: Make) -> None:
    calls = [make_call(seq, toolName="AB"[seq % 2], signature="AB"[seq % 2]) for seq in range(1, 13)]
    for call in calls[6:]:
        call |= {"action": "warn", "detector": "ping_pong", "count": call["seq"]}
    folded = in_turn(lines(calls, []))
    assert [isinstance(one, Again) for one in folded] == [False, False, True, False, False, True]
    assert again_text(folded[2]) == "the 2 above in turn, 2 times more: 3-6"
    broken = in_turn(lines(calls, [marker("reset", 4)]))
    assert [isinstance(one, Again) for one in broken].count(True) == 1


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
        ({"kind": "abort", "reason": "enough"}, "aborted by hand (enough)"),
        (
            {"kind": "abort", "reason": "", "observed": True},
            "aborted by hand, and let through: guardd was observing",
        ),
    ],
)
def test_what_markers_say(fields: dict[str, Any], words: str) -> None:
    assert marker_text(marker("", 0) | fields) == words
