import re
from typing import Any

import pytest

from guardd.daemon.metrics import METRICS, SECONDS, Metrics, Notification, error_labels
from guardd.protocol.errors import ERRORS, InvalidParams, RunAmbiguous
from guardd.protocol.methods import METHODS
from guardd.vocabulary import Action, Detector

NAME = re.compile(r"guardd_[a-z_]+")
SAMPLE = re.compile(r"(?P<name>[a-z_]+)(?:\{(?P<labels>.*)\})? (?P<value>\S+)")
LABEL = re.compile(r'([a-z_]+)="((?:[^"\\\n]|\\["\\n])*)"(,|$)')
"""By https://prometheus.io/docs/instrumenting/exposition_formats/, and as strict as what we write allows."""

ESCAPES = {r"\n": "\n", r"\"": '"', r"\\": "\\"}

Series = dict[tuple[tuple[str, str], ...], float]


def labels_of(text: str | None) -> tuple[tuple[str, str], ...]:
    found, place = [], 0
    while text and place < len(text):
        label = LABEL.match(text, place)
        assert label, text
        found.append((label[1], re.sub(r"\\.", lambda escape: ESCAPES[escape[0]], label[2])))
        place = label.end()
    return tuple(found)


def parsed(text: str) -> dict[str, tuple[str, str, dict[str, Series]]]:
    """Each metric's type, help, and series by the names of the samples."""
    assert text.endswith("\n")
    found: dict[str, tuple[str, str, dict[str, Series]]] = {}
    helped, current = "", ""
    for line in text.removesuffix("\n").split("\n"):
        if line.startswith("# HELP "):
            helped, words = line.split(" ", 3)[2:]
            assert helped not in found
            assert "\\" not in words
        elif line.startswith("# TYPE "):
            current, kind = line.split(" ")[2:]
            assert current == helped
            found[current] = (kind, words, {})
        else:
            sample = SAMPLE.fullmatch(line)
            assert sample, line
            series = found[current][2].setdefault(sample["name"], {})
            labels = labels_of(sample["labels"])
            assert labels not in series
            series[labels] = float(sample["value"])
    return found


def filled() -> Metrics:
    metrics = Metrics()
    metrics.requests.update(["tool.before", "tool.before", "run.list"])
    metrics.calls.update(["allow", "allow", "block"])
    metrics.verdicts["generic_repeat", "block"] = 3
    metrics.errors[error_labels(InvalidParams())] += 1
    metrics.notifications["timeout"] += 1
    for seconds in (0.00005, 0.0001, 0.0002, 5.0):
        metrics.call_seconds.observe(seconds)
    return metrics


GAUGES: dict[str, Any] = {
    "guardd_connections": 2,
    "guardd_runs": {("active",): 1, ("failed",): 0},
    "guardd_build_info": {("1.0", "3.51.3"): 1},
}


def test_every_metric_is_described_and_of_the_type_it_is_described_as():
    found = parsed(filled().text(GAUGES))
    described = {metric.name: metric for metric in METRICS}
    assert len(described) == len(METRICS)
    for name, (kind, words, series) in found.items():
        metric = described[name]
        assert (metric.type, metric.help) == (kind, words)
        assert series
        suffixes = ("_bucket", "_sum", "_count") if kind == "histogram" else ("",)
        assert list(series) == [name + suffix for suffix in suffixes]
        for labels in next(iter(series.values())):
            extra = ("le",) if kind == "histogram" else ()
            assert tuple(label for label, _ in labels) == (*metric.labels, *extra)


@pytest.mark.parametrize("metric", METRICS, ids=lambda metric: metric.name)
def test_names_are_prometheuss(metric: Any):
    assert NAME.fullmatch(metric.name)
    assert metric.name.endswith("_total") == (metric.type == "counter")
    assert metric.name.endswith("_seconds") or metric.type != "histogram"
    assert metric.help.endswith(".")
    assert "\n" not in metric.help
    assert len(metric.help) <= 110


def test_what_is_counted_stands_there():
    lines = filled().text(GAUGES).splitlines()
    assert 'guardd_requests_total{method="tool.before"} 2' in lines
    assert 'guardd_calls_total{action="allow"} 2' in lines
    assert 'guardd_verdicts_total{detector="generic_repeat",action="block"} 3' in lines
    assert 'guardd_errors_total{code="-32602",kind="invalid_params"} 1' in lines
    assert 'guardd_notifications_total{result="timeout"} 1' in lines
    assert 'guardd_runs{status="active"} 1' in lines
    assert 'guardd_build_info{version="1.0",sqlite="3.51.3"} 1' in lines
    assert "guardd_connections 2" in lines


def test_what_is_not_known_now_is_left_out():
    found = parsed(Metrics().text({}))
    assert "guardd_runs" not in found
    assert {metric.name for metric in METRICS if metric.type == "counter"} <= found.keys()


def test_whatever_can_be_counted_is_there_from_the_start():
    found = parsed(Metrics().text({}))
    labels = {name: set(series.get(name, ())) for name, (_, _, series) in found.items()}
    assert labels["guardd_requests_total"] == {(("method", name),) for name in METHODS}
    assert labels["guardd_calls_total"] == {(("action", action.word),) for action in Action}
    assert labels["guardd_verdicts_total"] == {
        (("detector", str(detector)), ("action", action.word)) for detector in Detector for action in Action
    }
    assert labels["guardd_notifications_total"] == {(("result", str(result)),) for result in Notification}
    assert len(labels["guardd_errors_total"]) == len(ERRORS)
    assert {
        value for _, _, series in found.values() for each in series.values() for value in each.values()
    } == {0}


def test_an_error_goes_by_its_code_and_kind():
    assert error_labels(RunAmbiguous()) == error_labels(RunAmbiguous) == ("-32003", "run_ambiguous")
    standard = {labels for labels in map(error_labels, ERRORS) if int(labels[0]) < -32099}
    assert standard == {
        ("-32700", "parse_error"),
        ("-32600", "invalid_request"),
        ("-32601", "method_not_found"),
        ("-32602", "invalid_params"),
        ("-32603", "internal_error"),
    }


def test_the_histogram_is_cumulative_and_its_bounds_belong_to_their_buckets():
    (_, _, series) = parsed(filled().text({}))["guardd_call_seconds"]
    buckets = series["guardd_call_seconds_bucket"]
    assert list(buckets.values()) == [2, *[3] * (len(SECONDS) - 1), 4]
    assert [float(labels[0][1]) for labels in buckets] == [*SECONDS, float("inf")]
    assert series["guardd_call_seconds_count"] == {(): 4}
    assert series["guardd_call_seconds_sum"] == {(): 5.00035}


def test_any_label_can_be_read_back():
    odd = 'a "quoted" \\ back\\nslash\nand a line, {x="y"} ä'
    (_, _, series) = parsed(Metrics().text({"guardd_build_info": {(odd, "3"): 1}}))["guardd_build_info"]
    assert series["guardd_build_info"] == {(("version", odd), ("sqlite", "3")): 1}


def test_the_results_of_notifications_are_named_in_the_help():
    said = next(metric.help for metric in METRICS if metric.name == "guardd_notifications_total")
    assert all(str(result) in said for result in Notification)
