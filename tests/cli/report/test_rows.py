from collections.abc import Callable
from typing import Any

from guardd.cli.paging import History
from guardd.cli.report.rows import Between, Rounds, Row, rows
from guardd.cli.timeline import timeline

Make = Callable[..., dict[str, Any]]


def test_a_row_holds_what_its_calls_have_of_their_own(make_run: Make, make_call: Make) -> None:
    calls = [
        make_call(
            seq, repeat=seq, action="warn", detector="generic_repeat", count=9 + seq, durationMs=seq * 100
        )
        for seq in (1, 2, 3)
    ]
    marker = {"kind": "gateway_restart", "afterSeq": 3, "armed": False, "at": "2026-03-02T00:00:01Z"}
    drawn = timeline(History(make_run("r"), calls, [marker], more=False))
    row, between = rows(drawn, with_day=True)
    assert isinstance(row, Row)
    assert (row.id, row.seqs, row.label, row.style) == ("c1", "1\N{EN DASH}3", "A", "k0")
    assert (row.words, row.detector, row.counted) == ("warn", "generic_repeat", "10\N{EN DASH}12")
    assert row.at == "1 Mar 11:00:01"
    assert [tuple(single) for single in row.singles] == [
        (1, "1 Mar 11:00:01", "100 ms", "10"),
        (2, "1 Mar 11:00:02", "200 ms", "11"),
        (3, "1 Mar 11:00:03", "300 ms", "12"),
    ]
    assert between == Between("m1", "the gateway restarted", "2 Mar 00:00:01")


def test_calls_in_turn_are_one_row_after_their_first_round(make_run: Make, make_call: Make) -> None:
    calls = [make_call(seq, signature="ab"[seq % 2]) for seq in range(1, 11)]
    first, second, rounds = rows(timeline(History(make_run("r"), calls, [], more=False)), with_day=False)
    assert (first.id, second.id, rounds.id) == ("c1", "c2", "c3")
    assert isinstance(rounds, Rounds)
    assert rounds.words == "The 2 above in turn, 4 times more: 3-10"
    assert [single.seq for single in rounds.singles] == list(range(3, 11))
