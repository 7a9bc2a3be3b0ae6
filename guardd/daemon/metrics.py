"""What the daemon counts about itself, as Prometheus text (the exposition format, version 0.0.4)."""

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping
from enum import StrEnum
from itertools import product
from typing import Any, Literal, NamedTuple

from guardd.protocol.errors import ERRORS, RpcError
from guardd.protocol.methods import METHODS
from guardd.vocabulary import Action, Detector

SECONDS = (0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1.0)
"""Upper bounds of a histogram's buckets."""

Labels = tuple[str, ...]
Samples = Mapping[Labels, float]
"""Values by those of the labels."""


class MetricDescription(NamedTuple):
    """A metric by its name.

    Attributes:
        name: as Prometheus knows it; a histogram's series add `_bucket`, `_sum` and `_count`.
        type: what kind it is.
        labels: the names of its labels.
        help: what it counts, in a sentence.
    """

    name: str
    type: Literal["counter", "gauge", "histogram"]
    labels: Labels
    help: str


METRICS: tuple[MetricDescription, ...] = (
    MetricDescription(
        "guardd_requests_total", "counter", ("method",), "Requests that were admitted, whatever the answer."
    ),
    MetricDescription(
        "guardd_calls_total",
        "counter",
        ("action",),
        "Calls asked about with tool.before, by what was answered.",
    ),
    MetricDescription(
        "guardd_verdicts_total",
        "counter",
        ("detector", "action"),
        "Detections, by what was answered: in observe mode allow.",
    ),
    MetricDescription(
        "guardd_errors_total",
        "counter",
        ("code", "kind"),
        "Errors that requests, or connections, were answered with, by their code and the kind that their table names.",
    ),
    MetricDescription(
        "guardd_call_seconds", "histogram", (), "From a tool.before or tool.after coming in to its reply."
    ),
    MetricDescription(
        "guardd_commit_seconds", "histogram", (), "Commits; a transaction holds all that came at one moment."
    ),
    MetricDescription(
        "guardd_notifications_total",
        "counter",
        ("result",),
        "Events for the command of guardd.notify: ok, failed, timeout (killed at the limit), dropped (untold).",
    ),
    MetricDescription("guardd_runs", "gauge", ("status",), "Runs in the database."),
    MetricDescription("guardd_connections", "gauge", (), "Open connections."),
    MetricDescription("guardd_queue", "gauge", (), "Changes that wait for the writer."),
    MetricDescription("guardd_buffered_bytes", "gauge", (), "Bytes received and not yet worked on."),
    MetricDescription("guardd_database_bytes", "gauge", (), "Size of the database file."),
    MetricDescription("guardd_wal_bytes", "gauge", (), "Size of the write-ahead log."),
    MetricDescription("guardd_uptime_seconds", "gauge", (), "Time since the daemon started."),
    MetricDescription("guardd_process_id", "gauge", (), "The daemon's process."),
    MetricDescription(
        "guardd_build_info", "gauge", ("version", "sqlite"), "1, with what the daemon is made of."
    ),
)
"""All of them, in the order in which they are shown."""


class Notification(StrEnum):
    """What became of an event that the command of `guardd.notify` was to be told of."""

    OK = "ok"
    FAILED = "failed"
    TIMEOUT = "timeout"
    DROPPED = "dropped"


class Histogram:
    """How long something took, counted in buckets."""

    def __init__(self) -> None:
        self._buckets = [0] * (len(SECONDS) + 1)
        self._sum = 0.0

    def observe(self, seconds: float) -> None:
        """Count one more."""
        self._buckets[bisect_left(SECONDS, seconds)] += 1
        self._sum += seconds

    def lines(self, name: str) -> Iterator[str]:
        """Its series."""
        total = 0
        for bound, count in zip((*map(str, SECONDS), "+Inf"), self._buckets, strict=True):
            total += count
            yield _line(f"{name}_bucket", ("le",), (bound,), total)
        yield _line(f"{name}_sum", (), (), round(self._sum, 6))
        yield _line(f"{name}_count", (), (), total)


Value = float | Samples | Histogram


class Metrics:
    """Counts since the daemon started. What can be counted and was not yet stands at 0, so that its rate is known.

    Attributes:
        requests: by method.
        calls: by the action answered.
        verdicts: detections by (detector, action answered).
        errors: by (code, kind), see `error_labels`.
        notifications: by what became of each.
        call_seconds: from a call's report to its reply.
    """

    def __init__(self) -> None:
        actions = [action.word for action in Action]
        self.requests: Counter[str] = _from_zero(METHODS)
        self.calls: Counter[str] = _from_zero(actions)
        self.verdicts: Counter[Labels] = _from_zero(product(map(str, Detector), actions))
        self.errors: Counter[Labels] = _from_zero(map(error_labels, ERRORS))
        self.notifications: Counter[str] = _from_zero(map(str, Notification))
        self.call_seconds = Histogram()

    def text(self, further: Mapping[str, Value]) -> str:
        """The exposition text.

        Args:
            further: values by metric, of what is counted elsewhere; one that is not known now is left out.
        """
        values: dict[str, Value] = {
            "guardd_requests_total": by_one_label(self.requests),
            "guardd_calls_total": by_one_label(self.calls),
            "guardd_verdicts_total": self.verdicts,
            "guardd_errors_total": self.errors,
            "guardd_notifications_total": by_one_label(self.notifications),
            "guardd_call_seconds": self.call_seconds,
            **further,
        }
        known = (metric for metric in METRICS if metric.name in values)
        return "".join(f"{line}\n" for metric in known for line in _lines(metric, values[metric.name]))


def error_labels(error: RpcError | type[RpcError]) -> Labels:
    """The code and the kind of an error; a standard one's kind is its name."""
    name = error.__name__ if isinstance(error, type) else type(error).__name__
    return str(error.code), error.kind or re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower()


def _from_zero(names: Iterable[Hashable]) -> Counter[Any]:
    return Counter(dict.fromkeys(names, 0))


def by_one_label(counts: Mapping[str, int]) -> Samples:
    """The samples of a metric that has one label."""
    return {(name,): count for name, count in counts.items()}


def _lines(metric: MetricDescription, value: Value) -> Iterator[str]:
    yield f"# HELP {metric.name} {metric.help}"
    yield f"# TYPE {metric.name} {metric.type}"
    if isinstance(value, Histogram):
        yield from value.lines(metric.name)
    else:
        samples = value if isinstance(value, Mapping) else {(): value}
        for labels, sample in sorted(samples.items()):
            yield _line(metric.name, metric.labels, labels, sample)


def _line(name: str, labels: Labels, values: Labels, sample: float) -> str:
    pairs = ",".join(f'{label}="{_escaped(value)}"' for label, value in zip(labels, values, strict=True))
    return f"{name}{{{pairs}}} {sample}" if pairs else f"{name} {sample}"


def _escaped(value: str) -> str:
    return value.replace("\\", "\\\\").replace("\n", "\\n").replace('"', '\\"')
