"""Great outcomes: what their fingerprint costs against decoding and hashing them, and whom they keep waiting."""

import hashlib
import json
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path

import msgspec

from guardd.bench.figures import Figure, Target, compared, in_turns, percentile
from guardd.bench.load import Link, time_pairs
from guardd.bench.traffic import Pair, Traffic, frame
from guardd.fingerprint.arguments import Arguments
from guardd.fingerprint.fingerprinter import Fingerprinter

MEGABYTE = 1_000_000
NESTED_VALUES = 10_000

AT_MOST_OF_DECODING = Target(3)
AT_MOST_MS_LATER = Target(20)

_LINE = "src/module.py:120: warning: unused variable 'näme' [unused]\n"


def text_outcome() -> bytes:
    """The result of a tool that printed 1 MB, as JSON."""
    text = (_LINE * (MEGABYTE // len(_LINE) + 1))[:MEGABYTE]
    return msgspec.json.encode({"content": [{"type": "text", "text": text}]})


def nested_outcome() -> bytes:
    """A result of 10,000 values within each other by tens, as JSON."""
    leaves = [
        {"id": number, "name": f"file-{number}.py", "ratio": number / 7, "tags": ["a", None, True]}
        for number in range(NESTED_VALUES // 8)
    ]
    tens = [leaves[start : start + 10] for start in range(0, len(leaves), 10)]
    return msgspec.json.encode({"details": {"found": [{"part": ten} for ten in tens]}})


OUTCOMES: Mapping[str, tuple[str, Callable[[], bytes]]] = {
    "outcome_text": ("fingerprint of 1 MB of text / decode + sha256, CPU", text_outcome),
    "outcome_nested": ("fingerprint of 10,000 nested values / decode + sha256, CPU", nested_outcome),
}


def fingerprints(rounds: int) -> list[Figure]:
    """What the fingerprint of an outcome costs against msgspec's decoding and sha256 of the same bytes."""
    figures = []
    fingerprinter = Fingerprinter(b"key")
    arguments = Arguments.parse(b'{"command":"make"}')
    for name, (title, make) in OUTCOMES.items():
        data = make()
        raw = msgspec.Raw(data)
        works: dict[str, Callable[[], object]] = {
            "floor": partial(_decode_and_hash, data),
            "guardd": partial(fingerprinter.outcome, "exec", arguments, raw, None),
        }
        taken = in_turns({who: partial(_milliseconds, work) for who, work in works.items()}, rounds)
        figures.append(compared(name, title, "ms", taken["floor"], taken["guardd"], AT_MOST_OF_DECODING))
    return figures


def _decode_and_hash(data: bytes) -> None:
    msgspec.json.decode(data)
    hashlib.sha256(data).digest()


def _milliseconds(work: Callable[[], object], number: int) -> float:
    """What it takes of the processor; nothing waits in it, and what else the machine does is not in it."""
    del number
    began = time.process_time()
    work()
    return (time.process_time() - began) * 1000


def delay(path: Path, rounds: int, name: str = "frame_delay", result: bytes | None = None) -> Figure:
    """How much longer another connection waits for a verdict while one sends an outcome of 1 MB.

    Rounds in which the frame was answered before the other connection had anything to ask are left out.

    Args:
        path: The daemon's socket.
        rounds: How often to send it.
        name: Of the figure.
        result: What to send; 1 MB of text if not given.
    """
    outcome = json.loads(result or text_outcome())
    longest, usual = [], []
    with Link(path) as sending, Link(path) as asking:
        pairs = Traffic().pairs(f"{name}-beside")
        for number in range(rounds):
            call = {"runId": f"{name}-{number}", "toolName": "exec", "args": {"command": "cat log"}}
            after = frame("tool.after", call | {"result": outcome})
            usual += time_pairs(asking, [next(pairs) for _ in range(20)])
            sending.ask(frame("tool.before", call))
            if waited := _beside(sending, after, asking, pairs):
                longest.append(max(waited))
    normal = percentile(usual, 50)
    later = [max(0.0, one - normal) * 1000 for one in longest] or [0.0]
    return Figure(
        name=name,
        title="a pair of another connection, later by a 1 MB frame",
        unit="ms",
        floor=None,
        guardd=percentile(later, 50),
        spread=(percentile(later, 25), percentile(later, 75)),
        target=AT_MOST_MS_LATER,
    )


def _beside(sending: Link, after: bytes, asking: Link, pairs: Iterator[Pair]) -> list[float]:
    """Send a frame, and return the seconds that each pair of the other connection took until it was answered."""
    done = threading.Event()
    thread = threading.Thread(target=_send, args=(sending, after, done))
    thread.start()
    waited = []
    while not done.is_set():
        waited += time_pairs(asking, [next(pairs)])
    thread.join()
    return waited


def _send(link: Link, after: bytes, done: threading.Event) -> None:
    try:
        link.ask(after)
    finally:
        done.set()
