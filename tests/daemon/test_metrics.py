import re

from guardd.daemon.metrics import LATENCY_BOUNDS, Metrics

SAMPLE = re.compile(r'(?P<name>[a-z_]+)(?:\{[a-z]+="[^"]*"(?:,[a-z]+="[^"]*")*\})? [0-9.e+-]+')


def filled() -> Metrics:
    metrics = Metrics()
    metrics.requests.update(["tool.before", "tool.before", "run.list"])
    metrics.verdicts["generic_repeat", "block"] = 3
    metrics.errors[-32602] = 1
    for seconds in (0.00005, 0.0001, 0.0002, 5.0):
        metrics.answered_call(seconds)
    return metrics


def test_every_line_is_of_the_exposition_format_and_every_metric_is_guardds_and_described():
    text = filled().text({"guardd_connections": ("Open connections.", 2)})
    assert text.endswith("\n")
    typed: dict[str, str] = {}
    for line in text.splitlines():
        words = line.split(maxsplit=3)
        if line.startswith("# HELP"):
            described = words[2]
        elif line.startswith("# TYPE"):
            assert words[2] == described
            typed[words[2]] = words[3]
        else:
            sample = SAMPLE.fullmatch(line)
            assert sample, line
            assert re.sub("_(bucket|sum|count)$", "", sample["name"]) == described
    assert all(name.startswith("guardd_") for name in typed)
    assert typed["guardd_requests_total"] == "counter"
    assert typed["guardd_call_seconds"] == "histogram"
    assert typed["guardd_connections"] == "gauge"


def test_what_is_counted_stands_there():
    lines = filled().text({"guardd_connections": ("Open connections.", 2)}).splitlines()
    assert 'guardd_requests_total{method="tool.before"} 2' in lines
    assert 'guardd_verdicts_total{detector="generic_repeat",action="block"} 3' in lines
    assert 'guardd_errors_total{code="-32602"} 1' in lines
    assert "guardd_connections 2" in lines


def test_the_histogram_is_cumulative_and_its_bounds_belong_to_their_buckets():
    lines = filled().text({}).splitlines()
    counts = [int(line.split()[-1]) for line in lines if line.startswith("guardd_call_seconds_bucket")]
    assert counts == [2, *[3] * (len(LATENCY_BOUNDS) - 1), 4]
    assert 'guardd_call_seconds_bucket{le="+Inf"} 4' in lines
    assert "guardd_call_seconds_count 4" in lines
    assert "guardd_call_seconds_sum 5.000350" in lines
