"""Percentiles, turns and ratios."""

import statistics

import pytest

from guardd.bench.figures import Figure, Target, compared, in_turns, percentile


@pytest.mark.parametrize("percent", [1, 25, 50, 99])
def test_percentiles_are_those_of_the_statistics_module(percent):
    values = [9.0, 1.0, 4.0, 4.5, 7.0, 2.0]
    expected = statistics.quantiles(values, n=100, method="inclusive")[percent - 1]
    assert percentile(values, percent) == pytest.approx(expected)
    assert percentile([3.0], percent) == 3.0


def test_who_is_measured_first_changes_with_each_round():
    order = []
    names = ("floor", "guardd")
    taken = in_turns(
        {name: lambda number, name=name: order.append((number, name)) or 1.0 for name in names}, 3
    )
    assert order == [
        (0, "floor"), (0, "guardd"), (1, "guardd"), (1, "floor"), (2, "floor"), (2, "guardd"),
    ]  # fmt: skip
    assert taken == {"floor": [1.0] * 3, "guardd": [1.0] * 3}


def test_the_ratio_is_the_median_of_the_rounds_ratios():
    figure = compared("n", "t", "ms", [1.0, 10.0, 2.0], [2.0, 10.0, 6.0], Target(2))
    assert (figure.floor, figure.guardd, figure.ratio) == (2.0, 6.0, 2.0)
    assert figure.spread == (1.5, 2.5)
    assert figure.is_met
    assert figure.document() == {
        "figure": "n",
        "title": "t",
        "unit": "ms",
        "floor": 2.0,
        "guardd": 6.0,
        "ratio": 2.0,
        "spread": [1.5, 2.5],
        "target": 2,
        "targetIs": "atMost",
        "met": True,
    }


def test_a_target_bounds_the_ratio_and_without_one_the_figure():
    assert Figure("n", "t", "", 1.0, 9.0, 1.4, target=Target(1.5)).is_met
    assert not Figure("n", "t", "", None, 9.0, target=Target(1.5)).is_met
    assert not Figure("n", "t", "", 1.0, 0.9, 0.9, target=Target(1.0, at_least=True)).is_met
    assert Figure("n", "t", "", None, 9.0).is_met is None
