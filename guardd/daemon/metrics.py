"""What the daemon counts about itself, as Prometheus text (the exposition format, version 0.0.4)."""

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Mapping

LATENCY_BOUNDS = (0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1.0)
"""Upper bounds of the latency histogram's buckets, in seconds."""


class Metrics:
    """Counts since the daemon started.

    Attributes:
        requests: by method.
        verdicts: detections by (detector, action).
        errors: by error code.
    """

    def __init__(self) -> None:
        self.requests: Counter[str] = Counter()
        self.verdicts: Counter[tuple[str, str]] = Counter()
        self.errors: Counter[int] = Counter()
        self._latencies = [0] * (len(LATENCY_BOUNDS) + 1)
        self._latency_sum = 0.0

    def answered_call(self, seconds: float) -> None:
        """Count the time from a `tool.before` or `tool.after` coming in to its reply going out."""
        self._latencies[bisect_left(LATENCY_BOUNDS, seconds)] += 1
        self._latency_sum += seconds

    def text(self, gauges: Mapping[str, tuple[str, float]]) -> str:
        """The exposition text.

        Args:
            gauges: further values of the moment: name to help and value.
        """
        return "\n".join((*self._counters(), *self._histogram(), *_gauges(gauges), ""))

    def _counters(self) -> Iterator[str]:
        yield "# HELP guardd_requests_total Requests received, by method."
        yield "# TYPE guardd_requests_total counter"
        for method, count in sorted(self.requests.items()):
            yield f'guardd_requests_total{{method="{method}"}} {count}'
        yield "# HELP guardd_verdicts_total Detections, by detector and action answered."
        yield "# TYPE guardd_verdicts_total counter"
        for (detector, action), count in sorted(self.verdicts.items()):
            yield f'guardd_verdicts_total{{detector="{detector}",action="{action}"}} {count}'
        yield "# HELP guardd_errors_total Requests answered with an error, by its code."
        yield "# TYPE guardd_errors_total counter"
        for code, count in sorted(self.errors.items()):
            yield f'guardd_errors_total{{code="{code}"}} {count}'

    def _histogram(self) -> Iterator[str]:
        name = "guardd_call_seconds"
        yield f"# HELP {name} Time from a tool.before or tool.after to its reply."
        yield f"# TYPE {name} histogram"
        total = 0
        for bound, count in zip(LATENCY_BOUNDS, self._latencies, strict=False):
            total += count
            yield f'{name}_bucket{{le="{bound}"}} {total}'
        total += self._latencies[-1]
        yield f'{name}_bucket{{le="+Inf"}} {total}'
        yield f"{name}_sum {self._latency_sum:.6f}"
        yield f"{name}_count {total}"


def _gauges(gauges: Mapping[str, tuple[str, float]]) -> Iterator[str]:
    for name, (description, value) in gauges.items():
        yield f"# HELP {name} {description}"
        yield f"# TYPE {name} gauge"
        yield f"{name} {value}"
